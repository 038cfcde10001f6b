# SPDX-License-Identifier: MIT
"""Prints what the Alembic reference library reads in archives, a line each: "facts" and a JSON list in the order of the file.

usage: alembic_library.py FILE...       A program of its own, because a crash of the library must not end the test.
"""
import json
import sys


def plain(value):
    return [plain(x) for x in value] if hasattr(value, "__len__") and not isinstance(value, str) else repr(value)


def value_of(p, k):
    try:
        return plain(p.getValue(k))
    except Exception as error:  # the binding has no way to show some types; it must at least say so alike
        return repr(error)


def properties(compound, place, out):
    for i in range(compound.getNumProperties()):
        header, p = compound.getPropertyHeader(i), compound.getProperty(i)
        line = [place + header.getName(), header.getMetaData().serialize()]
        out.append(line)
        if header.isCompound():
            properties(p, place + header.getName() + "/", out)
            continue
        line += [str(header.getDataType()), p.getNumSamples(), p.isConstant()]
        for k in range(p.getNumSamples()):
            line.append(value_of(p, k))
            if header.isArray():
                line += [str(p.getDimension(k)), p.getKey(k)]


def objects(o, out):
    out.append([o.getFullName(), o.getMetaData().serialize(), o.getPropertiesHash(), o.getChildrenHash(), o.instanceSourcePath()])
    properties(o.getProperties(), o.getFullName() + ":", out)
    for i in range(o.getNumChildren()):
        objects(o.getChild(i), out)


def facts(path):
    from alembic3d import Abc
    archive, out = Abc.IArchive(path), []
    for i in range(archive.getNumTimeSamplings()):
        out.append([archive.getMaxNumSamplesForTimeSamplingIndex(i), plain(archive.getTimeSampling(i).getStoredTimes())])
    objects(archive.getTop(), out)
    return out


if __name__ == "__main__":
    for file in sys.argv[1:]:
        print("facts " + json.dumps(facts(file)), flush=True)
