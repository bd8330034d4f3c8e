# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Reads the declarations of one of our public headers. The compiler preprocesses, we split what
comes from that very file into declarations. Enough C for API headers, not more: what it does not
know it reports as an unknown declaration, so nothing slips through."""

import re
import subprocess
from pathlib import Path

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|\.\.\.|[^\s\w]')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DEFINE = re.compile(r"^\s*#\s*(define|undef)\s+(\w+)(\([^)]*\))?(.*)$", re.MULTILINE)
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"][^>\"]+[>\"])", re.MULTILINE)
MARKER = re.compile(r'^# \d+ "([^"]*)"')
CLOSING = {"(": ")", "[": "]", "{": "}"}


class UnknownDeclaration(Exception):
    """Something at file level that the reader cannot classify."""


def tokens(text):
    """The tokens of C text, a boolean spelled in one way."""
    return ["bool" if token == "_Bool" else token for token in TOKEN.findall(text)]


def spell(parts):
    """Tokens as text, so that spelling does not depend on layout."""
    return " ".join(parts)


def end_of_group(parts, start):
    """The index behind the bracket that closes the one at start."""
    depth = 0
    for index in range(start, len(parts)):
        if parts[index] in CLOSING:
            depth += 1
        elif parts[index] in CLOSING.values():
            depth -= 1
            if depth == 0:
                return index + 1
    raise UnknownDeclaration(spell(parts[start:start + 8]))


def take_attributes(parts):
    """Splits a declaration into itself without attributes, and the text of these."""
    plain, attributes, index = [], [], 0
    while index < len(parts):
        if parts[index] in ("__attribute__", "__attribute"):
            end = end_of_group(parts, index + 1)
            attributes += parts[index + 2:end - 1]
            index = end
        else:
            if parts[index] not in ("__extension__", "extern"):
                plain.append(parts[index])
            index += 1
    return plain, spell(attributes)


def split(parts):
    """Splits a file into declarations: up to a semicolon, or to the end of a function's body."""
    start = index = 0
    while index < len(parts):
        if parts[index] == ";":
            yield parts[start:index]
            start = index = index + 1
        elif parts[index] in CLOSING:
            begins_body = is_body(parts[start:index + 1])
            index = end_of_group(parts, index)
            if begins_body:
                yield parts[start:index]
                start = index
        else:
            index += 1
    if start != len(parts):
        raise UnknownDeclaration(spell(parts[start:start + 8]))


def is_body(parts):
    """Is this a function with its body?"""
    return "{" in parts and parts[parts.index("{") - 1] == ")"


class Header:
    """What one header declares. declarations: what ("function doca_x") -> its spelling."""

    def __init__(self, compiler, folders, name):
        self.path = next(Path(folder, name) for folder in folders if Path(folder, name).exists())
        self.name = name
        self.declarations = {}
        self.stability = {}    # function -> STABLE, EXPERIMENTAL, DEPRECATED, inline or unmarked
        self.enumerators = {}  # enum -> its names
        self._command = [*compiler, "-E", "-x", "c", *(f"-I{folder}" for folder in folders)]
        self._read_text()
        for declaration in split(tokens(self._own_lines())):
            self._add(*take_attributes(declaration))

    def _read_text(self):
        text = COMMENT.sub(" ", self.path.read_text(encoding="utf-8")).replace("\\\n", " ")
        self.includes = [name.strip('<>"') for name in INCLUDE.findall(text)]
        self.macros, self.undefined = {}, set()
        for directive, name, parameters, body in DEFINE.findall(text):
            if directive == "undef":
                self.undefined.add(name)
            elif body.strip() or parameters or not name.endswith("_H_"):  # else an include guard
                self.macros[name] = name + re.sub(r"\s+", "", parameters)

    def _preprocess(self, text):
        done = subprocess.run([*self._command, "-"], input=text, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise UnknownDeclaration(f"{self.name} does not preprocess: {done.stderr}")
        return done.stdout

    def _own_lines(self):
        lines, is_own = [], False
        own = self.path.resolve()
        for line in self._preprocess(f"#include <{self.name}>\n").splitlines():
            marker = MARKER.match(line)
            if marker:
                is_own = Path(marker.group(1)).resolve() == own
            elif is_own:
                lines.append(line)
        return "\n".join(lines)

    def expand(self, macros):
        """What object-like macros stand for: name -> spelling."""
        asked = "".join(f"@ {position} {name}\n" for position, name in enumerate(macros))
        output = self._preprocess(f"#include <{self.name}>\n{asked}").splitlines()
        answers = [line.split(maxsplit=2) for line in output if line.startswith("@ ")]
        return {macros[int(position)]: spell(tokens("".join(text)))
                for _, position, *text in answers}

    def _add(self, parts, attributes):
        if not parts:
            return
        kind = parts[0]
        if kind == "typedef":
            self._add_typedef(parts)
        elif kind in ("struct", "union", "enum") and len(parts) == 2:
            self.declarations[f"opaque {kind} {parts[1]}"] = ""
        elif kind in ("struct", "union", "enum") and parts[2] == "{" and parts[-1] == "}":
            self._add_members(kind, parts[1], parts[3:-1])
        elif parts[-1] == ")" or is_body(parts):
            self._add_function(parts, attributes)
        elif kind == "static":
            before = parts.index("=") if "=" in parts else len(parts)
            self.declarations[f"variable {parts[before - 1]}"] = ""
        else:
            raise UnknownDeclaration(spell(parts[:12]))

    def _add_typedef(self, parts):
        name = parts[-1]
        if name == ")":  # a function or a pointer to one: the name is before the parameters
            first = parts.index("(")
            name = parts[first + 2] if parts[first + 1] == "*" else parts[first - 1]
        self.declarations[f"typedef {name}"] = spell(parts)

    def _add_members(self, kind, name, parts):
        if kind == "enum":
            self.enumerators[name] = [part for before, part in zip([","] + parts, parts)
                                      if before == "," and re.match(r"[A-Za-z_]", part)]
            self.declarations[f"enum {name}"] = ""
        else:
            self.declarations[f"{kind} {name}"] = spell(parts)

    def _add_function(self, parts, attributes):
        is_inline = parts[-1] == "}"
        if is_inline:
            parts = parts[:parts.index("{")]
        name = parts[parts.index("(") - 1]
        if is_inline:
            self.stability[name] = "inline" if parts[:2] == ["static", "inline"] else "body"
            parts = [part for part in parts if part not in ("static", "inline")]
        else:
            self.stability[name] = stability(attributes)
        self.declarations[f"function {name}"] = spell(parts)


def stability(attributes):
    """Which of the markers of doca_compat.h stands before a function."""
    if "visibility" not in attributes or "used" not in attributes:
        return "unmarked"
    for marker in "EXPERIMENTAL", "DEPRECATED":
        if f".text.{marker.lower()}" in attributes:
            return marker if "deprecated (" in attributes else "unmarked"
    return "STABLE"
