#!/usr/bin/env python3
"""Writes the words of sentiment() as C tables: what src/exec/func/lexicon_private.h declares.

usage: embed_lexicon.py DATA_FOLDER OUTPUT.c

The folder holds lexicon_en.tsv and reviews_en.tsv (word, tab, valence from -4 to 4) and modifiers_en.tsv
(word, tab, kind, tab, amount); its README.md says which entries are left out, and why. Every word has a
slot of its own: words of one bucket share a multiplier, and the multipliers are tried until no two words
meet."""

import os
import re
import sys

# These stand in src/exec/func/lexicon_private.h as well, and the output asserts that they are the same.
FILTER_BITS = 17
BUCKET_BITS = 11
SLOT_BITS = 13
WORD_SIZE_MAX = 20
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD)

EMOTICON_SIZE_MAX = 4
KINDS = ["negation", "never", "least", "so", "booster", "before_of", "contrast", "not_after_as", "verb", "if_negated",
         "markup"]

U64 = (1 << 64) - 1
WORD = re.compile(r"[a-z][a-z0-9]*")
EMOTICON = re.compile(r"[:;=<][!-~]{1,3}")
# Shorter ones are chat abbreviations, and states, formats and initials in prose.
SHORT_WORDS = {"no", "ok", "ha"}


class Word:
    def __init__(self, text):
        self.text = text
        self.valence = 0
        self.kind = "plain"
        self.amount = 0

    def parts(self):
        padded = self.text.encode("ascii").ljust(24, b"\0")
        return [int.from_bytes(padded[start : start + 8], "little") for start in (0, 8, 16)]

    def hash(self):
        low, high, tail = self.parts()
        return (low * MULTIPLIERS[0] ^ high * MULTIPLIERS[1] ^ tail * MULTIPLIERS[2]) & U64


def spread(value):
    """The second hash, of words that passed the filter."""
    value ^= value >> 32
    return value * MULTIPLIERS[3] & U64


def bucket_of(word):
    return spread(word.hash()) >> (64 - BUCKET_BITS)


def slot_of(word, step):
    return ((spread(word.hash()) >> 8 & 0xFFFFFFFF) * (2 * step + 1) & 0xFFFFFFFF) >> (32 - SLOT_BITS)


def rows(path, columns):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != columns:
                sys.exit(f"{path}:{number}: {columns} columns were expected")
            yield (f"{path}:{number}", *fields)


def scaled(where, text, scale, limit):
    value = round(float(text) * scale)
    if abs(float(text) * scale - value) > 1e-6 or abs(value) > limit:
        sys.exit(f"{where}: {text} is out of range or has too many digits")
    return value


def add_lexicon(folder, words, emoticons):
    for where, text, valence in rows(os.path.join(folder, "lexicon_en.tsv"), 2):
        tenths = scaled(where, valence, 10, 40)
        if WORD.fullmatch(text) and (len(text) > 2 or text in SHORT_WORDS):
            words.setdefault(text, Word(text)).valence = tenths
        elif EMOTICON.fullmatch(text):
            emoticons.setdefault(text.lower(), tenths)


def add_reviews(folder, words):
    for where, text, valence in rows(os.path.join(folder, "reviews_en.tsv"), 2):
        if text in words or not WORD.fullmatch(text):
            sys.exit(f"{where}: {text} is in the lexicon already, or is no word")
        words[text] = Word(text)
        words[text].valence = scaled(where, valence, 10, 40)


def add_modifiers(folder, words):
    for where, text, kind, amount in rows(os.path.join(folder, "modifiers_en.tsv"), 3):
        word = words.setdefault(text, Word(text))
        if word.kind != "plain" or kind not in KINDS or not WORD.fullmatch(text):
            sys.exit(f"{where}: unknown kind, no word, or a second line for {text}")
        word.kind = kind
        word.amount = scaled(where, amount, 1000, 4000)


def place(words):
    """The multiplier of every bucket, and the word of every slot."""
    buckets = [[] for _ in range(1 << BUCKET_BITS)]
    for word in words:
        buckets[bucket_of(word)].append(word)
    steps = [0] * len(buckets)
    slots = [None] * (1 << SLOT_BITS)
    for index in sorted(range(len(buckets)), key=lambda i: -len(buckets[i])):
        for step in range(1 << 16):
            wanted = {slot_of(word, step) for word in buckets[index]}
            if len(wanted) == len(buckets[index]) and not any(slots[slot] for slot in wanted):
                break
        else:
            sys.exit("the words do not fit: raise SLOT_BITS")
        steps[index] = step
        for word in buckets[index]:
            slots[slot_of(word, step)] = word
    return steps, slots


def array(declaration, cells, a_line):
    lines = [" ".join(f"{cell}," for cell in cells[i : i + a_line]) for i in range(0, len(cells), a_line)]
    return f"const {declaration} = {{\n\t" + "\n\t".join(lines) + "\n};"


def entry(word):
    if not word:
        return "{0}"
    low, high, tail = word.parts()
    kind = f"WORD_{word.kind.upper()}"
    return f"{{{low:#x}, {high:#x}, {tail:#x}, {word.valence}, {kind}, {word.amount}}}"


def emoticon(text, valence):
    escaped = text.replace("\\", "\\\\")
    return f'{{"{escaped}", {len(text)}, {valence}}}'


def main():
    folder, output = sys.argv[1:]
    words, emoticons = {}, {}
    add_lexicon(folder, words, emoticons)
    add_reviews(folder, words)
    add_modifiers(folder, words)
    too_long = [text for text in words if len(text) > WORD_SIZE_MAX]
    if too_long:
        sys.exit(f"longer than {WORD_SIZE_MAX} letters: {too_long}")
    steps, slots = place([words[text] for text in sorted(words)])
    bits = [0] * (1 << FILTER_BITS >> 6)
    for word in words.values():
        bit = word.hash() >> (64 - FILTER_BITS)
        bits[bit >> 6] |= 1 << (bit & 63)
    # The longest first: ":-))" before ":-)".
    faces = sorted(emoticons.items(), key=lambda item: (-len(item[0]), item[0]))
    same = "".join(f"LEXICON_{name} == {value} && " for name, value in (
        ("FILTER_BITS", FILTER_BITS), ("BUCKET_BITS", BUCKET_BITS), ("SLOT_BITS", SLOT_BITS),
        ("WORD_SIZE_MAX", WORD_SIZE_MAX), ("EMOTICON_SIZE_MAX", EMOTICON_SIZE_MAX)))
    text = "\n\n".join([
        "/* Generated from data/sentiment/ by tools/embed_lexicon.py. */",
        '#include "exec/func/lexicon_private.h"',
        f'_Static_assert({same}1, "the generator and the header have different tables");',
        array("uint64_t lexicon_filter[1 << LEXICON_FILTER_BITS >> 6]", [f"{b:#x}" for b in bits], 4),
        array("uint16_t lexicon_steps[1 << LEXICON_BUCKET_BITS]", steps, 16),
        array("struct lexicon_word lexicon_words[1 << LEXICON_SLOT_BITS]", [entry(w) for w in slots], 1),
        array("struct lexicon_emoticon lexicon_emoticons[]", [emoticon(*face) for face in faces], 1),
        f"const uint32_t lexicon_emoticon_count = {len(faces)};",
    ])
    with open(output, "w", encoding="ascii") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    main()
