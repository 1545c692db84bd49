#!/usr/bin/env python3
"""Calls that are banned, functions that have grown too long or that nobody else calls, tags that mean
two things, and (a warning) files that have grown too long."""

import glob
import re
import sys

# Unbounded writes, hidden state, control flow that skips cleanup, and a shell.
BANNED = (
    "strcpy strcat sprintf vsprintf gets strtok atoi atol rand srand alloca setjmp longjmp system"
).split()
BANNED_CALL = re.compile(r"(?<![\w.>])(" + "|".join(BANNED) + r")\s*\(")
INCLUDED_SOURCE = re.compile(r'^\s*#\s*include\s*[<"][^">]*\.c[">]')
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX)\b")

# One word means one thing in the whole tree.
TAG = re.compile(r"^(?:struct|enum|union) (\w+) \{", re.M)
DECLARATION = re.compile(r"^(?!typedef|static)[a-zA-Z_][\w \t*]*?(\w+)\([^;{}]*\)[^;{}]*;", re.M)
WORD = re.compile(r"\w+")

FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70


def blank(match):
    """Keeps the line numbers of what is taken out."""
    return "\n" * match.group(0).count("\n") or " "


def code_only(text):
    """The text without comments and without the insides of literals."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def replace(match):
        found = match.group(0)
        if found.startswith("/"):
            return blank(match)
        return found[0] + found[0]

    return re.sub(pattern, replace, text, flags=re.S)


def check_functions(path, lines, errors):
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start - 1 > FUNCTION_LINES_MAX:
                errors.append(
                    f"{path}:{start}: a function of {number - start - 1} lines;"
                    f" {FUNCTION_LINES_MAX} is the most: part it"
                )
            start = None


def check_tags(codes, errors):
    """No struct, enum or union of src/ has the tag of another one."""
    where = {}
    for path, code in codes.items():
        if not path.startswith("src/"):
            continue
        for match in TAG.finditer(code):
            tag = match.group(1)
            if tag in where:
                errors.append(f"{path}: the tag {tag} is also that of something in {where[tag]}")
            where.setdefault(tag, path)


def check_callers(codes, errors):
    """What a header of src/ declares is used by more than the file that defines it."""
    users = {}
    for path, code in codes.items():
        for word in set(WORD.findall(code)):
            users.setdefault(word, set()).add(path)
    for path, code in codes.items():
        if not (path.startswith("src/") and path.endswith(".h")):
            continue
        for match in DECLARATION.finditer(code):
            name = match.group(1)
            others = users[name] - {path}
            if len(others) < 2 and len(re.findall(rf"\b{name}\b", code)) < 2:
                errors.append(f"{path}: nobody calls {name} from outside: make it static, or delete it")


def main():
    errors, warnings, codes = [], [], {}
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True) + glob.glob("tests/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for number, line in enumerate(text.split("\n"), 1):
            if INCLUDED_SOURCE.match(line):
                errors.append(f"{path}:{number}: includes a .c file")
            if LEFTOVER.search(line):
                errors.append(f"{path}:{number}: unfinished: {line.strip()}")
        codes[path] = code_only(text)
        lines = codes[path].split("\n")
        for number, line in enumerate(lines, 1):
            for match in BANNED_CALL.finditer(line):
                errors.append(f"{path}:{number}: {match.group(1)}() is banned")
        if len(lines) - 1 > FILE_LINES_MAX:
            warnings.append(f"{path}: a file of {len(lines) - 1} lines")
        check_functions(path, lines, errors)
    check_tags(codes, errors)
    check_callers(codes, errors)
    for warning in warnings:
        print(f"warning: {warning}")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
