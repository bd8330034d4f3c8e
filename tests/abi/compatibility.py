# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""docs/compatibility.md says of each call what is true: whether it is built, how many of its
documented error codes the tests provoke, and which codes cannot occur here.

A code counts as provoked where a test expects it of the call by name:

    EXPECT_EQ(doca_mmap_start(mmap), DOCA_ERROR_BAD_STATE);
    EXPECT_OUT_OF_MEMORY(doca_mmap_create(&mmap), DOCA_ERROR_NO_MEMORY, ...);

or by names that stand for these, in this file or in tests/support:

    constexpr doca_error_t kInvalid = DOCA_ERROR_INVALID_VALUE;
    #define EXPECT_INVALID(call) EXPECT_EQ(call, DOCA_ERROR_INVALID_VALUE)
    const auto alloc = doca_comch_client_task_send_alloc_init;
    for (const auto get : {doca_comch_cap_get_max_name_len, doca_comch_cap_get_max_msg_size})
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import tables

EXPECTATION = re.compile(r"\b(?:EXPECT|ASSERT)_(?:EQ|OUT_OF_MEMORY)\(")
CALL = re.compile(r"\s*((?:\w+(?:\.|->))?\w+)\(")
CODE = re.compile(r"\s*(\w+)\s*$")
CONSTANT = re.compile(r"constexpr doca_error_t (\w+) = DOCA_ERROR_(\w+);")
MACRO = re.compile(r"^#define (EXPECT_\w+)\(call\) EXPECT_EQ\(call, DOCA_ERROR_(\w+)\)$",
                   re.MULTILINE)
NAMED = re.compile(r"const auto (\w+) = (doca_\w+);"
                   r"|for \(const \w+ (\w+)\s*:\s*\{([\w,\s]+)\}\)")
# What the tests' own functions and objects call.
ALIASES = {
    "start": ["doca_argp_start"],  # in the tests of argp: it fills in argc and argv
    "export_code": ["doca_mmap_export_pci"],
    "import_code": ["doca_mmap_create_from_export"],
    "own.start": ["doca_ctx_start"],  # own: a server or client that is there for the test
    "own.stop": ["doca_ctx_stop"],
    "own.disconnect": ["doca_comch_server_disconnect"],
    "own.try_send": ["doca_comch_server_task_send_alloc_init",
                     "doca_comch_client_task_send_alloc_init"],
    "connection_code": ["doca_comch_client_get_connection"],
    "consumer.destroy": ["doca_comch_consumer_destroy"],
    "producer.destroy": ["doca_comch_producer_destroy"],
}
ROW = re.compile(r"\| `doca_\w+` \| (yes|no) \|")
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


def text_of(path):
    return re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))


def constants(text):
    """Names that stand for codes."""
    return dict(CONSTANT.findall(text))


def expectations(text, codes):
    """The position, call and code of each expectation of a file."""
    macros = dict(MACRO.findall(text))
    form = re.compile("|".join([EXPECTATION.pattern, *(rf"\b{name}\(" for name in macros)]))
    for match in form.finditer(text):
        given = arguments(text, match.end())
        macro = macros.get(match.group().rstrip("("))
        call = CALL.match(given[0]) if given else None
        code = CODE.match(given[1]) if len(given) > 1 else None
        if call and macro:
            yield match.start(), call.group(1), macro
        elif call and code and code.group(1).startswith("DOCA_ERROR_"):
            yield match.start(), call.group(1), code.group(1).removeprefix("DOCA_ERROR_")
        elif call and code and code.group(1) in codes:
            yield match.start(), call.group(1), codes[code.group(1)]


def named_functions(text):
    """Position and name of each definition of a name for functions, and these."""
    for match in NAMED.finditer(text):
        yield match.start(), match[1] or match[3], re.findall(r"\w+", match[2] or match[4])


def provoked_codes(folder):
    """Function -> the codes that a test expects of it; of tests that are run. That all calls
    answer BAD_STATE in a forked child does not count."""
    found = defaultdict(set)
    registered = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("meson.build"))
    common = {}
    for path in sorted((folder / "support").glob("*.hpp")):
        common |= constants(text_of(path))
    for path in sorted(folder.rglob("*_test.cpp")):
        if path.parent == folder / "unit" / "model":  # its doca_ names are those of the model
            continue
        if not re.search(f"['/]{re.escape(path.name)}'", registered):
            continue
        text = text_of(path)
        named = list(named_functions(text))
        for position, call, code in expectations(text, common | constants(text)):
            if code == "BAD_STATE" and path.name.endswith("fork_test.cpp"):
                continue
            meant = [functions for begin, name, functions in named
                     if name == call and begin < position]
            for function in meant[-1] if meant else ALIASES.get(call, [call]):
                found[function].add(code)
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
