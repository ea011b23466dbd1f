"""What the command line shows people. Nothing is computed here."""
