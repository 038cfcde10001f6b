#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our image files against other programs' readers, and other programs' files against our readers, texel for texel, bit for bit.

PNG: pypng (16 and 8 bits), Pillow (8 bits).  EXR: OpenEXR's own Python module.  KTX2: npm ktx-parse.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import OpenEXR
import PIL.Image
import png

TOOL = Path(os.environ["BW_BUILD"]) / "tests/tools/image_tool"
FOLDER = Path(os.environ["TMPDIR"])
COMPONENTS = {"u8": (numpy.uint8, 4), "u16": (numpy.uint16, 4), "u10": (numpy.uint32, 1), "f16": (numpy.uint16, 4), "f32": (numpy.uint32, 4)}
EXR_TYPES = {"f16": numpy.float16, "f32": numpy.float32}
VK_FORMATS = {"u16": 95, "u10": 68, "f16": 97, "f32": 109}


def load_texels(path):
    """Returns type and bits of a .texels file: [height][width][components]."""
    head, _, data = path.read_bytes().partition(b"\n")
    width, height, kind = head.split()
    dtype, count = COMPONENTS[kind.decode()]
    return kind.decode(), numpy.frombuffer(data, dtype).reshape(int(height), int(width), count)


def bits(values):
    """Floats as they are stored: NaNs compare, −0 is not 0."""
    return numpy.ascontiguousarray(values).view({2: numpy.uint16, 4: numpy.uint32}[values.dtype.itemsize])


def read_pypng(path):
    width, height, rows, info = png.Reader(str(path)).read()
    stray = {key for key in ("gamma", "palette", "transparent", "background") if key in info}
    if info["planes"] != 4 or stray or info["interlace"]:
        raise ValueError(f"not plain RGBA: {info}")
    dtype = numpy.uint8 if info["bitdepth"] == 8 else numpy.uint16
    return numpy.array([numpy.asarray(row, dtype) for row in rows]).reshape(height, width, 4)


def read_pillow(path):
    with PIL.Image.open(path) as image:
        if image.mode != "RGBA" or image.info:
            raise ValueError(f"mode {image.mode}, {image.info}")
        return numpy.asarray(image)


def read_openexr(path):
    with OpenEXR.File(str(path)) as file:
        header, channels = file.header(), file.channels()
        if header["compression"] != OpenEXR.ZIP_COMPRESSION or header["type"] != OpenEXR.scanlineimage or set(channels) != {"RGBA"}:
            raise ValueError(f"{header}, {list(channels)}")
        return bits(channels["RGBA"].pixels)


def read_ktx_parse(path):
    """Header, descriptor and keys as JSON, the level's bytes in a file beside it."""
    level = FOLDER / "level.bin"
    script = f"""
        import {{read}} from {json.dumps(os.environ["BW_NODE_MODULES"] + "/ktx-parse/dist/index.mjs")};
        import fs from 'fs';
        const ktx = read(fs.readFileSync({json.dumps(str(path))}));
        fs.writeFileSync({json.dumps(str(level))}, ktx.levels[0].levelData);
        console.log(JSON.stringify({{...ktx, levels: ktx.levels.length, globalData: null}}));"""
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "node failed")
    return json.loads(done.stdout), level.read_bytes()


def check_ktx2(path, kind, texels):
    ktx, level = read_ktx_parse(path)
    height, width, _ = texels.shape
    wanted = {"vkFormat": VK_FORMATS[kind], "typeSize": 2 if kind in ("u16", "f16") else 4, "pixelWidth": width, "pixelHeight": height,
              "pixelDepth": 0, "layerCount": 0, "faceCount": 1, "levels": 1, "supercompressionScheme": 0}
    for key, value in wanted.items():
        assert ktx[key] == value, f"{key} is {ktx[key]}, expected {value}"
    assert ktx["keyValue"] == {"KTXorientation": "rd", "KTXwriter": "Bakewell"}, f"keys {ktx['keyValue']}"
    block = ktx["dataFormatDescriptor"][0]
    sizes = [10, 10, 10, 2] if kind == "u10" else [32] * 4 if kind == "f32" else [16] * 4
    found = [(sample["bitOffset"], sample["bitLength"] + 1, sample["channelType"] & 15) for sample in block["samples"]]
    assert found == [(sum(sizes[:i]), sizes[i], (0, 1, 2, 15)[i]) for i in range(4)], f"samples {found}"
    assert block["bytesPlane"][0] * 8 == sum(sizes) and block["colorModel"] == 1 and block["transferFunction"] == 1, f"descriptor {block}"
    assert level == texels.astype(texels.dtype.newbyteorder("<")).tobytes(), "other texels"


