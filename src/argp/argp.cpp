// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp/argp.hpp"

#include "argp/argp_run.hpp"
#include "base/api_guard.hpp"
#include "base/log_sink.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <span>
#include <utility>

LOG_SOURCE("ARGP");

#define LEVEL_NUMBERS "<10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE>"

namespace softdoca {

namespace {

constinit Argp *the_argp = nullptr; // a plain pointer: it must outlive all static objects

doca_error_t check_initialised(const char *call) noexcept
{
    if (the_argp == nullptr)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, call,
                           "%s: argp is not initialised; call doca_argp_init first", call);
    return DOCA_SUCCESS;
}

doca_error_t check_not_started(const char *call) noexcept
{
    if (const doca_error_t result = check_initialised(call); result != DOCA_SUCCESS)
        return result;
    if (the_argp->is_started)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, the_argp,
                           "%s: argp has been started; doca_argp_destroy and doca_argp_init begin "
                           "anew",
                           call);
    return DOCA_SUCCESS;
}

/// Sets one of the callbacks that only start looks at.
template <typename Callback>
doca_error_t set_callback(Callback Argp::*field, Callback callback, const char *call) noexcept
{
    if (callback == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: the callback is NULL", call);
    const doca_error_t result = check_not_started(call);
    if (result == DOCA_SUCCESS)
        the_argp->*field = callback;
    return result;
}

doca_error_t get_level(int *level, std::optional<int> Argp::*given, std::uint32_t (*global)(),
                       const char *call) noexcept
{
    if (level == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: the address is NULL", call);
    const bool is_given = the_argp != nullptr && (the_argp->*given).has_value();
    *level = is_given ? *(the_argp->*given) : static_cast<int>(global());
    return DOCA_SUCCESS;
}

/// Whatever a callback did, also if it destroyed argp, start leaves things in order here.
doca_error_t start(Argp &argp, std::span<char *const> words) noexcept
{
    argp.is_started = argp.is_running = true;
    doca_error_t result = api_guard(LOG_SITE, __func__, [&] { return ArgpRun(argp).run(words); });
    argp.is_running = false;
    LOG_DBG("argp %p: %zu words parsed: %s", static_cast<void *>(&argp), words.size(),
            doca_error_get_name(result));
    if (argp.is_destroyed)
        delete &argp;
    else if (result != DOCA_SUCCESS)
        argp.is_started = false;
    return result;
}

} // namespace

Argp *current_argp() noexcept
{
    return the_argp;
}

Argp::Argp(const char *program_name, void *program_config)
    : help(add_builtin("h", "help", DOCA_ARGP_TYPE_BOOLEAN, "Print a help synopsis")),
      version(
          add_builtin("v", "version", DOCA_ARGP_TYPE_BOOLEAN, "Print program version information")),
      log_level(add_builtin("l", "log-level", DOCA_ARGP_TYPE_INT,
                            "Set the (numeric) log level for the program " LEVEL_NUMBERS)),
      sdk_log_level(add_builtin("", "sdk-log-level", DOCA_ARGP_TYPE_INT,
                                "Set the SDK (numeric) log level for the program " LEVEL_NUMBERS)),
      json(add_builtin("j", "json", DOCA_ARGP_TYPE_STRING,
                       "Parse command line flags from an input json file")),
      name(program_name == nullptr ? "" : program_name), config(program_config)
{
    program.parent = &builtins;
}

doca_argp_param &Argp::add_builtin(const char *short_name, const char *long_name,
                                   doca_argp_type type, const char *description)
{
    doca_argp_param &param = params.create();
    param.short_name = short_name;
    param.long_name = long_name;
    param.description = description;
    param.type = type;
    param.is_inherited = true;
    param.is_registered = true;
    param.is_cli_only = type != DOCA_ARGP_TYPE_INT; // only the levels have a place in JSON files
    if (type == DOCA_ARGP_TYPE_STRING)
        param.arguments = "<path>";
    builtins.params.push_back(&param);
    return param;
}

void Argp::say(doca_log_level level, const char *format, ...) const
{
    std::va_list args;
    va_start(args, format);
    say(level, format, args);
    va_end(args);
}

void Argp::say(doca_log_level level, const char *format, std::va_list args) const
{
    if (logger_callback != nullptr) {
        (void)logger_callback(level, format, args);
        return;
    }
    char text[1024]; // so that the line is one write
    std::vsnprintf(text, sizeof(text), format, args);
    std::fprintf(stderr, "%s: %s%s\n", name.c_str(),
                 level == DOCA_LOG_LEVEL_WARNING ? "warning: " : "", text);
}

} // namespace softdoca

