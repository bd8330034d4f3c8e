// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp/argp_cmd.hpp"

#include "argp/argp.hpp"
#include "base/api_guard.hpp"
#include "base/log_sink.hpp"

#include <algorithm>
#include <string>

LOG_SOURCE("ARGP::CMD");

namespace {

void set_text(doca_argp_cmd *cmd, std::string doca_argp_cmd::*field, const char *text,
              const char *call) noexcept
{
    doca_argp_cmd *changed = softdoca::changeable(cmd, call);
    if (changed == nullptr)
        return;
    if (text == nullptr) {
        (void)LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, cmd,
                          "%s: the text is NULL; the command stays as it is", call);
        return;
    }
    const doca_error_t result = softdoca::api_guard(LOG_SITE, __func__, [&] {
        changed->*field = std::string(text);
        return DOCA_SUCCESS;
    });
    if (result != DOCA_SUCCESS)
        changed->is_incomplete = true;
}

} // namespace

doca_error_t doca_argp_cmd::check() const noexcept
{
    if (is_incomplete)
        return DOCA_ERROR_NO_MEMORY;
    if (name.empty() || description.empty())
        return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this,
                           "command \"%s\" cannot be registered without %s", name.c_str(),
                           name.empty() ? "a name (doca_argp_cmd_set_name)"
                                        : "a description (doca_argp_cmd_set_description)");
    if (name.front() == '-')
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "command name \"%s\" would be taken for an option: give it without dash",
                           name.c_str());
    return DOCA_SUCCESS;
}

const doca_argp_param *doca_argp_cmd::find_own(Name kind, std::string_view text) const noexcept
{
    if (text.empty()) // what a parameter without such a name holds
        return nullptr;
    const auto found =
        std::find_if(params.begin(), params.end(),
                     [&](const doca_argp_param *param) { return param->*kind == text; });
    return found == params.end() ? nullptr : *found;
}

const doca_argp_param *doca_argp_cmd::find(Name kind, std::string_view text) const noexcept
{
    const doca_argp_param *found = find_own(kind, text);
    for (const doca_argp_cmd *outer = parent; found == nullptr && outer != nullptr;
         outer = outer->parent) {
        found = outer->find_own(kind, text);
        if (found != nullptr && !found->is_inherited)
            found = nullptr;
    }
    return found;
}

const doca_argp_cmd *doca_argp_cmd::find_cmd(std::string_view text) const noexcept
{
    const auto found = std::find_if(cmds.begin(), cmds.end(),
                                    [&](const doca_argp_cmd *cmd) { return cmd->name == text; });
    return found == cmds.end() ? nullptr : *found;
}

bool doca_argp_cmd::clashes(const doca_argp_param &param, Name kind) const noexcept
{
    const std::string &text = param.*kind;
    // Only the program has a parent before its registration. So its parameters cannot take the
    // names of the built-in ones, while those of a command may.
    const bool is_reserved = parent != nullptr && parent->find_own(kind, text) != nullptr;
    if (!is_reserved && find_own(kind, text) == nullptr)
        return false;
    (void)LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &param,
                      "parameter name \"%s\" is %s; choose another", text.c_str(),
                      is_reserved ? "reserved for a built-in flag" : "registered already");
    return true;
}

doca_error_t doca_argp_cmd::add(doca_argp_param &param)
{
    if (const doca_error_t result = param.check(); result != DOCA_SUCCESS)
        return result;
    if (clashes(param, &doca_argp_param::short_name) || clashes(param, &doca_argp_param::long_name))
        return DOCA_ERROR_INVALID_VALUE;
    params.push_back(&param);
    if (param.long_name.empty()) // the keys of a JSON file are long names
        param.is_cli_only = true;
    param.is_registered = true;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd::add(doca_argp_cmd &cmd)
{
    if (const doca_error_t result = cmd.check(); result != DOCA_SUCCESS)
        return result;
    if (find_cmd(cmd.name) != nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, &cmd,
                           "command name \"%s\" is registered already; choose another",
                           cmd.name.c_str());
    cmds.push_back(&cmd);
    cmd.parent = this;
    cmd.is_registered = true;
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_argp_cmd_create(doca_argp_cmd **cmd)
{
    return softdoca::create(cmd);
}

extern "C" doca_error_t doca_argp_cmd_destroy(doca_argp_cmd *cmd)
{
    return softdoca::destroy(cmd);
}

extern "C" void doca_argp_cmd_set_name(doca_argp_cmd *cmd, const char *name)
{
    set_text(cmd, &doca_argp_cmd::name, name, __func__);
}

extern "C" void doca_argp_cmd_set_description(doca_argp_cmd *cmd, const char *description)
{
    set_text(cmd, &doca_argp_cmd::description, description, __func__);
}

extern "C" void doca_argp_cmd_set_callback(doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
    if (doca_argp_cmd *changed = softdoca::changeable(cmd, __func__))
        changed->callback = callback;
}

extern "C" void doca_argp_cmd_set_hidden(doca_argp_cmd *cmd)
{
    if (doca_argp_cmd *changed = softdoca::changeable(cmd, __func__))
        changed->is_hidden = true;
}

extern "C" doca_error_t doca_argp_cmd_register_param(doca_argp_cmd *cmd,
                                                     doca_argp_param *input_param)
{
    return softdoca::register_in(cmd, input_param);
}

extern "C" doca_error_t doca_argp_cmd_register_cmd(doca_argp_cmd *cmd, doca_argp_cmd *input_cmd)
{
    return softdoca::register_in(cmd, input_cmd);
}
