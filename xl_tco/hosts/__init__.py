"""What each spreadsheet host needs to offer the functions, made from their one table."""
