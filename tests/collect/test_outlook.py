"""What remains: each rule on its own while there are few, and together where there are many groups."""

from sidewise.collect.server.pages.outlook import outlook


def rules(count, settled=0, more=100):
    return [
        {"group": f"q{n}", "goal": "top", "found": 0.5, "wanted": 0.95, "enough": n < settled, "more": more}
        for n in range(count)
    ]


def test_the_rules_of_a_few_groups_are_told_by_name_with_what_remains(opened):
    ends = outlook(opened(), rules(3, settled=1), answers=10, pace=400.0)
    assert [end["title"] for end in ends] == [f"The top items: q{n}" for n in range(3)]
    assert [end["more"] for end in ends] == ["reached", *2 * ["about 100 more answers, 15 min at the present pace"]]


def test_the_rules_of_many_groups_are_told_together(opened):
    (end,) = outlook(opened(), rules(50, settled=20), answers=10, pace=0.0)
    assert end["text"] == "settled in 20 of 50 groups"
    assert end["part"] == 0.4
    assert end["more"] == "about 3,000 more answers"
    (end,) = outlook(opened(name="other"), rules(50, settled=20, more=None), answers=10, pace=0.0)
    assert "cannot be told yet" in end["more"]


def test_what_remains_of_a_budget_is_told_exactly(opened):
    campaign = opened(budget={"answers": 1_234})
    (end,) = outlook(campaign, [], answers=1_001, pace=233.0)
    assert end["more"] == "233 more answers, 60 min at the present pace"
    assert outlook(campaign, [], answers=1_300, pace=1.0)[0]["more"] == "nothing remains"
