# SPDX-License-Identifier: MIT
"""Small skinned and jointed scenes, each with one thing that bones find hard.  Every function returns a Gltf of one clip, "Move", with keys at
30 frames a second."""
import math

import numpy as np
from gltf import Gltf
from moving import axis_angle

RATE = 30
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def times(frames):
    return [k / RATE for k in range(frames + 1)]


def moved(x, y=0, z=0):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def scaled(x, y, z):
    return np.diag([x, y, z, 1.0])


def turned(axis, angles):
    return [axis_angle(axis, a) for a in angles]


def wave(frames, size, turns=1.0):
    """An angle that swings over the clip and ends where it began."""
    return [size * math.sin(2 * math.pi * turns * k / frames) for k in range(frames + 1)]


def tube(height=2.0, radius=0.2, rings=9, sides=6, base=0.0):
    """Points around the y axis, ring by ring from y = base on."""
    rows = []
    for r in range(rings):
        for s in range(sides):
            a = 2 * math.pi * s / sides + 0.3
            rows.append([radius * math.cos(a), base + height * r / (rings - 1), radius * math.sin(a)])
    return np.array(rows)


def bend_weights(points, knee=1.0, width=0.3):
    """Joints 0 below the knee, 1 above, mixed around it."""
    upper = np.clip((points[:, 1] - knee) / width + 0.5, 0, 1)
    return [[0, 1, 0, 0]] * len(points), [[1 - u, u, 0, 0] for u in upper]


def walls(rings=9, sides=6):
    """Triangles of a tube, facing out."""
    return [ring * sides + corner for ring in range(rings - 1) for s in range(sides) for t in [(s + 1) % sides]
            for corner in (s, sides + s, t, t, sides + s, sides + t)]


def add_skinned(g, points, joints, weights, skin, targets=(), mesh_weights=None, directions=None, **members):
    """A mesh of points with sets of four influences.  directions: normals and tangents of a tube with walls."""
    attributes = {}
    if directions is not None:
        normals, tangents = directions
        attributes = {"mode": 4, "indices": walls(), "NORMAL": normals, "TANGENT": np.hstack([tangents, np.ones((len(tangents), 1))])}
    for n in range(0, len(joints[0]), 4):
        attributes[f"JOINTS_{n // 4}"] = g.accessor([row[n:n + 4] for row in joints], "u1")
        attributes[f"WEIGHTS_{n // 4}"] = g.accessor([row[n:n + 4] for row in weights])
    return g.node(mesh=g.mesh(points, targets=targets, weights=mesh_weights, **attributes), skin=skin, **members)


def leg(frames=30, parent=None, g=None, **members):
    """Hip at the origin, knee at y = 1; returns the scene, hip and knee."""
    g = g or Gltf()
    hip = g.node(parent, name="hip", **members)
    knee = g.node(hip, name="knee", translation=[0, 1, 0])
    return g, hip, knee


def skinned_leg(g, hip, knee, shaded=True, **extra):
    points = tube()
    joints, weights = bend_weights(points)
    skin = g.skin([hip, knee], [np.eye(4), moved(0, -1)])
    outward = points * [1, 0, 1] / 0.2
    # Neither along an axis, so that turning, mirroring and shearing all show.
    directions = 0.6 * outward + [0, 0.8, 0], 0.8 * outward - [0, 0.6, 0]
    return add_skinned(g, points, joints, weights, skin, name="Leg", directions=directions if shaded else None, **extra)


def bend():
    g, hip, knee = leg()
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))),
                (hip, "translation", times(30), [[0.5 * k / 30, 0.1 * math.sin(k / 3), 0] for k in range(31)]))
    return g


def spin(turns=3, frames=30):
    """Whole turns about an axis that is none of the world's, so that the end is the start."""
    g, hip, knee = leg()
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "rotation", times(frames), turned((0.36, 0.48, 0.8), [2 * math.pi * turns * k / frames for k in range(frames + 1)])))
    return g


def sheared():
    """A knee that turns below an unevenly scaled hip."""
    g, hip, knee = leg(scale=[2, 1, 1])
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def uneven():
    """A joint whose scale grows along one axis only."""
    g, hip, knee = leg()
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "scale", times(30), [[1, 1 + 0.5 * k / 30, 1] for k in range(31)]))
    return g


def even():
    """A joint that grows and shrinks evenly, and turns."""
    g, hip, knee = leg()
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "scale", times(30), [[0.5 + k / 20] * 3 for k in range(31)]), (knee, "rotation", times(30), turned(X, wave(30, 1))))
    return g


