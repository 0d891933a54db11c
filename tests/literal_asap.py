"""ASAP as its paper says it (Mikhailiuk et al. 2020), comparison by comparison, in plain numbers: slow and independent.

The graph is that of the paper's Figure 1: a prior on every score, and for every comparison a difference factor, a
variable for the difference, and an output factor that says whether it is above 0. A message is a normal distribution,
kept as (precision, precision × mean), so that (0, 0) says nothing. Answers are (winner, loser), one factor each.
"""

import math

PRIOR = (2.0, 0.0)  # N(0, 0.5)
BETA = 1.0  # the paper's observer noise
NOTHING = (0.0, 0.0)
IMAGINED = 4  # sweeps for an imagined answer, as in the published code


def density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def cumulative(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def times(a, b):
    return a[0] + b[0], a[1] + b[1]


def over(a, b):
    return a[0] - b[0], a[1] - b[1]


def moments(message):
    """Mean and variance."""
    return message[1] / message[0], 1 / message[0]


def truncated(mean, variance):
    """Mean and variance of a normal variable that is known to be above 0."""
    z = mean / math.sqrt(variance)
    v = density(z) / cumulative(z)
    return mean + math.sqrt(variance) * v, variance * (1 - v * (v + z))


def from_output(mean, variance):
    """The message from the output factor to the difference: what matches the moments, over what came in."""
    new_mean, new_variance = truncated(mean, variance)
    return over((1 / new_variance, new_mean / new_variance), (1 / variance, mean / variance))


def through_difference(winner, loser):
    """The messages to the two scores, by what the rest of the graph says of them."""
    (m1, v1), (m2, v2) = moments(winner), moments(loser)
    told = from_output(m1 - m2, v1 + v2 + BETA**2)
    mean, variance = moments(told)
    to_winner = mean + m2, variance + v2 + BETA**2  # r_i = d + r_j − noise
    to_loser = m1 - mean, variance + v1 + BETA**2  # r_j = r_i − d + noise
    return tuple((1 / v, m / v) for m, v in (to_winner, to_loser))


def beliefs(n, answers, messages):
    """The prior and all messages to a score, multiplied."""
    found = [PRIOR] * n
    for (i, j), (to_i, to_j) in zip(answers, messages, strict=True):
        found[i], found[j] = times(found[i], to_i), times(found[j], to_j)
    return found


def sweep(n, answers, messages):
    """All messages of all comparisons again, from those before."""
    now = beliefs(n, answers, messages)
    return [
        through_difference(over(now[i], to_i), over(now[j], to_j))
        for (i, j), (to_i, to_j) in zip(answers, messages, strict=True)
    ]


def long_run(n, answers, *, close=1e-14, limit=20_000):
    """Messages once they no longer change."""
    messages = [(NOTHING, NOTHING)] * len(answers)
    for _ in range(limit):
        after = sweep(n, answers, messages)
        change = [abs(p - q) for a, b in zip(after, messages, strict=True)
                  for c, d in zip(a, b, strict=True) for p, q in zip(c, d, strict=True)]  # fmt: skip
        messages = after
        if max(change, default=0) < close:
            return messages
    raise AssertionError("the messages do not come to rest")


def divergence(after, before):
    """KL(after ‖ before) of normal distributions with diagonal covariance."""
    total = 0.0
    for a, b in zip(after, before, strict=True):
        (m1, v1), (m2, v2) = moments(a), moments(b)
        total += (v1 / v2 + (m1 - m2) ** 2 / v2 - 1 + math.log(v2 / v1)) / 2
    return total


def win_chance(a, b):
    """Equation 1, without the √2 that the paper's own messages and the published code do without."""
    (m1, v1), (m2, v2) = moments(a), moments(b)
    return cumulative((m1 - m2) / math.sqrt(v1 + v2 + BETA**2))


def gain(n, answers, i, j, messages):
    """Equation 5: what the answer about i and j is expected to change, from messages at rest."""
    before = beliefs(n, answers, messages)
    total = 0.0
    for winner, loser in ((i, j), (j, i)):
        imagined = [*answers, (winner, loser)]
        state = [*messages, (NOTHING, NOTHING)]
        for _ in range(IMAGINED):
            state = sweep(n, imagined, state)
        after = beliefs(n, imagined, state)
        total += win_chance(before[winner], before[loser]) * divergence(after, before)
    return total


def gains(n, answers):
    """The matrix of gains, as rows."""
    messages = long_run(n, answers)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            table[i][j] = table[j][i] = gain(n, answers, i, j, messages)
    return table


def filtered(n, answers):
    """Assumed density filtering: every answer in turn updates its two scores from what is believed of them by then."""
    now = [PRIOR] * n
    for i, j in answers:
        to_i, to_j = through_difference(now[i], now[j])
        now[i], now[j] = times(now[i], to_i), times(now[j], to_j)
    return now


def online_gains(n, answers):
    """The gains where an answer updates its two scores only, once."""
    now = filtered(n, answers)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i != j:
                to_i, to_j = through_difference(now[i], now[j])
                kl = divergence([times(now[i], to_i), times(now[j], to_j)], [now[i], now[j]])
                table[i][j] += win_chance(now[i], now[j]) * kl
                table[j][i] += win_chance(now[i], now[j]) * kl
    return table
