// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "base/log_sink.hpp"

#include <doca_argp.h>

#include <string>

/// A flag of the command line, as the program describes it: the setters change it until it is
/// registered, from then on it is fixed. Argp owns it from creation to the end.
struct doca_argp_param {
public:
    static constexpr const char *kKind = "parameter";

    doca_argp_param() = default;
    doca_argp_param(const doca_argp_param &) = delete;
    doca_argp_param &operator=(const doca_argp_param &) = delete;
    ~doca_argp_param() { softdoca::log_forget(this); }

    /// Is everything there that a parameter must have, and are the names usable?
    [[nodiscard]] doca_error_t check() const noexcept;

    /// The name by which messages call it, and what stands before that on the command line.
    const char *name() const noexcept
    {
        return (long_name.empty() ? short_name : long_name).c_str();
    }
    const char *dashes() const noexcept { return long_name.empty() ? "-" : "--"; }

    std::string short_name; // without the dash
    std::string long_name;  // without the dashes
    std::string arguments;  // shown behind the names
    std::string description;
    doca_argp_param_cb_t callback = nullptr;
    doca_argp_type type = DOCA_ARGP_TYPE_UNKNOWN;
    bool is_mandatory = false;
    bool is_cli_only = false;  // unknown to JSON files
    bool is_multiple = false;  // may be given more than once
    bool is_singular = false;  // must be the only one
    bool is_inherited = false; // known to inner commands too
    bool is_hidden = false;    // not in the help text

    bool is_registered = false;
    bool is_incomplete = false; // a setter had no memory for its text: void functions cannot say so
};
