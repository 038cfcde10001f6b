# SPDX-License-Identifier: MIT
"""Prints what Blender imports from archives, a line each: "facts" and a JSON list of objects with
their vertices, faces and curves at three frames.

usage: alembic_blender.py FILE...       A program of its own, because a crash of Blender must not end the test.
"""
import json
import sys


def shape(o):
    data = o.data
    out = [o.name, o.type, [list(row) for row in o.matrix_world]]
    if o.type == "MESH":
        out += [[list(v.co) for v in data.vertices], [list(p.vertices) for p in data.polygons], [layer.name for layer in data.uv_layers]]
    elif o.type == "CURVES":
        out += [[list(p.position) for p in data.points], [c.points_length for c in data.curves]]
    elif o.type == "CURVE":
        out += [[list(p.co) for p in s.points] for s in data.splines]
    return out


def facts(path):
    import bpy
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.alembic_import(filepath=path, set_frame_range=True)
    scene, out = bpy.context.scene, []
    for frame in (scene.frame_start, (scene.frame_start + scene.frame_end) // 2, scene.frame_end):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        out.append([frame] + [shape(o.evaluated_get(graph)) for o in sorted(bpy.data.objects, key=lambda o: o.name)])
    return out


if __name__ == "__main__":
    for file in sys.argv[1:]:
        found = facts(file)
        print("\nfacts " + json.dumps(found), flush=True)
