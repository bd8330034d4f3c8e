// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "argp/argp.hpp"
#include "argp/argp_json.hpp"

#include <doca_argp.h>

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace softdoca {

/// Devices are texts until they are opened for the callback.
using Value = std::variant<bool, int, double, std::string>;

/// A command word, or a parameter with its value.
struct Given {
    const doca_argp_cmd *cmd = nullptr;
    const doca_argp_param *param = nullptr;
    Value value;
};

/// One call of doca_argp_start. First everything is read and checked, then the callbacks are
/// called: a line that is wrong by its form calls none of them.
class ArgpRun {
public:
    explicit ArgpRun(Argp &argp) : argp_(argp), scope_(&argp.program) {}

    [[nodiscard]] doca_error_t run(std::span<char *const> words);

private:
    // The command line: argp_parse.cpp
    doca_error_t read_line(std::span<char *const> words);
    doca_error_t read_option(std::span<char *const> words, std::size_t &at);
    doca_error_t read_word(const char *word);
    doca_error_t answer_builtin(const doca_argp_param &param);
    doca_error_t add(std::vector<Given> &list, const doca_argp_param &param, Value value);
    doca_error_t convert(const doca_argp_param &param, const char *text, Value &value) const;
    doca_error_t check_singular() const;
    doca_error_t check_mandatory() const;
    bool is_given(const doca_argp_param &param) const noexcept;

    // The JSON file: argp_config.cpp
    doca_error_t read_file();
    doca_error_t read_config(const JsonValue &root);
    doca_error_t read_section(const JsonValue &section, const doca_argp_cmd &scope);
    doca_error_t read_member(const JsonValue &member, const doca_argp_param &param);
    doca_error_t read_value(const JsonValue &item, const JsonValue &member,
                            const doca_argp_param &param);
    doca_error_t read_dpdk_section(const JsonValue &section);
    doca_error_t read_dpdk_devices(const JsonValue &member);
    doca_error_t refuse_key(const JsonValue &member) const;
    doca_error_t refuse_type(const JsonValue &member, const char *wanted) const;

    // The callbacks: argp_deliver.cpp
    doca_error_t deliver(std::vector<Given> &list);
    doca_error_t deliver_one(Given &given);
    doca_error_t deliver_device(const Given &given);
    doca_error_t set_level(const doca_argp_param &param, int level);
    doca_error_t call_dpdk();
    doca_error_t call_validation();
    doca_error_t judge(doca_error_t answer, const char *what, const char *dashes,
                       const char *name) const;

    /// A message, then the help text. Gives the code back.
    [[gnu::format(printf, 3, 4)]] doca_error_t complain(doca_error_t code, const char *format,
                                                        ...) const;

    Argp &argp_;
    const doca_argp_cmd *scope_; // the innermost command seen so far
    std::string path_;           // of the JSON file
    std::vector<Given> from_file_;
    std::vector<Given> from_line_;
    std::vector<std::string> dpdk_words_;
};

} // namespace softdoca
