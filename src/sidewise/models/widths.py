"""How much do workers differ? Scores and sensitivities together, with the widths of their priors from the data.

Scores are averaged over (a variational Gaussian, as in ``spread``), workers' parameters are the most probable ones,
and every width solves MacKay's equation. Likelihoods of a·d do not know the scale of the sensitivities a; a rule of its
own (``scale``) fixes it.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from sidewise.comparisons.arrow import Floats
from sidewise.models.crowd_problem import CrowdProblem
from sidewise.models.habits import Doubt, Tail, WorkerPrior
from sidewise.models.laplacian import Laplacian
from sidewise.models.mixing import memory, mixed
from sidewise.models.newton import Slope, climb
from sidewise.models.priors import Normal
from sidewise.models.reduced import CrowdInformation
from sidewise.models.scale import on_scale, size, told, without_scale
from sidewise.models.spread import WIDE, contradicted, local_variance, pair_variance

IMAGINED, LEAST = 0.2, 5.0  # imagined workers, as a share of the crowd and in number, who stray this far:
STRAY = (0.75, 0.3)  # sensitivities, biases
TELLING = 10.0  # answers a worker, on average, from which on sensitivities may stray; with one or two each, a worker's
# sensitivity and the scores it bears on would talk each other into anything
FARTHER = (1.0, np.inf)  # squared: beyond a coin, how contrary workers are says nothing of how the others differ
FOREGONE = 0.6  # what each item says against spreads beyond WIDE, where few answers leave spread and workers in doubt
LONGEST = 2.0  # the longest step of a parameter in one turn
AWAY = 30.0  # log-odds: scores that move so far in one turn run away, and the fit begins anew with steps
SHORTER, SHORTEST = 0.25, 0.02  # so much shorter each time, until they are no longer than this
FARTHEST = 1.0  # of a log width in one turn
ENOUGH = 0.01  # of a log width: what is left to move when it counts as found
PASSES = 3  # of averaging over scores that are held loosely
PATIENCE = 60  # turns after which moves are taken as they are: mixed ones can wander about the end for ever
CALM = 0.2  # of a score or a log width: from here on, moves are mixed


@dataclass
class Turn:
    """Takes one step at a time: scores and workers towards their place for some widths; which widths they ask for."""

    problem: CrowdProblem  # with a normal prior on scores, and one on each parameter of workers
    point: Floats
    longest: float = LONGEST
    information: CrowdInformation = field(init=False)
    variance: Floats = field(init=False)  # of the scores
    determined: float = field(init=False)  # how many scores the data and not the prior determine
    gap: float = field(default=np.inf, init=False)
    unsure: float = field(default=np.nan, init=False)  # the width of sensitivities that the data may hide
    _last: Floats | None = field(default=None, init=False)

    def with_widths(self, log_widths: Floats) -> CrowdProblem:
        """The problem with these widths: of scores, sensitivities and biases."""
        sd, *widths = np.exp(log_widths).tolist()
        sensitivity, *biases = widths
        priors: tuple[WorkerPrior, ...] = (Doubt(sensitivity), *(Tail(width) for width in biases))
        return replace(self.problem, prior=Normal(sd), worker_priors=priors)

    def at(self, log_widths: Floats) -> Floats:
        """Take a step; the right-hand sides of the equations for the log widths come back."""
        here = self.with_widths(log_widths)
        slope = here.slope(self.point)
        self.information = slope.curvature()
        information, share = told(here, self.point, self.information)
        gradient = without_scale(here, self.point, slope.gradient, information)
        step = on_scale(here, self.point, self.information.solve(gradient, 0.01), share)
        step = self.calmed(np.clip(step, -self.longest, self.longest))
        while not self._is_possible(here, self.point + step):
            step /= 2
        self._move(here, self.point + step, share)
        self._measure(here)
        return self._asked(here)

    def calmed(self, step: Floats) -> Floats:
        """A step whose parts are halved where they turn back nearly as far as they came: they would swing for ever."""
        if self._last is not None:
            step = np.where(step * self._last < -0.5 * self._last**2, step / 2, step)
        self._last = step
        return step

    def _is_possible(self, here: CrowdProblem, point: Floats) -> bool:
        """Whether ties have a chance there: a threshold must be positive."""
        return not here.link.shapes or bool(here.link.tie(np.zeros(1), here.parts(point).t)[0] > 0)

    def settled(self, log_widths: Floats, turns: int, *, done: bool, spread_free: bool) -> "Settled":
        """What was found."""
        here = self.with_widths(log_widths)
        assert isinstance(here.prior, Normal)
        laplacian = self.information.reduced.laplacian
        against = spread_free and contradicted(self.point[: here.n], here.prior.precision, laplacian, self.variance)
        return Settled(here, self.point, self.determined, turns, self.gap, done, against, self.unsure)

    def _move(self, here: CrowdProblem, point: Floats, share: Floats) -> None:
        """Go there, with the size of the sensitivities at 1."""
        s, theta, t = here.parts(point)
        scale = size(theta[0], share)
        moved = here.joined(s * scale, np.vstack([theta[:1] / scale, theta[1:]]), t)
        self.gap = float(np.abs(moved - self.point)[: here.n].max())
        self.point = moved

    def _measure(self, here: CrowdProblem) -> None:
        """How sure the scores are, and the differences that were asked about."""
        laplacian, pairs = self.information.reduced.laplacian, here.answers.pairs
        self.variance = local_variance(laplacian, pairs.seen)
        blur = pair_variance(laplacian, pairs.seen, self.variance)[pairs.slot]
        before = self.problem.variance
        self.problem = replace(self.problem, variance=blur if before is None else np.sqrt(blur * before))

    def _asked(self, here: CrowdProblem) -> Floats:
        (s, theta, _), inverse = here.parts(self.point), self.information.reduced.blocks.inverse
        assert isinstance(here.prior, Normal)
        precision = here.prior.precision
        self.determined = max(here.n - precision * float(self.variance.sum()), 0.0)
        foregone = FOREGONE * here.n / (precision * WIDE**2) ** 2
        found = [np.log((s @ s + 1) / (self.determined + 1 + foregone))]
        crowd = float(np.count_nonzero(here.answers.answered))
        imagined = max(IMAGINED * crowd, LEAST)
        stray = (STRAY[0] * -np.expm1(-here.answers.answered.sum() / crowd / TELLING), *STRAY[1:] * (len(theta) - 1))
        for p, (row, prior) in enumerate(zip(theta, here.worker_priors, strict=True)):
            assert isinstance(prior, Doubt | Tail)
            held = prior.holds(row)
            known = max(here.answers.k - float(held @ inverse[p, p]), 0.0)
            strayed = float(held @ np.minimum((row - prior.mean) ** 2, FARTHER[p > 0])) * prior.sd**2
            if isinstance(prior, Doubt):
                self.unsure = float(np.sqrt((strayed + imagined * STRAY[0] ** 2) / (known + imagined)))
            found.append(np.log((strayed + imagined * stray[p] ** 2) / (known + imagined)))
        return np.array(found) / 2


@dataclass(frozen=True)
class Settled:
    """Where the turns ended."""

    problem: CrowdProblem
    point: Floats
    determined: float
    turns: int
    gap: float
    converged: bool
    contradicted: bool
    unsure: float  # how widely sensitivities may differ: with few answers each, data do not tell, and the fit is shy


def settle(
    problem: CrowdProblem, start: Floats, stated: Floats, *, tol: float, limit: int, longest: float = LONGEST
) -> Settled:
    """Find the widths that are not stated (NaN), and the scores and workers for them.

    Every turn moves all of them; once the moves are small, they are mixed, since they shrink by a constant factor only.
    Mixing any sooner can turn the ranking of a crowd with many contrary workers upside down. Where one answer weighs as
    much as thousands, steps overshoot and scores run away: then it begins anew, more slowly.
    """
    turn, free = Turn(problem, start, longest), np.isnan(stated)
    log_widths = np.where(free, 0.0, np.log(stated))
    size, weight = len(start), np.sqrt(len(start))  # a width concerns everybody: it weighs as much as all the rest
    past, before, turns, done = memory(), np.inf, 0, False
    while turns < limit and not done:
        turns += 1
        here = np.concatenate([turn.point, weight * log_widths[free]])
        miss = (turn.at(log_widths) - log_widths)[free]
        if turn.gap > AWAY and longest > SHORTEST:
            return settle(problem, start, stated, tol=tol, limit=limit, longest=SHORTER * longest)
        step = np.concatenate([turn.point, weight * (log_widths[free] + np.clip(miss, -FARTHEST, FARTHEST))]) - here
        farthest = float(np.abs(miss).max(initial=0.0))
        norm = float(np.linalg.norm(step))
        if max(turn.gap, farthest) > CALM or norm > 2 * before or turns > PATIENCE:
            past.clear()
        before = norm
        past.append((here, step))
        done = turn.gap <= tol and farthest <= ENOUGH
        if not done:
            moved = mixed(past)
            turn.point, log_widths[free] = moved[:size], moved[size:] / weight
    return turn.settled(log_widths, turns, done=done, spread_free=bool(free[0]))


def loosen(settled: Settled, sd: float, *, tol: float, limit: int) -> Settled:
    """The scores again with a loose prior, the workers staying as they are.

    With nothing to hold the scores, scores and workers together would make one lucky worker explain all answers.
    """
    problem, n = replace(settled.problem, prior=Normal(sd)), settled.problem.n
    rest, pairs = settled.point[n:], problem.answers.pairs
    s = settled.point[:n]
    for _ in range(PASSES):

        def slope(s: Floats, problem: CrowdProblem = problem) -> Slope[Laplacian]:
            found = problem.slope(np.concatenate([s, rest]))
            return Slope(found.gradient[:n], lambda: found.curvature().reduced.laplacian)

        optimum = climb(slope, s, tol=tol, limit=limit)
        s, laplacian = optimum.point, slope(optimum.point).curvature()
        blur = pair_variance(laplacian, pairs.seen, local_variance(laplacian, pairs.seen))
        problem = replace(problem, variance=blur[pairs.slot])
    return replace(settled, problem=problem, point=np.concatenate([s, rest]), gap=optimum.gap,
                   turns=settled.turns + optimum.steps, converged=settled.converged and optimum.converged)  # fmt: skip
