// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Hands what was given to the callbacks. Any of them may destroy argp: judge() looks after that.

#include "argp/argp_device.hpp"
#include "argp/argp_run.hpp"

#include <doca_error.h>
#include <doca_log.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace softdoca {

/// What start makes of the answer of a callback.
doca_error_t ArgpRun::judge(doca_error_t answer, const char *what, const char *dashes,
                            const char *name) const
{
    if (answer != DOCA_SUCCESS)
        return complain(answer, "the program refuses %s \"%s%s\": %s (%s)", what, dashes, name,
                        doca_error_get_name(answer), doca_error_get_descr(answer));
    if (argp_.is_destroyed) {
        argp_.say(DOCA_LOG_LEVEL_ERROR,
                  "the callback of %s \"%s%s\" destroyed argp and came back; it should end the "
                  "program or leave argp alone",
                  what, dashes, name);
        return DOCA_ERROR_BAD_STATE;
    }
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::deliver(std::vector<Given> &list)
{
    for (Given &given : list)
        if (const doca_error_t result = deliver_one(given); result != DOCA_SUCCESS)
            return result;
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::deliver_one(Given &given)
{
    if (given.cmd != nullptr)
        return given.cmd->callback == nullptr ? DOCA_SUCCESS
                                              : judge(given.cmd->callback(argp_.config), "command",
                                                      "", given.cmd->name.c_str());
    const doca_argp_param &param = *given.param;
    if (&param == &argp_.json) // has been read
        return DOCA_SUCCESS;
    if (argp_.is_builtin(param))
        return set_level(param, std::get<int>(given.value));
    if (param.type == DOCA_ARGP_TYPE_DEVICE || param.type == DOCA_ARGP_TYPE_DEVICE_REP)
        return deliver_device(given);

    void *value = std::visit(
        [](auto &held) -> void * {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>)
                return held.data();
            else
                return &held;
        },
        given.value);
    return judge(param.callback(value, argp_.config), "option", param.dashes(), param.name());
}

/// The program closes what it was given; what its callback refused is closed here.
doca_error_t ArgpRun::deliver_device(const Given &given)
{
    const doca_argp_param &param = *given.param;
    const std::string &text = std::get<std::string>(given.value);
    DeviceValue device(param.type == DOCA_ARGP_TYPE_DEVICE_REP);
    doca_error_t result = device.open(text, argp_.dev_open_callback, argp_.dev_open_context);
    if (result != DOCA_SUCCESS)
        return complain(result, "option \"%s%s\": \"%s\" %s: %s (%s)", param.dashes(), param.name(),
                        text.c_str(), device.complaint(), doca_error_get_name(result),
                        doca_error_get_descr(result));
    const doca_error_t answer = param.callback(device.value(), argp_.config);
    if (answer == DOCA_SUCCESS)
        device.release();
    return judge(answer, "option", param.dashes(), param.name());
}

/// Through the global setters, so that the user's word beats what the program set before.
doca_error_t ArgpRun::set_level(const doca_argp_param &param, int level)
{
    const bool is_sdk = &param == &argp_.sdk_log_level;
    const auto number = static_cast<std::uint32_t>(level);
    const doca_error_t result = is_sdk ? doca_log_level_set_global_sdk_limit(number)
                                       : doca_log_level_set_global_lower_limit(number);
    if (result != DOCA_SUCCESS)
        return complain(result,
                        "option \"--%s\": %d is not a log level; use 10, 20, 30, 40, 50, 60 or 70",
                        param.name(), level);
    (is_sdk ? argp_.given_sdk_log_level : argp_.given_log_level) = level;
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::call_dpdk()
{
    DpdkArgs &args = argp_.dpdk_args.emplace_back(std::move(dpdk_words_));
    return judge(argp_.dpdk_callback(args.argc(), args.argv()), "the", "", "DPDK flags");
}

doca_error_t ArgpRun::call_validation()
{
    return judge(argp_.validation_callback(argp_.config), "the", "", "command line");
}

} // namespace softdoca