def mirrored():
    """The whole figure is mirrored, always: bound as it stands."""
    g = Gltf()
    root = g.node(name="Root", scale=[-1, 1, 1])
    g, hip, knee = leg(parent=root, g=g)
    points = tube()
    joints, weights = bend_weights(points)
    add_skinned(g, points, joints, weights, g.skin([hip, knee], [np.eye(4), moved(0, -1)]), name="Leg")
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def flips():
    """A joint that becomes its own mirror image half-way through."""
    g, hip, knee = leg()
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "scale", [0, 0.5, 1], [[1, 1, 1], [-1, 1, 1], [-1, 1, 1]], "STEP"),
                (hip, "rotation", times(30), turned(Z, wave(30, 0.4))))
    return g


def small_armature():
    """Centimetres below a node of scale 0.01."""
    g = Gltf()
    armature = g.node(name="Armature", scale=[0.01] * 3)
    hip = g.node(armature, name="hip")
    knee = g.node(hip, name="knee", translation=[0, 100, 0])
    points = tube()
    joints, weights = bend_weights(points)
    add_skinned(g, points, joints, weights, g.skin([hip, knee], [scaled(100, 100, 100), scaled(100, 100, 100) @ moved(0, -1)]), name="Leg")
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))), (hip, "translation", times(30), [[k, 0, 2 * k] for k in range(31)]))
    return g


def flat_bind():
    """The second joint's inverse bind matrix has no thickness, so nothing can undo it."""
    g, hip, knee = leg()
    points = tube()
    joints, weights = bend_weights(points)
    add_skinned(g, points, joints, weights, g.skin([hip, knee], [np.eye(4), scaled(1, 1, 0) @ moved(0, -1)]), name="Leg")
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def all_flat_binds():
    g, hip, knee = leg()
    points = tube()
    joints, weights = bend_weights(points)
    add_skinned(g, points, joints, weights, g.skin([hip, knee], [scaled(1, 1, 0), scaled(0, 1, 1)]), name="Leg")
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def shared_joints():
    """Two meshes with a skin each on the same joints, listed in another order."""
    g, hip, knee = leg()
    skinned_leg(g, hip, knee)
    points = tube(radius=0.3)
    joints, weights = bend_weights(points)
    add_skinned(g, points, [[1, 0, 0, 0]] * len(points), weights, g.skin([knee, hip], [moved(0, -1), np.eye(4)]), name="Trousers")
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def prop():
    """A sword under the hand and a hat under a node that no clip moves, beside the skin."""
    g, hip, knee = leg()
    grip = g.node(knee, name="grip", translation=[0, 1, 0], rotation=axis_angle(X, 0.4))
    g.node(grip, mesh=g.mesh(tube(1.0, 0.05, 3, 3)), name="Sword", scale=[1, 1.5, 1])
    g.node(None, mesh=g.mesh(tube(0.2, 0.4, 2, 5)), name="Hat", translation=[0, 3, 0])
    skinned_leg(g, hip, knee, shaded=False)  # triangles would come before the other parts' points
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))), (hip, "rotation", times(30), turned(Y, wave(30, 0.5, 2))))
    return g


def six_influences():
    g = Gltf()
    joints = [g.node(name=f"j{k}") for k in range(6)]
    points = tube(1.0, 0.5, 4, 5)
    rows = [[(k + i) % 6 for k in range(6)] + [0, 0] for i in range(len(points))]
    weights = [[0.05, 0.1, 0.05, 0.2, 0.25, 0.35, 0, 0]] * len(points)
    add_skinned(g, points, rows, weights, g.skin(joints, [np.eye(4)] * 6), name="Ball")
    g.animation("Move", *[(j, "rotation", times(30), turned((X, Y, Z)[k % 3], wave(30, 0.3 + 0.05 * k))) for k, j in enumerate(joints)])
    return g


def rest_is_not_bind():
    """At rest the knee is bent and the hip lies elsewhere than where the mesh was bound; the mesh's own node says something else again."""
    g = Gltf()
    hip = g.node(name="hip", translation=[3, 1, -2], rotation=axis_angle(Y, 0.8))
    knee = g.node(hip, name="knee", translation=[0, 1, 0], rotation=axis_angle(Z, 0.7))
    skinned_leg(g, hip, knee, translation=[100, 0, 0])
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def reverse_joints():
    g, hip, knee = leg()
    points = tube()
    joints, weights = bend_weights(points)
    add_skinned(g, points, [[1, 0, 0, 0]] * len(points), weights, g.skin([knee, hip], [moved(0, -1), np.eye(4)]), name="Leg")
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def morphed(size):
    """A skinned mesh whose morph target pushes its upper half out by `size` metres."""
    g, hip, knee = leg()
    points = tube()
    push = np.where(points[:, 1:2] > 1, points * [1, 0, 1] / 0.2 * size, 0)
    mesh = skinned_leg_with(g, hip, knee, points, [{"POSITION": push}])
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))), (mesh, "weights", times(30), [math.sin(k / 5) ** 2 for k in range(31)]))
    return g


