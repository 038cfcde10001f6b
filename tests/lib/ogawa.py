# SPDX-License-Identifier: MIT
"""Reads Ogawa (Alembic) files without the library, recomputes every key and hash, and prints what it found as plain dictionaries.

read(path) gives an Archive; check(archive) what contradicts the stored keys and hashes; document(archive) the facts as JSON-like values.
"""
import struct
from dataclasses import dataclass, field

PODS = ("bool_t", "uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "float16_t", "float32_t",
        "float64_t", "string", "wstring")
FORMATS = "BBbHhIiQqefd"
DOUBLE, STRING, WSTRING = 11, 12, 13
COMPOUND, SCALAR, ARRAY, SCALAR_LIKE = range(4)
EMPTY_DATA = 1 << 63
ACYCLIC = float.fromhex("0x1.fffffffffffffp+1018")  # DBL_MAX / 32
M64 = (1 << 64) - 1


def rotate(x, by):
    return (x << by | x >> (64 - by)) & M64


# ---- MurmurHash3 x64 128 and SpookyHash V2 ------------------------------------------------------------------------------------------------

def finish(k):
    k = (k ^ k >> 33) * 0xFF51AFD7ED558CCD & M64
    k = (k ^ k >> 33) * 0xC4CEB9FE1A85EC53 & M64
    return k ^ k >> 33


def murmur(data, length=None):
    """The 16-byte key of a payload.  length: what is hashed and mixed in where that is not the payload's own."""
    length = len(data) if length is None else length
    c1, c2, h1, h2 = 0x87C37B91114253D5, 0x4CF5AD432745937F, 0, 0
    whole = length // 16 * 16
    for k1, k2 in struct.iter_unpack("<QQ", data[:whole]):
        h1 ^= rotate(k1 * c1 & M64, 31) * c2 & M64
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52DCE729 & M64
        h2 ^= rotate(k2 * c2 & M64, 33) * c1 & M64
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495AB5 & M64
    k1, k2 = struct.unpack("<QQ", data[whole:length].ljust(16, b"\0"))
    h1 ^= rotate(k1 * c1 & M64, 31) * c2 & M64
    h2 ^= rotate(k2 * c2 & M64, 33) * c1 & M64
    h1, h2 = h1 ^ length, h2 ^ length
    h1 = h1 + h2 & M64
    h2 = h2 + h1 & M64
    h1, h2 = finish(h1), finish(h2)
    h1 = h1 + h2 & M64
    return struct.pack("<QQ", h1, h2 + h1 & M64)


SPOOKY = 0xDEADBEEFDEADBEEF
SHORT_MIX = (50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36)
SHORT_END = (15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63)
MIX = (11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46)
END = (44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54)


def short_mix(s):
    for i, by in enumerate(SHORT_MIX):
        k = (i + 2) % 4
        s[k] = rotate(s[k], by) + s[(k + 1) % 4] & M64
        s[(k + 2) % 4] ^= s[k]


def short_end(a, b, c, d):
    s = [a, b, c, d]
    for i, by in enumerate(SHORT_END):
        k = (i + 3) % 4
        s[k] ^= s[k - 1]
        s[k - 1] = rotate(s[k - 1], by)
        s[k] = s[k] + s[k - 1] & M64
    return s[0], s[1]


def spooky_short(data):
    s = [0, 0, SPOOKY, SPOOKY]
    at, left = 0, len(data)
    while left >= 32:
        w = struct.unpack_from("<4Q", data, at)
        s[2], s[3] = s[2] + w[0] & M64, s[3] + w[1] & M64
        short_mix(s)
        s[0], s[1] = s[0] + w[2] & M64, s[1] + w[3] & M64
        at, left = at + 32, left - 32
    if left >= 16:
        w = struct.unpack_from("<2Q", data, at)
        s[2], s[3] = s[2] + w[0] & M64, s[3] + w[1] & M64
        short_mix(s)
        at, left = at + 16, left - 16
    s[3] = s[3] + (len(data) << 56) & M64
    w = struct.unpack("<2Q", bytes(data[at:]).ljust(16, b"\0")) if left else (SPOOKY, SPOOKY)
    s[2], s[3] = s[2] + w[0] & M64, s[3] + w[1] & M64
    return struct.pack("<QQ", *short_end(*s))


