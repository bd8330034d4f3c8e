// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "argp/argp_cmd.hpp"
#include "argp/argp_param.hpp"

#include <doca_argp.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softdoca {

/// Owns the items of one kind, so that a pointer that comes from outside can be checked.
template <typename Item>
class ItemSet {
public:
    Item &create() { return *items_.emplace_back(std::make_unique<Item>()); }
    bool contains(const Item *item) const noexcept { return find(item) != items_.end(); }
    void erase(const Item *item) noexcept { items_.erase(find(item)); }

private:
    auto find(const Item *item) const noexcept
    {
        return std::find_if(items_.begin(), items_.end(),
                            [item](const auto &owned) { return owned.get() == item; });
    }

    std::vector<std::unique_ptr<Item>> items_;
};

/// The words that the callback of a DPDK program was given. It may keep and reorder the array.
class DpdkArgs {
public:
    explicit DpdkArgs(std::vector<std::string> words) : words_(std::move(words))
    {
        for (std::string &word : words_)
            argv_.push_back(word.data());
        argv_.push_back(nullptr);
    }
    int argc() const noexcept { return static_cast<int>(words_.size()); }
    char **argv() noexcept { return argv_.data(); }

private:
    std::vector<std::string> words_;
    std::vector<char *> argv_;
};

/// The argument parser of this process, from doca_argp_init to doca_argp_destroy: what the program
/// registered. One thread. A callback may destroy it in mid-start: start then ends it.
struct Argp {
public:
    Argp(const char *program_name, void *program_config);
    Argp(const Argp &) = delete;
    Argp &operator=(const Argp &) = delete;
    ~Argp() { log_forget(this); }

    bool owns(const doca_argp_param *param) const noexcept { return params.contains(param); }
    bool owns(const doca_argp_cmd *cmd) const noexcept { return cmds.contains(cmd); }
    void drop(doca_argp_param &param) noexcept { params.erase(&param); }
    void drop(doca_argp_cmd &cmd) noexcept; // and all that is registered with it
    /// A program's own parameter has a callback: it could not be registered without.
    bool is_builtin(const doca_argp_param &param) const noexcept
    {
        return param.callback == nullptr;
    }

    /// A message about the command line: to the program's logger if it has one, else to stderr.
    [[gnu::format(printf, 3, 4)]] void say(doca_log_level level, const char *format, ...) const;
    [[gnu::format(printf, 3, 0)]] void say(doca_log_level level, const char *format,
                                           std::va_list args) const;

    ItemSet<doca_argp_param> params;
    ItemSet<doca_argp_cmd> cmds;
    doca_argp_cmd builtins; // around the program
    doca_argp_cmd program;
    const doca_argp_param &help;
    const doca_argp_param &version;
    const doca_argp_param &log_level;
    const doca_argp_param &sdk_log_level;
    const doca_argp_param &json;

    std::string name; // empty until start if the program gave none
    void *config;
    doca_argp_param_cb_t version_callback = nullptr;
    doca_argp_validation_cb_t validation_callback = nullptr;
    doca_argp_logger_cb_t logger_callback = nullptr;
    doca_argp_dpdk_cb_t dpdk_callback = nullptr;
    doca_argp_dev_open_cb_t dev_open_callback = nullptr;
    void *dev_open_context = nullptr;
    bool is_pedantic = true; // an unknown key in a JSON file is an error

    bool is_started = false;   // a start succeeded or is under way
    bool is_running = false;   // inside start
    bool is_destroyed = false; // by a callback of start
    std::optional<int> given_log_level;
    std::optional<int> given_sdk_log_level;
    std::vector<DpdkArgs> dpdk_args;

private:
    doca_argp_param &add_builtin(const char *short_name, const char *long_name, doca_argp_type type,
                                 const char *description);
};

/// nullptr before doca_argp_init and after doca_argp_destroy.
[[nodiscard]] Argp *current_argp() noexcept;

/// The item while it may still be changed; else nullptr, and a line in the log says why.
[[nodiscard]] doca_argp_param *changeable(doca_argp_param *param, const char *call) noexcept;
[[nodiscard]] doca_argp_cmd *changeable(doca_argp_cmd *cmd, const char *call) noexcept;

/// What stands behind the three create, two destroy and four register functions.
[[nodiscard]] doca_error_t create(doca_argp_param **param) noexcept;
[[nodiscard]] doca_error_t create(doca_argp_cmd **cmd) noexcept;
[[nodiscard]] doca_error_t destroy(doca_argp_param *param) noexcept;
[[nodiscard]] doca_error_t destroy(doca_argp_cmd *cmd) noexcept;
[[nodiscard]] doca_error_t register_in(doca_argp_cmd *scope, doca_argp_param *param) noexcept;
[[nodiscard]] doca_error_t register_in(doca_argp_cmd *scope, doca_argp_cmd *cmd) noexcept;

/// Prints what is known where scope is the innermost command. Allocates nothing.
void print_usage(std::FILE *out, const Argp &argp, const doca_argp_cmd &scope);
void print_version(std::FILE *out);

} // namespace softdoca
