"""Which texts can be names, and which can be shown: nothing hidden in them, and nothing that a database refuses."""

import re

# Control characters, those that turn the direction of what is read, and halves of characters.
_HIDDEN = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
HIDDEN = re.compile(f"[{_HIDDEN}]")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

# No blanks around, nothing hidden, on one line, and short enough for a database's index.
NAME = re.compile(rf"[^\s{_HIDDEN}](?:[^\t\n\r{_HIDDEN}]{{0,253}}[^\s{_HIDDEN}])?")
NAME_CURE = "it is a text or a whole number of at most 255 characters, without blanks around or hidden characters"