def spooky(data):
    if len(data) < 192:
        return spooky_short(data)
    s = [0, 0, SPOOKY] * 4
    whole = len(data) // 96 * 96
    for w in struct.iter_unpack("<12Q", data[:whole]):
        for i, by in enumerate(MIX):
            s[i] = s[i] + w[i] & M64
            s[(i + 2) % 12] ^= s[(i + 10) % 12]
            s[(i + 11) % 12] ^= s[i]
            s[i] = rotate(s[i], by)
            s[(i + 11) % 12] = s[(i + 11) % 12] + s[(i + 1) % 12] & M64
    rest = bytearray(data[whole:].ljust(96, b"\0"))
    rest[95] = len(data) - whole
    s = [(a + b) & M64 for a, b in zip(s, struct.unpack("<12Q", rest))]
    for _ in range(3):
        for i, by in enumerate(END):
            s[(i + 11) % 12] = s[(i + 11) % 12] + s[(i + 1) % 12] & M64
            s[(i + 2) % 12] ^= s[(i + 11) % 12]
            s[(i + 1) % 12] = rotate(s[(i + 1) % 12], by)
    return struct.pack("<QQ", s[0], s[1])


# ---- what a file holds ---------------------------------------------------------------------------------------------------------------------

@dataclass
class Sample:
    """A stored one: offset 0 and no key where it is empty."""
    offset: int
    key: bytes
    payload: bytes
    dims: tuple  # as stored; empty: not stored


@dataclass
class Property:
    name: str
    meta: str
    info: int  # header word without width hint and metadata index
    hint: int
    pod: int = 0
    extent: int = 0
    sampling: int = 0
    count: int = 0
    first: int = 0
    last: int = 0
    stored: list = field(default_factory=list)
    children: list = field(default_factory=list)

    @property
    def kind(self):
        return self.info & 3

    def sample(self, i):
        if self.first == self.last == 0 or i < self.first:
            return self.stored[0]
        return self.stored[self.last - self.first + 1 if i >= self.last else i - self.first + 1]


@dataclass
class Object:
    name: str
    path: str
    meta: str
    properties: list
    children: list
    hashes: bytes


@dataclass
class Sampling:
    most: int
    cycle: float
    times: tuple

    @property
    def kind(self):
        return "acyclic" if self.cycle == ACYCLIC else "uniform" if len(self.times) == 1 else "cyclic"


@dataclass
class Archive:
    version: int
    meta: str
    samplings: list
    top: Object
    size: int


