"""Questions asked of scenarios, one module or package a question.

``ranking``, ``rent_or_own``, ``solving``, ``optimal``, ``levers`` and ``tornado`` are for whoever
decides; ``uncertainty`` and ``cash`` for what may come; ``validation``, ``history`` and ``claims``
for whoever doubts. Each answer is plain data, and says which estimates it rests on.
"""
