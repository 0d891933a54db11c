"""One pair's page, without a browser: media that lie elsewhere, and how many preferred which."""

from django.test import Client

from sidewise.collect.server import vetting
from sidewise.collect.server.answering import answer
from sidewise.collect.server.leasing import serve
from sidewise.collect.server.models import Item
from sidewise.collect.server.pages.dashboard import tally


def page_of(campaign, owner, task):
    client = Client()
    client.force_login(owner)
    return client.get(f"/campaigns/{campaign.name}/pairs/{task.pk}")


def test_pictures_that_lie_elsewhere_are_shown_from_there_and_from_nowhere_else(opened, owner):
    campaign = opened(3)
    campaign.content["items"] = {"kind": "image", "source": "items.csv"}
    campaign.save()
    for item in Item.objects.all():
        item.media = f"https://media.example/{item.name}.png"
        item.save()
    page = page_of(campaign, owner, campaign.tasks.first())
    assert page.content.count(b'src="https://media.example/') == 2
    assert "img-src 'self' data: https://media.example;" in page.headers["Content-Security-Policy"]


def test_the_tally_is_of_what_counts_as_it_counts(opened, owner, join):
    campaign = opened(2, serving={"overlap": 4, "preload": 0}, answers={"tie": True})
    first = min(campaign.items.values_list("id", flat=True))
    keys = []
    for said in ("first", "first", "second", "tie"):
        worker = join(campaign)
        (one,) = serve(worker).page
        on_left = (one.task.first_id == first) != one.swapped
        answer(worker, one.key, said if said == "tie" else "left" if (said == "first") == on_left else "right")
        keys.append((str(one.key), "left" if not on_left else "right"))
    said = campaign.assignments.select_related("task")
    assert tally(said) == {"all": 4, "first": 2, "second": 1, "neither": 1}
    vetting.correct(campaign, *keys[0], by=owner)  # for the second, now
    vetting.set_aside(campaign, keys[1][0], by=owner)
    assert tally(said.all()) == {"all": 3, "first": 0, "second": 2, "neither": 1}
    assert b"2 of 3 preferred it" in page_of(campaign, owner, campaign.tasks.get()).content
