"""A fictitious company's support desk from a seed: its archive, what it declares, and the truth.

Nothing here imports the rules of the other rooms: the truth is worked out on its own.
"""
