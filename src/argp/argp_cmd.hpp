// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "argp/argp_param.hpp"

#include <doca_argp.h>

#include <string>
#include <string_view>
#include <vector>

/// A word of the command line after which other flags and further commands are known. The program
/// is one too, the outermost, and stands in a scope of its own that holds the built-in flags. Argp
/// owns commands and parameters; a command only points to what was registered with it.
struct doca_argp_cmd {
public:
    static constexpr const char *kKind = "command";
    using Name = std::string doca_argp_param::*;

    doca_argp_cmd() = default;
    doca_argp_cmd(const doca_argp_cmd &) = delete;
    doca_argp_cmd &operator=(const doca_argp_cmd &) = delete;
    ~doca_argp_cmd() { softdoca::log_forget(this); }

    /// Is everything there that a command must have, and is the name usable?
    [[nodiscard]] doca_error_t check() const noexcept;

    /// Registers what passed its check and clashes with nothing here.
    [[nodiscard]] doca_error_t add(doca_argp_param &param);
    [[nodiscard]] doca_error_t add(doca_argp_cmd &cmd);

    /// The parameter that goes by this name here: own ones first, then what is inherited.
    const doca_argp_param *find(Name kind, std::string_view text) const noexcept;
    const doca_argp_param *find_own(Name kind, std::string_view text) const noexcept;
    const doca_argp_cmd *find_cmd(std::string_view text) const noexcept;

    std::string name;
    std::string description;
    doca_argp_cmd_cb_t callback = nullptr;
    bool is_hidden = false;

    bool is_registered = false;
    bool is_incomplete = false; // a setter had no memory for its text
    const doca_argp_cmd *parent = nullptr;
    std::vector<doca_argp_param *> params;
    std::vector<doca_argp_cmd *> cmds;

private:
    bool clashes(const doca_argp_param &param, Name kind) const noexcept;
};
