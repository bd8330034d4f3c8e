// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_log.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace softdoca::fuzz {

/// A program with a parameter of every type and two levels of commands, from init to destroy. What
/// the library promises is checked on the way: abort() tells the fuzzer. stderr goes nowhere.
class Program {
public:
    enum class Kind { plain, dpdk };

    explicit Program(Kind kind)
    {
        static const bool once = silence();
        (void)once;
        must(doca_argp_init("fuzz", nullptr));
        if (kind == Kind::dpdk)
            doca_argp_set_dpdk_program(on_dpdk);
        must(doca_argp_register_version_callback(on_value));
        must(doca_argp_register_validation_callback(on_config));
        add(nullptr, "s", "string", DOCA_ARGP_TYPE_STRING, on_string,
            doca_argp_param_set_inherited);
        add(nullptr, "i", "int", DOCA_ARGP_TYPE_INT, on_value, doca_argp_param_set_multiplicity);
        add(nullptr, "b", "bool", DOCA_ARGP_TYPE_BOOLEAN, on_value, doca_argp_param_set_singular);
        add(nullptr, "d", "double", DOCA_ARGP_TYPE_DOUBLE, on_value, doca_argp_param_set_hidden);
        add(nullptr, "a", "dev", DOCA_ARGP_TYPE_DEVICE, on_device, nullptr);
        add(nullptr, "r", "rep", DOCA_ARGP_TYPE_DEVICE_REP, on_device_rep, nullptr);
        add(nullptr, "co", "cli", DOCA_ARGP_TYPE_INT, on_value, doca_argp_param_set_cli_only);

        doca_argp_cmd *get = make_cmd("get");
        add(get, "v", "value", DOCA_ARGP_TYPE_INT, on_value, doca_argp_param_set_mandatory);
        doca_argp_cmd *inner = make_cmd("in");
        add(inner, "i", "int", DOCA_ARGP_TYPE_STRING, on_string, doca_argp_param_set_multiplicity);
        must(doca_argp_cmd_register_cmd(get, inner));
        must(doca_argp_register_cmd(get));
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;
    ~Program()
    {
        must(doca_argp_destroy());
        must(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING));
    }

    void skip_unknown_keys() { must(doca_argp_disable_pedantic_config_parsing()); }

    doca_error_t start(std::vector<std::string> words)
    {
        words.insert(words.begin(), "fuzz");
        std::vector<char *> argv;
        for (std::string &word : words)
            argv.push_back(word.data());
        const doca_error_t result = doca_argp_start(static_cast<int>(argv.size()), argv.data());
        switch (result) {
        case DOCA_SUCCESS:
        case DOCA_ERROR_NOT_SUPPORTED:
        case DOCA_ERROR_INVALID_VALUE:
        case DOCA_ERROR_NOT_FOUND: // a device
        case DOCA_ERROR_IO_FAILED:
            return result;
        default:
            std::abort();
        }
    }

private:
    static void must(doca_error_t result)
    {
        if (result != DOCA_SUCCESS)
            std::abort();
    }

    static bool silence()
    {
        const int fd = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        doca_log_backend *nowhere = nullptr;
        must(doca_log_backend_create_with_fd_sdk(fd, &nowhere));
        must(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING));
        // Only argp's stream: the fuzzer and the sanitizers still write to where it led before.
        stderr = std::fopen("/dev/null", "we");
        return stderr != nullptr;
    }

    static void add(doca_argp_cmd *cmd, const char *short_name, const char *long_name,
                    doca_argp_type type, doca_argp_param_cb_t callback,
                    void (*setter)(doca_argp_param *))
    {
        doca_argp_param *param = nullptr;
        must(doca_argp_param_create(&param));
        doca_argp_param_set_short_name(param, short_name);
        doca_argp_param_set_long_name(param, long_name);
        doca_argp_param_set_description(param, "fuzzed");
        doca_argp_param_set_callback(param, callback);
        doca_argp_param_set_type(param, type);
        if (setter != nullptr)
            setter(param);
        must(cmd == nullptr ? doca_argp_register_param(param)
                            : doca_argp_cmd_register_param(cmd, param));
    }

    static doca_argp_cmd *make_cmd(const char *name)
    {
        doca_argp_cmd *cmd = nullptr;
        must(doca_argp_cmd_create(&cmd));
        doca_argp_cmd_set_name(cmd, name);
        doca_argp_cmd_set_description(cmd, "fuzzed");
        doca_argp_cmd_set_callback(cmd, on_config);
        return cmd;
    }

    static doca_error_t on_value(void *value, void *)
    {
        return value != nullptr ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
    }
    static doca_error_t on_config(void *) { return DOCA_SUCCESS; }
    static doca_error_t on_string(void *value, void *)
    {
        for (char *c = static_cast<char *>(value); *c != '\0'; ++c)
            *c = 'x'; // callbacks may write into it
        return DOCA_SUCCESS;
    }
    static doca_error_t on_device(void *value, void *)
    {
        return doca_dev_close(static_cast<doca_argp_device_ctx *>(value)->dev);
    }
    static doca_error_t on_device_rep(void *value, void *)
    {
        const auto *device = static_cast<doca_argp_device_rep_ctx *>(value);
        must(doca_dev_rep_close(device->dev_rep));
        return doca_dev_close(device->dev_ctx.dev);
    }
    static doca_error_t on_dpdk(int argc, char **argv)
    {
        std::reverse(argv, argv + argc); // it may reorder the array
        return argv[argc] == nullptr ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED;
    }
};

} // namespace softdoca::fuzz
