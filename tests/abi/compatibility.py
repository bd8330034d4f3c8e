# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""docs/compatibility.md says of each call what is true: whether it is built, how many of its
documented error codes the tests provoke, and which codes cannot occur here.

A code counts as provoked where a test expects it of the call by name:

    EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_BAD_STATE);
    EXPECT_OUT_OF_MEMORY(doca_mmap_create(&mmap), DOCA_ERROR_NO_MEMORY, ...);
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import tables

EXPECTATION = re.compile(r"\b(?:EXPECT|ASSERT)_(?:EQ|OUT_OF_MEMORY)\(")
CALL = re.compile(r"\s*(\w+)\(")
CODE = re.compile(r"\s*DOCA_ERROR_(\w+)\s*$")
ALIASES = {
    "start": "doca_argp_start",  # in the tests of argp: it fills in argc and argv
    "export_code": "doca_mmap_export_pci",
    "import_code": "doca_mmap_create_from_export",
}
ROW = re.compile(r"\| `doca_\w+` \| (yes|no|declared) \|")
REASON = re.compile(r"(?:^|; )((?:[A-Z][A-Z_]+(?:, )?)+): ")


def error_names():
    """The codes without their prefix."""
    for row in tables.types():
        if row["name"] == "doca_error":
            return {member.split("=")[0].strip().removeprefix("DOCA_ERROR_")
                    for member in row["members_or_value"].split(";")}
    sys.exit("the tables have no enum doca_error")


def documented_codes():
    """Function -> the codes that its documentation lists."""
    names = error_names() - {"DOCA_SUCCESS"}
    found = {}
    for row in tables.functions():
        parts = (part.split(":")[0].strip() for part in (row["errors"] or "").split(";"))
        found[row["function"]] = {part for part in parts if part in names}
    return found


def arguments(text, begin):
    """The arguments of a call whose "(" is before begin, at most the first two."""
    found, depth, start = [], 0, begin
    for at in range(begin, len(text)):
        if text[at] in "([{":
            depth += 1
        elif depth > 0 and text[at] in ")]}":
            depth -= 1
        elif depth == 0 and text[at] in ",)":
            found.append(text[start:at])
            start = at + 1
            if text[at] == ")" or len(found) == 2:
                break
    return found


def provoked_codes(folder):
    """Function -> the codes that a test expects of it; of tests that are run."""
    found = defaultdict(set)
    registered = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("meson.build"))
    for path in sorted(folder.rglob("*_test.cpp")):
        if not re.search(f"['/]{re.escape(path.name)}'", registered):
            continue
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for match in EXPECTATION.finditer(text):
            given = arguments(text, match.end())
            if len(given) < 2:
                continue
            call, code = CALL.match(given[0]), CODE.match(given[1])
            if call and code:
                found[ALIASES.get(call.group(1), call.group(1))].add(code.group(1))
    return found


def table_rows(page):
    """The cells of each row | `call` | built | codes | cannot occur here | differences |."""
    for line in page.splitlines():
        if ROW.match(line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) != 5:
                sys.exit(f"docs/compatibility.md: {len(cells)} cells instead of 5: {line}")
            yield [cells[0].strip("`"), *cells[1:]]


def words(codes):
    return ", ".join(sorted(codes))


def codes_text(documented, provoked):
    """How the third column begins; it may go on with codes that no documentation lists."""
    return f"{len(documented & provoked)} of {len(documented)}" if documented else "none documented"


def check_row(row, documented, provoked):
    built, codes, reasons = row[1:4]
    if built != "yes":
        if codes or reasons:
            yield "the columns of codes are for calls that are built"
        return
    count, _, others = codes.partition("; also ")
    if count != codes_text(documented, provoked):
        yield f'"{count}" documented codes, but it is "{codes_text(documented, provoked)}"'
    untrue = set(others.split(", ") if others else ()) - (provoked - documented)
    if untrue:
        yield f"also {words(untrue)}: documented, or provoked by no test"
    named = {code for group in REASON.findall(reasons) for code in group.split(", ")}
    if named != documented - provoked:
        yield (f"cannot occur: [{words(named)}], but the documented codes that no test provokes "
               f"are [{words(documented - provoked)}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--root", type=Path, required=True, help="the source tree")
    root = parser.parse_args().root

    documented = documented_codes()
    provoked = provoked_codes(root / "tests")
    page = (root / "docs" / "compatibility.md").read_text(encoding="utf-8")
    rows = list(table_rows(page))
    seen = Counter(row[0] for row in rows)
    failures = [f"{name}: has no row" for name in documented if name not in seen]
    failures += [f"{name}: is in no table" for name in seen if name not in documented]
    failures += [f"{name}: has {num} rows" for name, num in seen.items() if num > 1]
    for row in rows:
        failures += [f"{row[0]}: {text}" for text in
                     check_row(row, documented.get(row[0], set()), provoked[row[0]])]
    if failures:
        return "docs/compatibility.md, " + "\ndocs/compatibility.md, ".join(failures)
    built = [row for row in rows if row[1] == "yes"]
    total = sum(len(documented[row[0]]) for row in built)
    reached = sum(len(documented[row[0]] & provoked[row[0]]) for row in built)
    print(f"{len(rows)} calls, {len(built)} of them built: {reached} of {total} documented codes "
          f"are provoked, {total - reached} cannot occur here")
    return 0


if __name__ == "__main__":
    sys.exit(main())
