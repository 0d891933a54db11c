"""What a worker can say, in the order of the page; the words and the keys of each."""

LABELS = {
    "left": "Left",
    "right": "Right",
    "tie": "No difference",
    "both_bad": "Both are bad",
    "left_not_relevant": "Left is not relevant",
    "right_not_relevant": "Right is not relevant",
    "duplicates": "They are the same",
    "skip": "Skip",
}
KEYS = {
    "left": "1",
    "right": "2",
    "tie": "3",
    "both_bad": "4",
    "left_not_relevant": "5",
    "right_not_relevant": "6",
    "duplicates": "7",
    "skip": "0",
    "undo": "z",
}
ALWAYS = ("left", "right")
IN_ANSWERS = ("tie", "both_bad", "skip")  # switched on in [answers]
IN_SEARCH = {"left_not_relevant": "not_relevant", "right_not_relevant": "not_relevant", "duplicates": "duplicates"}
NAMED_KEYS = (
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "Backspace",
    "Delete",
    "Home",
    "End",
    "PageUp",
    "PageDown",
)