class Reader:
    def __init__(self, data):
        self.data = data
        if data[:5] != b"Ogawa" or data[5] != 0xFF or data[6:8] != b"\0\1":
            raise ValueError("not a closed Ogawa file")
        root = self.group(struct.unpack_from("<Q", data, 8)[0])
        self.table = [""]
        table, at = self.bytes(root[5]), 0
        while at < len(table):
            self.table.append(table[at + 1:at + 1 + table[at]].decode())
            at += 1 + table[at]
        if struct.unpack("<i", self.bytes(root[0]))[0] != 0:
            raise ValueError("unknown version of the archive layer")
        samplings, times, at = [], self.bytes(root[4]), 0
        while at < len(times):
            most, cycle, count = struct.unpack_from("<IdI", times, at)
            samplings.append(Sampling(most, cycle, struct.unpack_from(f"<{count}d", times, at + 16)))
            at += 16 + 8 * count
        meta = self.bytes(root[3]).decode()
        self.archive = Archive(struct.unpack("<i", self.bytes(root[1]))[0], meta, samplings, self.object("ABC", "/", meta, root[2]), len(data))

    def group(self, child):
        if child & EMPTY_DATA:
            raise ValueError("a data node where a group was expected")
        if child == 0:
            return ()
        count = struct.unpack_from("<Q", self.data, child)[0]
        return struct.unpack_from(f"<{count}Q", self.data, child + 8)

    def bytes(self, child):
        if not child & EMPTY_DATA:
            raise ValueError("a group where a data node was expected")
        at = child & ~EMPTY_DATA
        if at == 0:
            return b""
        size = struct.unpack_from("<Q", self.data, at)[0]
        if at + 8 + size > len(self.data):
            raise ValueError("a data node reaches past the end")
        return self.data[at + 8:at + 8 + size]

    def object(self, name, path, meta, child):
        group = self.group(child)
        tail = self.bytes(group[-1])
        headers, at = tail[:-32], 0
        children = []
        for member in group[1:-1]:
            length = struct.unpack_from("<I", headers, at)[0]
            child_name = headers[at + 4:at + 4 + length].decode()
            at += 4 + length
            index = headers[at]
            at += 1
            if index == 255:
                length = struct.unpack_from("<I", headers, at)[0]
                child_meta = headers[at + 4:at + 4 + length].decode()
                at += 4 + length
            else:
                child_meta = self.table[index]
            children.append(self.object(child_name, path.rstrip("/") + "/" + child_name, child_meta, member))
        if at != len(headers):
            raise ValueError(f"{path}: {len(headers) - at} bytes after the last object header")
        return Object(name, path, meta, self.compound(group[0]), children, tail[-32:])

    def compound(self, child):
        group = self.group(child)
        if not group:
            return []
        headers, at = self.bytes(group[-1]), 0
        properties = []

        def small():
            nonlocal at
            at += 1 << hint
            return int.from_bytes(headers[at - (1 << hint):at], "little")

        def text():
            nonlocal at
            length = small()
            at += length
            return headers[at - length:at].decode()

        for member in group[:-1]:
            info = struct.unpack_from("<I", headers, at)[0]
            at += 4
            hint, index = info >> 2 & 3, info >> 20 & 255
            p = Property("", "", info & ~0xFF0000C & 0xFFFFFFFF, hint)
            if p.kind != COMPOUND:
                p.pod, p.extent, p.count = info >> 4 & 15, info >> 12 & 255, small()
                p.first, p.last = (small(), small()) if info & 0x200 else (0, 0) if info & 0x800 else (1, p.count - 1)
                p.sampling = small() if info & 0x100 else 0
            p.name = text()
            p.meta = text() if index == 255 else self.table[index]
            if p.kind == COMPOUND:
                p.children = self.compound(member)
            else:
                p.stored = self.samples(p, self.group(member))
            properties.append(p)
        if at != len(headers):
            raise ValueError(f"{len(headers) - at} bytes after the last property header")
        return properties

    def samples(self, p, group):
        step = 1 if p.kind == SCALAR else 2
        stored = []
        for i in range(0, len(group), step):
            node = self.bytes(group[i])
            dims = self.bytes(group[i + 1]) if step == 2 else b""
            stored.append(Sample(group[i] & ~EMPTY_DATA, node[:16], node[16:], struct.unpack(f"<{len(dims) // 8}Q", dims)))
        wanted = 0 if p.count == 0 else 1 if p.last == 0 else p.last - p.first + 2
        if len(stored) != wanted:
            raise ValueError(f"{p.name}: {len(stored)} samples are stored where the header wants {wanted}")
        return stored


def read(path):
    with open(path, "rb") as file:
        return Reader(file.read()).archive


# ---- facts ---------------------------------------------------------------------------------------------------------------------------------

def number(p, x):
    """Half and single floats by nine digits, which tell them all apart; what JSON has no number for as text."""
    return str(x) if x != x or x in (float("inf"), float("-inf")) else x if p.pod == DOUBLE else float(f"{x:.9g}")


def values(p, payload):
    """Strings or numbers of a payload, in one flat list."""
    if p.pod == STRING:
        return [part.decode("utf-8", "surrogateescape") for part in payload.split(b"\0")[:-1]]
    if p.pod == WSTRING:
        units = struct.unpack(f"<{len(payload) // 4}I", payload)
        return "".join(map(chr, units)).split("\0")[:-1]
    numbers = struct.unpack(f"<{len(payload) // struct.calcsize(FORMATS[p.pod])}{FORMATS[p.pod]}", payload)
    return [number(p, x) for x in numbers] if FORMATS[p.pod] in "efd" else list(numbers)


