"""What if? Items, crowds, spammers and answers that never existed, with a truth that is known."""

from sidewise.simulate.boxes import DRAWERS, BoxSimulation, Drawer, box_crowd
from sidewise.simulate.crowd import Simulation, crowd
from sidewise.simulate.kinds import (
    KINDS,
    AlwaysLeft,
    AlwaysRight,
    Colluding,
    Contrary,
    CrowdBT,
    FactorBiased,
    FactorBT,
    Honest,
    Kind,
    OneSided,
    Random,
    Seen,
    Sensitive,
    Sleepy,
)
from sidewise.simulate.search import SearchCollection, search_collection
from sidewise.simulate.spammers import SPAMMER_KINDS, add_spammers, draw_sides
from sidewise.simulate.systems import two_systems

__all__ = [
    "DRAWERS",
    "KINDS",
    "SPAMMER_KINDS",
    "AlwaysLeft",
    "AlwaysRight",
    "BoxSimulation",
    "Colluding",
    "Contrary",
    "CrowdBT",
    "Drawer",
    "FactorBT",
    "FactorBiased",
    "Honest",
    "Kind",
    "OneSided",
    "Random",
    "SearchCollection",
    "Seen",
    "Sensitive",
    "Simulation",
    "Sleepy",
    "add_spammers",
    "box_crowd",
    "crowd",
    "draw_sides",
    "search_collection",
    "two_systems",
]
