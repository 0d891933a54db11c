"""What if? Items, crowds and answers that never existed, with a truth that is known."""

from sidewise.simulate.crowd import Simulation, crowd

__all__ = ["Simulation", "crowd"]