def dimensions(p, sample):
    """The dimensions a reader sees: the stored ones unless there are none, they do not fit, or there are no values."""
    size = 0 if p.pod >= STRING else struct.calcsize(FORMATS[p.pod]) * p.extent
    points = len(values(p, sample.payload)) // p.extent if not size else -(-len(sample.payload) // size)
    product = 1
    for dim in sample.dims:
        product *= dim
    return sample.dims if sample.dims and product == points > 0 else (points,)


def metadata(text):
    pairs = {}
    for part in filter(None, text.split(";")):
        key, _, value = part.partition("=")
        pairs.setdefault(key, value)
    return pairs


def property_document(p):
    if p.kind == COMPOUND:
        return {"name": p.name, "meta": metadata(p.meta), "kind": "compound", "props": [property_document(c) for c in p.children]}
    out = {"name": p.name, "meta": metadata(p.meta), "kind": "scalar" if p.kind == SCALAR else "array", "pod": PODS[p.pod],
           "extent": p.extent, "ts": p.sampling, "num_samples": p.count, "constant": p.first == p.last == 0}
    samples = [p.sample(i) for i in range(p.count)]
    if p.kind == SCALAR:
        out["samples"] = [values(p, s.payload) for s in samples]
    else:
        out["scalar_like"] = p.kind == SCALAR_LIKE
        out["samples"] = [{"dims": list(dimensions(p, s)), "key": (s.key or bytes(16)).hex(), "v": values(p, s.payload)} for s in samples]
    return out


def object_document(o):
    return {"name": o.name, "path": o.path, "meta": metadata(o.meta), "props_hash": o.hashes[:16].hex(), "children_hash": o.hashes[16:].hex(),
            "props": [property_document(p) for p in o.properties], "children": [object_document(c) for c in o.children]}


def document(archive):
    samplings = [{"max_samples": t.most, "ts": {"type": t.kind, "per_cycle": None if t.kind == "acyclic" else t.cycle,
                                                "stored": list(t.times)}} for t in archive.samplings]
    return {"abc_version": archive.version, "meta": metadata(archive.meta), "time_samplings": samplings, "top": object_document(archive.top)}


# ---- keys and hashes recomputed ------------------------------------------------------------------------------------------------------------

def sample_key(p, payload):
    if not payload:
        return b""
    return murmur(payload, len(payload) // 4) if p.pod == WSTRING else murmur(payload)


def property_hash(p, archive, findings, place):
    if p.kind == COMPOUND:
        hashes = b"".join(property_hash(c, archive, findings, f"{place}/{c.name}") for c in p.children)
        return spooky(hashes + p.name.encode() + p.meta.encode())
    for i, s in enumerate(p.stored):
        if s.key != sample_key(p, s.payload):
            findings.append(f"{place}: the key of stored sample {i} is not that of its bytes")
    t = archive.samplings[p.sampling]
    out = p.name.encode() + p.meta.encode() + bytes([p.pod, p.extent] + ([0] if p.kind == SCALAR else []))
    out += struct.pack("<dI", t.cycle, len(t.times)) + struct.pack(f"<{len(t.times)}d", *t.times)
    acc = None
    for i in range(p.count):
        s = p.sample(i)
        digest = s.key or bytes(16)
        if p.kind != SCALAR:
            dims = s.dims or dimensions(p, s)
            digest = spooky(struct.pack(f"<{len(dims)}Q", *dims) + digest)
        words = struct.unpack("<QQ", digest)
        acc = words if acc is None else short_end(*acc, *words)
    return spooky(out + (struct.pack("<QQ", *acc) if acc else b""))


def object_hash(o, archive, findings):
    kids = b"".join(object_hash(c, archive, findings) for c in o.children)
    props = spooky(b"".join(property_hash(p, archive, findings, f"{o.path}:{p.name}") for p in o.properties))
    if o.hashes[:16] != props:
        findings.append(f"{o.path}: the hash of its properties differs")
    if o.hashes[16:] != (spooky(kids) if o.children else bytes(16)):
        findings.append(f"{o.path}: the hash of its children differs")
    return spooky(kids + props + o.meta.encode() + o.name.encode())


def check(archive):
    """What contradicts the stored keys and hashes, a sentence each."""
    findings = []
    object_hash(archive.top, archive, findings)
    return findings
