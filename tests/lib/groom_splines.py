# SPDX-License-Identifier: MIT
"""Curves of every basis evaluated another way than the program does it: by repeated interpolation (de Casteljau, de Boor) and by tangents, never by
basis functions.  A curve is a list of pieces, each an array of points along it, ends included."""
import numpy as np

DENSE = 64  # steps a piece: chords this short are off by less than a thousandth of a tolerance


def casteljau(control, t):
    points = [np.broadcast_to(c, (len(t), len(c))) for c in control]
    while len(points) > 1:
        points = [a + (b - a) * t[:, None] for a, b in zip(points, points[1:])]
    return points[0]


def de_boor(control, knots, degree, span, u):
    """Points at u, in [knots[span], knots[span + 1])."""
    d = [np.broadcast_to(control[j + span - degree], (len(u), control.shape[1])) for j in range(degree + 1)]
    for r in range(1, degree + 1):
        for j in range(degree, r - 1, -1):
            low, high = knots[j + span - degree], knots[j + 1 + span - r]
            a = ((u - low) / (high - low))[:, None]
            d[j] = d[j - 1] * (1 - a) + d[j] * a
    return d[degree]


def project(points, rational):
    return points[:, :3] / points[:, 3:] if rational else points


def bspline(control, knots, degree, rational=False):
    pieces = []
    for span in range(degree, len(control)):
        if knots[span + 1] > knots[span]:
            u = np.linspace(knots[span], knots[span + 1], DENSE + 1)
            pieces.append(project(de_boor(control, knots, degree, span, u), rational))
    return pieces


def clamped_knots(n, order):
    return np.concatenate([np.zeros(order - 1), np.arange(n - order + 2), np.full(order - 1, n - order + 1)]).astype(float)


def evaluate(kind, basis, periodic, points, order=4, knots=None, weights=None):
    """kind and basis by name, as Alembic's library has them.  knots: of this curve, count + order; None where it has none."""
    p = np.asarray(points, dtype=float)
    n = len(p)
    t = np.linspace(0, 1, DENSE + 1)
    lines = [np.array([a, b]) for a, b in zip(p, np.vstack([p[1:], p[:1]]) if periodic else p[1:])]
    rational = weights is not None
    h = np.hstack([p * np.asarray(weights, float)[:, None], np.asarray(weights, float)[:, None]]) if rational else p
    if kind == "linear" or (kind == "cubic" and basis == "none"):
        return lines
    if kind == "variable" or (kind == "cubic" and basis == "bspline" and knots is not None):
        order = min(order, n)
        return bspline(h, np.asarray(clamped_knots(n, order) if knots is None else knots, dtype=float), order - 1, rational)
    wrapped = np.vstack([h, h[:3]]) if periodic else h
    if basis == "bspline":
        if periodic and n > 6 and np.array_equal(p[:3], p[-3:]):
            wrapped = h
        return bspline(wrapped, np.arange(len(wrapped) + 4, dtype=float), 3, rational) if n >= (3 if periodic else 4) else lines
    if basis == "bezier":
        if periodic:
            return [project(casteljau(wrapped[i:i + 4], t), rational) for i in range(0, n, 3)] if n % 3 == 0 else lines
        whole = (n - 1) // 3
        if whole == 0:
            return lines
        return [project(casteljau(h[3 * i:3 * i + 4], t), rational) for i in range(whole)] + lines[3 * whole:]
    if basis == "catmull-rom":
        wrapped = np.vstack([p, p[:3]]) if periodic else p
        if len(wrapped) < 4:
            return lines
        return [casteljau([b, b + (c - a) / 6, c - (d - b) / 6, c], t) for a, b, c, d in zip(wrapped, wrapped[1:], wrapped[2:], wrapped[3:])]
    if basis == "hermite":
        if n < 4:
            return lines
        q = np.vstack([p, p[:2]]) if periodic and n % 2 == 0 else p
        return [casteljau([a, a + s / 3, b - e / 3, b], t) for a, s, b, e in zip(q[0:-3:2], q[1:-2:2], q[2:-1:2], q[3::2])]
    assert basis == "power", basis
    if n < 4:
        return lines
    return [((c[0] * t[:, None] + c[1]) * t[:, None] + c[2]) * t[:, None] + c[3] for c in p[:4 * (n // 4)].reshape(-1, 4, 3)]


def polyline(pieces):
    return np.vstack(pieces)


def distances(points, line):
    """From each point to a polyline."""
    a, b = line[:-1], line[1:]
    ab = b - a
    length2 = (ab * ab).sum(1)
    best = np.full(len(points), np.inf)
    for i in range(0, len(points), 256):
        ap = points[i:i + 256, None, :] - a
        t = np.clip(np.where(length2 > 0, (ap * ab).sum(2) / np.where(length2 > 0, length2, 1), 0), 0, 1)
        off = ap - t[..., None] * ab
        best[i:i + 256] = np.sqrt((off * off).sum(2).min(1))
    return best