def skinned_leg_with(g, hip, knee, points, targets):
    joints, weights = bend_weights(points)
    return add_skinned(g, points, joints, weights, g.skin([hip, knee], [np.eye(4), moved(0, -1)]), targets, [0.0] * len(targets), name="Leg")


def vanishing_joint():
    """A joint that shrinks to nothing, stays so while it turns, and comes back."""
    g, hip, knee = leg()
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "scale", [0, 1 / 3, 2 / 3, 1], [[1, 1, 1], [0, 0, 0], [0, 0, 0], [1, 1, 1]]),
                (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


def far_away(distance=2000.0):
    """The figure lives 2 km from the origin."""
    g = Gltf()
    root = g.node(name="Place", translation=[distance, 0, -distance])
    g, hip, knee = leg(parent=root, g=g)
    skinned_leg(g, hip, knee)
    g.animation("Move", (knee, "rotation", times(30), turned(Z, wave(30, 1.2))))
    return g


# ---- pieces ----

def crates(count=5, frames=30):
    """Boxes that nodes throw about, the last always still."""
    g = Gltf()
    channels = []
    for k in range(count):
        start = [2.0 * k, 0.5, 0]
        node = g.node(name=f"Crate{k}", mesh=g.mesh(tube(1.0, 0.5, 2, 4, -0.5)), translation=start, rotation=axis_angle(Y, 0.3 * k))
        if k < count - 1:
            axis = np.array([1.0, k, 2]) / np.linalg.norm([1.0, k, 2])
            channels += [(node, "translation", times(frames), [[start[0], 0.5 + 3 * t * (1 - t), t * k] for t in np.linspace(0, 1, frames + 1)]),
                         (node, "rotation", times(frames), turned(axis, [0.3 * k + 2 * t for t in np.linspace(0, 3, frames + 1)]))]
    g.animation("Move", *channels)
    return g


def vanishing_crate():
    """One of two crates is gone from 0.5 s on, at once; its node goes on turning and falling."""
    g = Gltf()
    keeper = g.node(name="Keeper", mesh=g.mesh(tube(1.0, 0.5, 2, 4)))
    goer = g.node(name="Goer", mesh=g.mesh(tube(1.0, 0.5, 2, 4)), translation=[3, 0, 0])
    g.animation("Move", (keeper, "rotation", times(30), turned(Y, wave(30, 1))),
                (goer, "scale", [0, 0.5, 1], [[1, 1, 1], [0, 0, 0], [0, 0, 0]], "STEP"),
                (goer, "translation", times(30), [[3, -k / 10, 0] for k in range(31)]), (goer, "rotation", times(30), turned(X, wave(30, 1))))
    return g


def one_vertex_pieces():
    g = Gltf()
    nodes = [g.node(name=f"Spark{k}", mesh=g.mesh([[0.1, 0.2, 0.3]]), translation=[k, 0, 0]) for k in range(3)]
    g.animation("Move", *[(n, "translation", times(30), [[k, 0.1 * i * (k + 1), 0] for i in range(31)]) for k, n in enumerate(nodes)],
                (nodes[0], "rotation", times(30), turned(Z, wave(30, 1))))
    return g


def stretched_crate():
    """A crate always under a scale of (2, 1, 1), turned from above it: nothing is sheared."""
    g = Gltf()
    turner = g.node(name="Turner")
    g.node(turner, name="Crate", mesh=g.mesh(tube(1.0, 0.5, 2, 4)), scale=[2, 1, 1], translation=[0.5, 0, 0])
    g.animation("Move", (turner, "rotation", times(30), turned(Y, wave(30, 1.5))))
    return g


def sheared_crate():
    """A crate that turns under a scale of (2, 1, 1): it is sheared."""
    g = Gltf()
    stretch = g.node(name="Stretch", scale=[2, 1, 1])
    crate = g.node(stretch, name="Crate", mesh=g.mesh(tube(1.0, 0.5, 2, 4)))
    g.animation("Move", (crate, "rotation", times(30), turned(Y, wave(30, 1.5))))
    return g


def far_crate(distance=2000.0):
    g = Gltf()
    root = g.node(name="Place", translation=[distance, 0, -distance])
    crate = g.node(root, name="Crate", mesh=g.mesh(tube(1.0, 0.5, 2, 4)))
    g.animation("Move", (crate, "rotation", times(30), turned(Y, wave(30, 1.5))))
    return g


def wheel(turns_a_second):
    """A wheel with two keys a turn's third, so that sampling at 30 a second may turn it too far in one step."""
    g = Gltf()
    node = g.node(name="Wheel", mesh=g.mesh(tube(0.2, 1.0, 2, 8)))
    keys = int(6 * turns_a_second)
    g.animation("Move", (node, "rotation", [k / keys for k in range(keys + 1)],
                         turned(Y, [2 * math.pi * turns_a_second * k / keys for k in range(keys + 1)])))
    return g
