"""The rows of the table of spreadsheet functions, a module a topic.

``run`` is what a training run takes, ``models`` what is trained, ``cluster`` what it is trained on,
``failures`` what is lost, ``money`` what is paid, ``figures`` the catalogue, ``scenarios`` a whole
scenario. A module holds its rows and the few lines that fit a formula of `xl_tco.core` to them.
"""