using softdoca::Argp;
using softdoca::the_argp;

extern "C" doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
    if (program_name != nullptr && *program_name == '\0')
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, __func__,
                           "doca_argp_init: the program name is empty; NULL takes it from argv[0]");
    if (the_argp != nullptr)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, the_argp,
                           "doca_argp_init: argp is initialised already (one a process); "
                           "doca_argp_destroy ends it");
    return softdoca::api_guard(LOG_SITE, __func__, [&] {
        the_argp = new Argp(program_name, program_config);
        LOG_DBG("argp %p: initialised", static_cast<void *>(the_argp));
        return DOCA_SUCCESS;
    });
}

extern "C" doca_error_t doca_argp_destroy(void)
{
    if (const doca_error_t result = softdoca::check_initialised(__func__); result != DOCA_SUCCESS)
        return result;
    Argp *ended = std::exchange(the_argp, nullptr);
    LOG_DBG("argp %p: destroyed", static_cast<void *>(ended));
    if (ended->is_running)
        ended->is_destroyed = true; // a callback calls: start still needs it and deletes it
    else
        delete ended;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_argp_start(int argc, char **argv)
{
    if (argv == nullptr || argc < 1 ||
        std::any_of(argv, argv + argc, [](const char *word) { return word == nullptr; }))
        return LOG_REFUSED(
            DOCA_ERROR_INVALID_VALUE, __func__,
            "doca_argp_start: argc %d and argv %p are no command line; the program's "
            "name and all words up to argc must be there",
            argc, static_cast<void *>(argv));
    if (const doca_error_t result = softdoca::check_not_started(__func__); result != DOCA_SUCCESS)
        return result;
    return softdoca::start(*the_argp, {argv, static_cast<std::size_t>(argc)});
}

extern "C" void doca_argp_usage(void)
{
    if (softdoca::check_initialised(__func__) == DOCA_SUCCESS)
        softdoca::print_usage(stdout, *the_argp, the_argp->program);
}

extern "C" doca_error_t doca_argp_register_param(doca_argp_param *input_param)
{
    return softdoca::register_in(the_argp == nullptr ? nullptr : &the_argp->program, input_param);
}

extern "C" doca_error_t doca_argp_register_cmd(doca_argp_cmd *input_cmd)
{
    return softdoca::register_in(the_argp == nullptr ? nullptr : &the_argp->program, input_cmd);
}

extern "C" doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
    return softdoca::set_callback(&Argp::version_callback, callback, __func__);
}

extern "C" doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
    return softdoca::set_callback(&Argp::validation_callback, callback, __func__);
}

extern "C" void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
    (void)softdoca::set_callback(&Argp::dpdk_callback, callback, __func__);
}

extern "C" doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback,
                                                             void *usr_ctx)
{
    const doca_error_t result =
        softdoca::set_callback(&Argp::dev_open_callback, callback, __func__);
    if (result == DOCA_SUCCESS)
        the_argp->dev_open_context = usr_ctx;
    return result;
}

extern "C" doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
    if (callback == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, __func__, "%s: the callback is NULL",
                           __func__);
    if (const doca_error_t result = softdoca::check_initialised(__func__); result != DOCA_SUCCESS)
        return result;
    if (the_argp->logger_callback != nullptr)
        return LOG_REFUSED(DOCA_ERROR_ALREADY_EXIST, the_argp,
                           "argp has a logger callback; doca_argp_disable_logger_callback takes it "
                           "away");
    the_argp->logger_callback = callback;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_argp_disable_logger_callback(void)
{
    if (const doca_error_t result = softdoca::check_initialised(__func__); result != DOCA_SUCCESS)
        return result;
    if (the_argp->logger_callback == nullptr)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, the_argp,
                           "argp has no logger callback that could be disabled");
    the_argp->logger_callback = nullptr;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_argp_disable_pedantic_config_parsing(void)
{
    const doca_error_t result = softdoca::check_not_started(__func__);
    if (result == DOCA_SUCCESS)
        the_argp->is_pedantic = false;
    return result;
}

extern "C" doca_error_t doca_argp_get_log_level(int *log_level)
{
    return softdoca::get_level(log_level, &Argp::given_log_level,
                               doca_log_level_get_global_lower_limit, __func__);
}

extern "C" doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
    return softdoca::get_level(log_level, &Argp::given_sdk_log_level,
                               doca_log_level_get_global_sdk_limit, __func__);
}
