# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
"""Each call that docs/compatibility.md calls not built answers so, whatever it is given, and writes
nothing: NOT_SUPPORTED, or INVALID_VALUE for NULL; NULL and 0 where the result is no error code."""

import argparse
import ctypes
import sys
from pathlib import Path

import compatibility
import tables

NOT_SUPPORTED, INVALID_VALUE = 4, 6
MARKER = 0x5a
# They look at the state of an object first; the unit tests give them one.
NEED_AN_OBJECT = {
    "doca_mmap_export_pci", "doca_mmap_export_rdma", "doca_mmap_create_from_export",
    "doca_mmap_dev_get_dpa_handle", "doca_mmap_set_dpa_memrange", "doca_ctx_set_datapath_on_gpu",
    "doca_ctx_set_datapath_on_dpa", "doca_dma_get_gpu_handle",
}


class Stranger:
    """Memory that no call may write: every pointer argument points to it."""

    def __init__(self):
        self.memory = ctypes.create_string_buffer(bytes([MARKER]) * 256, 256)
        self.address = ctypes.addressof(self.memory)

    def is_untouched(self):
        return self.memory.raw == bytes([MARKER]) * 256


def is_pointer(parameter):
    """A pointer, also one to a function."""
    return "*" in parameter or "_cb_t " in parameter


def call(library, row, arguments):
    function = getattr(library, row["function"])
    function.restype = {"void": None, "doca_error_t": ctypes.c_int}.get(row["return_type"],
                                                                       ctypes.c_uint64)
    answer = function(*map(ctypes.c_uint64, arguments))
    return answer & 0xffff if row["return_type"] == "uint16_t" else answer


def check(library, row):
    """All pointers good, then one after the other NULL."""
    stranger = Stranger()
    parameters = [] if row["params"] == "void" else row["params"].split("; ")
    good = [stranger.address if is_pointer(parameter) else 0 for parameter in parameters]
    is_code = row["return_type"] == "doca_error_t"
    answer = call(library, row, good)
    if answer != (NOT_SUPPORTED if is_code else None if row["return_type"] == "void" else 0):
        yield f"{row['function']} answers {answer}"
    for at, parameter in enumerate(parameters):
        if is_pointer(parameter):
            answer = call(library, row, good[:at] + [0] + good[at + 1:])
            if is_code and answer not in (NOT_SUPPORTED, INVALID_VALUE):
                yield f"{row['function']} with NULL for {parameter} answers {answer}"
    if not stranger.is_untouched():
        yield f"{row['function']} writes to what it was given"


def library_of(row, libraries):
    for library in libraries:
        if hasattr(library, row["function"]):
            return library
    sys.exit(f"{row['function']} is in no library that was given")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="the source tree")
    parser.add_argument("libraries", nargs="+", metavar="FILE", help="libdoca_common, ...")
    arguments = parser.parse_args()

    page = (arguments.root / "docs" / "compatibility.md").read_text(encoding="utf-8")
    names = {row[0] for row in compatibility.table_rows(page) if row[1] == "no"} - NEED_AN_OBJECT
    libraries = [ctypes.CDLL(path) for path in arguments.libraries]
    failures = [text for row in tables.functions() if row["function"] in names
                for text in check(library_of(row, libraries), row)]
    if failures:
        return "\n".join(failures)
    print(f"{len(names)} calls are not offered, and say so")
    return 0


if __name__ == "__main__":
    sys.exit(main())
