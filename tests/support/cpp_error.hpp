// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <softdoca/doca.hpp>

#include <ostream>

inline void PrintTo(const doca_error_t &code, std::ostream *out)
{
    *out << doca_error_get_name(code);
}

namespace softdoca::test {

/// The code of the doca::Error that the function throws; DOCA_SUCCESS if it throws none.
template <typename Function>
doca_error_t thrown_by(Function function)
{
    try {
        function();
    } catch (const doca::Error &error) {
        return error.code();
    }
    return DOCA_SUCCESS;
}

} // namespace softdoca::test
