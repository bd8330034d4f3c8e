// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "../common/log_capture.hpp"

#include <doca_argp.h>
#include <doca_log.h>

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace softdoca::test {

/// What the callbacks of a program got, in order, and what they answer.
struct ArgpRecord {
    std::vector<std::string> calls;
    doca_error_t answer = DOCA_SUCCESS;
};

inline doca_error_t note(void *config, const std::string &call)
{
    auto *record = static_cast<ArgpRecord *>(config);
    record->calls.push_back(call);
    return record->answer;
}

inline doca_error_t on_string(void *value, void *config)
{
    return note(config, "string " + std::string(static_cast<char *>(value)));
}

inline doca_error_t on_int(void *value, void *config)
{
    return note(config, "int " + std::to_string(*static_cast<int *>(value)));
}

inline doca_error_t on_bool(void *value, void *config)
{
    return note(config, *static_cast<bool *>(value) ? "true" : "false");
}

inline doca_error_t on_double(void *value, void *config)
{
    return note(config, "double " + std::to_string(*static_cast<double *>(value)));
}

inline doca_error_t on_cmd(void *config)
{
    return note(config, "command");
}

inline doca_error_t on_validation(void *config)
{
    return note(config, "validation");
}

inline doca_argp_param_cb_t callback_for(doca_argp_type type)
{
    switch (type) {
    case DOCA_ARGP_TYPE_INT:
        return on_int;
    case DOCA_ARGP_TYPE_BOOLEAN:
        return on_bool;
    case DOCA_ARGP_TYPE_DOUBLE:
        return on_double;
    default:
        return on_string;
    }
}

using ParamSetter = void (*)(doca_argp_param *param);

/// A parameter that could be registered. A name may be NULL.
inline doca_argp_param *make_param(const char *short_name, const char *long_name,
                                   doca_argp_type type,
                                   std::initializer_list<ParamSetter> setters = {})
{
    doca_argp_param *param = nullptr;
    EXPECT_EQ(doca_argp_param_create(&param), DOCA_SUCCESS);
    if (short_name != nullptr)
        doca_argp_param_set_short_name(param, short_name);
    if (long_name != nullptr)
        doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_description(param, "for the test");
    doca_argp_param_set_callback(param, callback_for(type));
    doca_argp_param_set_type(param, type);
    for (const ParamSetter setter : setters)
        setter(param);
    return param;
}

/// The same, registered with the program.
inline doca_argp_param *add_param(const char *short_name, const char *long_name,
                                  doca_argp_type type,
                                  std::initializer_list<ParamSetter> setters = {})
{
    doca_argp_param *param = make_param(short_name, long_name, type, setters);
    EXPECT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
    return param;
}

/// A command that could be registered.
inline doca_argp_cmd *make_cmd(const char *name)
{
    doca_argp_cmd *cmd = nullptr;
    EXPECT_EQ(doca_argp_cmd_create(&cmd), DOCA_SUCCESS);
    doca_argp_cmd_set_name(cmd, name);
    doca_argp_cmd_set_description(cmd, "a command");
    doca_argp_cmd_set_callback(cmd, on_cmd);
    return cmd;
}

inline void add_param_to(doca_argp_cmd *cmd, const char *short_name, const char *long_name,
                         doca_argp_type type, std::initializer_list<ParamSetter> setters = {})
{
    doca_argp_param *param = make_param(short_name, long_name, type, setters);
    EXPECT_EQ(doca_argp_cmd_register_param(cmd, param), DOCA_SUCCESS);
}

/// doca_argp_start of a program called "prog".
inline doca_error_t start(std::vector<std::string> words)
{
    words.insert(words.begin(), "path/to/prog");
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    return doca_argp_start(static_cast<int>(argv.size()), argv.data());
}

/// A file that lives in memory and has a path.
class TextFile {
public:
    explicit TextFile(const std::string &text) : fd_(::memfd_create("argp", MFD_CLOEXEC))
    {
        EXPECT_EQ(::write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    ~TextFile() { ::close(fd_); }
    TextFile(const TextFile &) = delete;
    TextFile &operator=(const TextFile &) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

/// A program between init and destroy. What it prints on stderr is caught.
class ArgpTest : public testing::Test {
protected:
    ArgpTest() { EXPECT_EQ(doca_argp_init(nullptr, &record_), DOCA_SUCCESS); }
    ~ArgpTest() override
    {
        (void)doca_argp_destroy();
        (void)doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
        (void)doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO);
    }

    const std::vector<std::string> &calls() const { return record_.calls; }
    std::string stderr_text() const { return stderr_.text(); }

    ArgpRecord record_;

private:
    Capture stderr_{STDERR_FILENO};
};

using Calls = std::vector<std::string>;

} // namespace softdoca::test
