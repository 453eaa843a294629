# SPDX-License-Identifier: GPL-3.0-or-later
"""Our TFRecord files walked by a reader of its own, with Python's protobuf and
a CRC-32C by table; and files that these write, read by us.  TAP."""
import os
import re
import struct
import subprocess

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from content import content
from tap import TMP, ok, run

TOOL = os.path.join(os.environ["LB_TOP_BUILDDIR"], "tests/interop/make_dataset")


# ---- CRC-32C ----

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


# ---- tf.train.Example ----

def example_class():
    """From TensorFlow's public definition of the message."""
    file = descriptor_pb2.FileDescriptorProto(
        name="example.proto", package="tensorflow", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto

    def message(parent, name):
        m = parent.add()
        m.name = name
        return m

    def field(m, name, number, kind, of=None, repeated=False, oneof=False,
              packed=False):
        f = m.field.add()
        f.name, f.number, f.type = name, number, kind
        f.label = kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
        if of:
            f.type_name = ".tensorflow." + of
        if oneof:
            f.oneof_index = 0
        if packed:
            f.options.packed = True

    for name, kind in (("BytesList", kinds.TYPE_BYTES),
                       ("FloatList", kinds.TYPE_FLOAT),
                       ("Int64List", kinds.TYPE_INT64)):
        field(message(file.message_type, name), "value", 1, kind,
              repeated=True, packed=name != "BytesList")
    feature = message(file.message_type, "Feature")
    feature.oneof_decl.add().name = "kind"
    for i, name in enumerate(("BytesList", "FloatList", "Int64List")):
        field(feature, name[:-4].lower() + "_list", i + 1, kinds.TYPE_MESSAGE,
              name, oneof=True)
    features = message(file.message_type, "Features")
    entry = message(features.nested_type, "FeatureEntry")
    entry.options.map_entry = True
    field(entry, "key", 1, kinds.TYPE_STRING)
    field(entry, "value", 2, kinds.TYPE_MESSAGE, "Feature")
    field(features, "feature", 1, kinds.TYPE_MESSAGE, "Features.FeatureEntry",
          repeated=True)
    field(message(file.message_type, "Example"), "features", 1,
          kinds.TYPE_MESSAGE, "Features")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName("tensorflow.Example")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(found)
    return message_factory.MessageFactory(pool).GetPrototype(found)


Example = example_class()


def record(data):
    length = struct.pack("<Q", len(data))
    return (length + struct.pack("<I", masked_crc(length)) + data +
            struct.pack("<I", masked_crc(data)))


def serialized(image, size, **more):
    e = Example()
    e.features.feature["image"].bytes_list.value.append(image)
    e.features.feature["size"].int64_list.value.append(size)
    for name, values in more.items():
        e.features.feature[name].float_list.value.extend(values)
    return e.SerializeToString(deterministic=True)


def walk(data):
    """(offset, bytes, data) of each record, checksums checked."""
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        n, = struct.unpack("<Q", head)
        assert masked_crc(head) == struct.unpack_from("<I", data, at + 8)[0]
        body = data[at + 12:at + 12 + n]
        assert masked_crc(body) == struct.unpack_from("<I", data, at + 12 + n)[0]
        yield at, n + 16, body
        at += n + 16
    assert at == len(data)


# ---- both ways ----

def tool(what, path, samples, nbytes, index=0, which="train"):
    args = [TOOL, what, "tfrecord", path, samples, nbytes, "uint8", which, index]
    return subprocess.run([str(a) for a in args], capture_output=True,
                          text=True)


def index_of(path, which="train"):
    folder, name = os.path.split(path)
    return os.path.join(os.path.dirname(folder), "index", which, name + ".idx")


def ours(samples, nbytes, i, which):
    path = os.path.join(TMP, which, "img_%d_of_9.tfrecord" % i)
    r = tool("make", path, samples, nbytes, i, which)
    data = open(path, "rb").read()
    ok(r.returncode == 0 and int(r.stdout) == len(data),
       "%d x %d: size as planned %s" % (samples, nbytes, r.stderr))
    images, lines = [], ""
    try:
        for at, n, body in walk(data):
            e = Example.FromString(body)
            image, = e.features.feature["image"].bytes_list.value
            size, = e.features.feature["size"].int64_list.value
            assert sorted(e.features.feature) == ["image", "size"]
            assert size == len(image) == nbytes
            images.append(image)
            lines += "%d %d\n" % (at, n)
        ok(True, "%d x %d: checksums and features" % (samples, nbytes))
    except Exception as wrong:
        ok(False, "%d x %d: %r" % (samples, nbytes, wrong))
    set_number = 0 if which == "train" else 1
    ok(len(images) == samples and
       b"".join(images) == content(10, set_number, i, samples * nbytes),
       "%d x %d: the content" % (samples, nbytes))
    ok(data == b"".join(record(serialized(x, nbytes)) for x in images),
       "%d x %d: byte for byte as protobuf writes it" % (samples, nbytes))
    ok(open(index_of(path, which)).read() == lines,
       "%d x %d: the index" % (samples, nbytes))


def theirs():
    path = os.path.join(TMP, "train", "theirs.tfrecord")
    examples = [serialized(bytes([k]) * 500, 22) for k in range(6)]
    examples += [serialized(b"x" * n, n, box=[0.5] * 4) for n in (499, 501)]
    records = [record(e) for e in examples]
    with open(path, "wb") as f:
        f.write(b"".join(records))
    at, lines = 0, ""
    for r in records:
        lines += "%d %d\n" % (at, len(r))
        at += len(r)
    for how in ("no index", "an index"):
        if how == "an index":
            with open(index_of(path), "w") as f:
                f.write(lines)
        r = tool("read", path, len(examples), 500)
        m = re.search(r"payload (\d+) sample (\d+)", r.stdout)
        ok(r.returncode == 0 and m and m[1] == m[2] == "501",
           "protobuf's, %s: %s%s" % (how, r.stdout.strip(), r.stderr.strip()))
    with open(index_of(path), "w") as f:
        last = at - len(records[-1])
        f.write(lines.replace("\n%d " % last, "\n%d " % (last - 1)))
    r = tool("read", path, len(examples), 500)
    ok(r.returncode == 1 and path in r.stderr,
       "a wrong index: " + r.stderr.strip().replace(TMP, ""))


def main():
    for which in ("train", "valid"):
        os.makedirs(os.path.join(TMP, which))
        for i, (samples, nbytes) in enumerate(
                [(1, 1), (1, 114660), (7, 127), (7, 128), (100, 2500),
                 (3, 70000)]):
            ours(samples, nbytes, i, which)
    theirs()


run(main)
