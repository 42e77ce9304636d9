"""Valid messages with a few fields changed, doubled, swapped or lost."""

import math
import random

from google.protobuf.descriptor import FieldDescriptor

INTEGERS = {
    FieldDescriptor.TYPE_INT32: 31,
    FieldDescriptor.TYPE_INT64: 63,
    FieldDescriptor.TYPE_SINT64: 63,
}


def repeated(message, field):
    return hasattr(getattr(message, field.name), "extend")


def messages_in(message):
    """Give a message and all that are in it."""
    yield message
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if repeated(message, field) else [value]:
                yield from messages_in(inner)


class Mutator:
    """Changes messages, with values and parts of others of the same kind."""

    def __init__(self, corpus, seed):
        self._random = random.Random(seed)
        self._parts = {}
        self._values = {}
        for message in corpus:
            for part in messages_in(message):
                self._parts.setdefault(part.DESCRIPTOR.name, []).append(part)
                for field, value in part.ListFields():
                    if field.type != FieldDescriptor.TYPE_MESSAGE:
                        found = value if repeated(part, field) else [value]
                        self._values.setdefault(field.type, set()).update(found)
        self._sorted = {kind: sorted(found) for kind, found in self._values.items()}

    def mutate(self, message):
        """Change one field of a message, and return what was done."""
        parts = [part for part in messages_in(message) if part.DESCRIPTOR.fields]
        part = self._random.choice(parts)
        set_fields = [field for field, _ in part.ListFields()]
        fields = set_fields if set_fields and self._chance(0.8) else None
        field = self._random.choice(fields or list(part.DESCRIPTOR.fields))
        done = self._change_list if repeated(part, field) else self._change_single
        return f"{part.DESCRIPTOR.name}.{field.name}: {done(part, field)}"

    def _chance(self, share):
        return self._random.random() < share

    def _change_single(self, part, field):
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if self._chance(0.3):
                part.ClearField(field.name)
                return "cleared"
            getattr(part, field.name).CopyFrom(self._part(field))
            return "another one"
        if self._chance(0.1):
            part.ClearField(field.name)
            return "cleared"
        value = self._value(field, getattr(part, field.name))
        setattr(part, field.name, value)
        return repr(value)

    def _change_list(self, part, field):
        items = getattr(part, field.name)
        is_message = field.type == FieldDescriptor.TYPE_MESSAGE
        kept = list(items)
        if is_message:
            kept = [type(i).FromString(i.SerializeToString()) for i in items]
        what = self._random.choice(["delete", "double", "swap", "add", "change"])
        if not kept and what != "add":
            what = "add"
        at = self._random.randrange(len(kept)) if kept else 0
        if what == "delete":
            del kept[at]
        elif what == "double":
            kept.insert(at, kept[at])
        elif what == "swap":
            other = self._random.randrange(len(kept))
            kept[at], kept[other] = kept[other], kept[at]
        else:
            new = self._part(field) if is_message else self._value(field, at)
            kept[at : at + (what == "change")] = [new]
        del items[:]
        items.extend(kept)
        return f"{what} at {at}"

    def _part(self, field):
        kind = field.message_type
        known = self._parts.get(kind.name)
        return self._random.choice(known) if known else kind._concrete_class()

    def _value(self, field, now):
        if field.type in INTEGERS:
            limit = 2 ** INTEGERS[field.type] - 1
            near = [now - 1, now + 1, -1, 0, 1, 2, 3, 7, 1000, limit, -limit - 1]
            value = self._random.choice([*near, *self._known(field)[:20]])
            return max(-limit - 1, min(limit, value))
        if field.type == FieldDescriptor.TYPE_BOOL:
            return not now
        if field.type == FieldDescriptor.TYPE_DOUBLE:
            return self._random.choice([0.0, -1.5, 1e300, math.nan, math.inf])
        if field.type == FieldDescriptor.TYPE_STRING:
            return self._random.choice([*self._known(field), "", "x", "9" * 90])
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self._random.choice([*self._known(field), b"", b"\xff", bytes(8)])
        return 1

    def _known(self, field):
        return self._sorted.get(field.type, [])