def check_same(found, texels):
    assert found.shape == texels.shape and found.dtype == texels.dtype, f"{found.shape} of {found.dtype}, expected {texels.shape}"
    assert (found == texels).all(), f"{(found != texels).sum()} components differ"


def read_ours(container, path):
    out = FOLDER / "ours.texels"
    done = subprocess.run([TOOL, "read", container, path, out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr.strip()
    return load_texels(out)


def report(name, check, *arguments):
    try:
        check(*arguments)
    except Exception as error:  # whatever a foreign reader raises is a difference
        print(f"not ok {name}: {type(error).__name__} {' '.join(str(error).split())}")
    else:
        print(f"ok {name}")


def theirs_reads_ours():
    subprocess.run([TOOL, "write", FOLDER], check=True)
    for path in sorted(FOLDER.glob("*.*")):
        if path.suffix not in (".png", ".exr", ".ktx2"):
            continue
        kind, texels = load_texels(path.with_suffix(".texels"))
        if path.suffix == ".png":
            report(f"pypng reads {path.name}", lambda p=path, t=texels: check_same(read_pypng(p), t))
            if kind == "u8":
                report(f"Pillow reads {path.name}", lambda p=path, t=texels: check_same(read_pillow(p), t))
        elif path.suffix == ".exr":
            report(f"OpenEXR reads {path.name}", lambda p=path, t=texels: check_same(read_openexr(p), t))
        else:
            report(f"ktx-parse reads {path.name}", check_ktx2, path, kind, texels)


def ours_reads_pypng(bit_depth, texels):
    path = FOLDER / "pypng.png"
    height, width, _ = texels.shape
    with path.open("wb") as file:
        png.Writer(width, height, greyscale=False, alpha=True, bitdepth=bit_depth, gamma=0.45455).write(file, texels.reshape(height, width * 4))
    check_same(read_ours("png", path)[1], texels)


def ours_reads_openexr(kind, compression, texels):
    path = FOLDER / "openexr.exr"
    pixels = texels.view(EXR_TYPES[kind])
    OpenEXR.File({"compression": compression, "type": OpenEXR.scanlineimage}, {"RGBA": pixels}).write(str(path))
    found_kind, found = read_ours("exr", path)
    assert found_kind == kind, f"type {found_kind}"
    check_same(found, texels)


def ours_reads_theirs():
    for kind, depth in (("u8", 8), ("u16", 16)):
        report(f"ours reads pypng's {kind}", ours_reads_pypng, depth, load_texels(FOLDER / f"png{depth}_23x19.texels")[1])
    for kind in EXR_TYPES:
        texels = load_texels(FOLDER / f"exr{kind[1:]}_700x410.texels")[1]
        for name in ("NO", "RLE", "ZIPS", "ZIP", "PIZ"):
            report(f"ours reads OpenEXR's {kind} {name}", ours_reads_openexr, kind, getattr(OpenEXR, name + "_COMPRESSION"), texels)


def ours_reads_data(path):
    with OpenEXR.File(str(path)) as file:
        channels = file.channels()
        expected = numpy.stack([bits(channels[c].pixels) for c in "RGBA"], axis=-1) if "R" in channels else bits(channels["RGBA"].pixels)
    check_same(read_ours("exr", path)[1], expected)


def third_party():
    """RGBA textures that other bakers wrote: uncompressed half by Godot, ZIPS float by Houdini."""
    for name in ("godot_vat_kenney/offsets.exr", "houdini_vat2_rigid/vertex_animation_textures1_pos.exr",
                 "houdini_vat2_rigid/vertex_animation_textures1_rot.exr"):
        path = Path(os.environ["DATA"]) / "models/vat_textures" / name
        if not os.environ["DATA"] or not path.exists():
            print(f"skip data:ours reads {name}: no third-party data")
        else:
            report(f"data:ours reads {name}", ours_reads_data, path)


if not TOOL.exists():
    print(f"not ok image_tool: {TOOL} is not built")
    sys.exit(1)
theirs_reads_ours()
ours_reads_theirs()
third_party()
