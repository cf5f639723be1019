"""Checks of chapter 18, training."""

from types import SimpleNamespace

import numpy as np

from helpers.exercises import Hint, exercise


@exercise(
    "18.1",
    wrong=[
        ("answer = 150", "each update"),
        ("answer = 150 * 4", "epochs and minibatches"),
        ("answer = 150 * 4 * 32", "not of minibatches"),
        ("answer = 4 * 4", "one update"),
    ],
)
def _steps(answer):
    hints = {
        150: "that is the number of updates; each update takes several steps of the optimiser",
        600: "that counts one of epochs and minibatches; every epoch goes through all minibatches",
        150 * 4 * 32: "32 is a number of rows and of calls, not of minibatches",
        16: "that is one update; there are 150 of them",
    }
    if answer != 2400:
        raise Hint(hints.get(answer, "multiply the updates, the epochs in each, and the minibatches in each epoch"))


@exercise(
    "18.2",
    wrong=[
        ("clip_fraction = lambda ratio, advantage, clip: (np.abs(ratio - 1) > clip).mean()", "pulled back"),
        ("clip_fraction = lambda ratio, advantage, clip: (ratio > 1 + clip).mean()", "negative advantage"),
        (
            "clip_fraction = lambda ratio, advantage, clip: "
            "np.where(advantage > 0, ratio < 1 + clip, ratio > 1 - clip).mean()",
            "the others",
        ),
        (
            "clip_fraction = lambda ratio, advantage, clip: "
            "np.where(advantage > 0, ratio >= 1 + clip, ratio <= 1 - clip).sum()",
            "share",
        ),
    ],
)
def _clip_fraction(answer):
    ratio = np.array([1.5, 0.5, 1.5, 0.5, 1.0, 1.4])
    advantage = np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0])
    found = float(answer(ratio, advantage, 0.2))
    hints = {
        5: "rows 2, 3 and 5 are outside on the other side: they are being pulled back, so they count as pushed",
        4: "these are the rows that are still pushed; count the others",
        3: "with a negative advantage the push goes down, and stops below 1 - clip",
        12: "a share lies between 0 and 1: divide by the number of rows",
    }
    if not np.isclose(found, 2 / 6):
        raise Hint(hints.get(round(found * 6), f"expected two of these six rows, got {found:.2f}; use the figure"))
    if not np.isclose(answer(ratio, advantage, 0.6), 0.0):
        raise Hint("the answer does not depend on clip as it should")


@exercise(
    "18.3",
    wrong=[
        (
            "def backward_relu(network, x, hidden, d_outputs):\n"
            "    d_hidden = (d_outputs @ network.W2.T) * (1 - hidden**2)\n"
            "    return np.concatenate([(x.T @ d_hidden).ravel(), d_hidden.sum(0), (hidden.T @ d_outputs).ravel(),"
            " d_outputs.sum(0)])",
            "slope of tanh",
        ),
        (
            "def backward_relu(network, x, hidden, d_outputs):\n"
            "    d_hidden = d_outputs @ network.W2.T\n"
            "    return np.concatenate([(x.T @ d_hidden).ravel(), d_hidden.sum(0), (hidden.T @ d_outputs).ravel(),"
            " d_outputs.sum(0)])",
            "stopped",
        ),
        (
            "def backward_relu(network, x, hidden, d_outputs):\n"
            "    d_hidden = (d_outputs @ network.W2.T) * hidden\n"
            "    return np.concatenate([(x.T @ d_hidden).ravel(), d_hidden.sum(0), (hidden.T @ d_outputs).ravel(),"
            " d_outputs.sum(0)])",
            "not its output",
        ),
        (
            "def backward_relu(network, x, hidden, d_outputs):\n"
            "    d_hidden = (d_outputs @ network.W2.T) * (hidden > 0)\n"
            "    return x.T @ d_hidden",
            "layout of theta",
        ),
    ],
)
def _backward_relu(answer):
    rng = np.random.default_rng(0)
    shapes = [(3, 5), (5,), (5, 2), (2,)]
    ends = np.cumsum([15, 5, 10, 2])
    theta, x, weights = rng.standard_normal(32), rng.standard_normal((6, 3)), rng.standard_normal((6, 2))

    def forward(numbers):
        W1, b1, W2, b2 = map(np.reshape, np.split(numbers, ends[:-1]), shapes)
        hidden = np.maximum(0, x @ W1 + b1)
        return hidden, hidden @ W2 + b2, W2

    hidden, _, W2 = forward(theta)
    found = np.asarray(answer(SimpleNamespace(W2=W2), x, hidden, weights))
    if found.shape != theta.shape:
        raise Hint(f"the result must have the layout of theta, 32 numbers in one row here; got the shape {found.shape}")
    measured = np.zeros(32)
    for k in range(32):
        nudge = np.eye(32)[k] * 1e-6
        measured[k] = ((forward(theta + nudge)[1] - forward(theta - nudge)[1]) * weights).sum() / 2e-6
    if np.allclose(found, measured, atol=1e-6):
        return

    def with_slope(slope):
        return (x.T @ ((weights @ W2.T) * slope)).ravel()

    if np.allclose(found[:15], with_slope(1 - hidden**2)):
        raise Hint("1 - hidden**2 is the slope of tanh; what is the slope of max(0, ...)?")
    if np.allclose(found[:15], with_slope(1.0)):
        raise Hint("where the ReLU gave 0 it stopped the signal, and nothing may flow back there")
    if np.allclose(found[:15], with_slope(hidden)):
        raise Hint("multiply by the slope of the ReLU, which is 0 or 1, not its output")
    raise Hint("it does not agree with finite differences; are all four parts there, in the order W1, b1, W2, b2?")
