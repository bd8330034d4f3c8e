# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Writes the functions that stand in front of the C API in a program of the C++ layer: one for each
call of the layer that can fail, by the signatures of the API tables."""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "abi"))
import tables  # noqa: E402  (the path of it is known only now)

HEAD = """// Made by make_shim.py.
#include "shim.hpp"

#include <softdoca/doca.hpp>
"""

FUNCTION = """
extern "C" doca_error_t {name}({params})
{{
    static softdoca::test::ShimCall call("{name}");
    if (call.fails())
        return call.code();
    using Real = doca_error_t (*)({params});
    return call.note(reinterpret_cast<Real>(call.real())({arguments}));
}}
"""


def calls_of(folder):
    """What the headers of the layer name."""
    text = "".join(path.read_text("utf-8") for path in folder.glob("*.hpp")
                   if path.name != "objects.hpp")
    return set(re.findall(r"\b(doca_\w+)\b", text))


def argument(param):
    """The name of a parameter."""
    return re.search(r"(\w+)$", param.strip()).group(1)


def main():
    """Prints the source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    named = calls_of(args.include / "softdoca/doca")
    out = [HEAD]
    for row in tables.functions():
        if row["function"] not in named or row["return_type"] != "doca_error_t" \
                or row["stability"] == "inline":
            continue
        params = [param.strip() for param in row["params"].split(";") if param.strip() != "void"]
        out.append(FUNCTION.format(name=row["function"], params=", ".join(params),
                                   arguments=", ".join(map(argument, params))))
    args.output.write_text("".join(out), "utf-8")


if __name__ == "__main__":
    main()
