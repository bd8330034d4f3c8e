// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp/argp_param.hpp"

#include "argp/argp.hpp"
#include "base/api_guard.hpp"
#include "base/log_sink.hpp"

#include <algorithm>
#include <string>
#include <utility>

LOG_SOURCE("ARGP::PARAM");

namespace {

/// A name with a dash in front, a blank or a '=' could never be matched.
bool is_usable(const std::string &name) noexcept
{
    return name.empty() ||
           (name.front() != '-' &&
            std::none_of(name.begin(), name.end(), [](char c) { return c == ' ' || c == '='; }));
}

void set_text(doca_argp_param *param, std::string doca_argp_param::*field, const char *text,
              const char *call) noexcept
{
    doca_argp_param *changed = softdoca::changeable(param, call);
    if (changed == nullptr)
        return;
    if (text == nullptr) {
        (void)LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, param,
                          "%s: the text is NULL; the parameter stays as it is", call);
        return;
    }
    const doca_error_t result = softdoca::api_guard(LOG_SITE, __func__, [&] {
        changed->*field = std::string(text);
        return DOCA_SUCCESS;
    });
    if (result != DOCA_SUCCESS)
        changed->is_incomplete = true;
}

template <typename Field, typename Value>
void set_field(doca_argp_param *param, Field doca_argp_param::*field, Value value,
               const char *call) noexcept
{
    if (doca_argp_param *changed = softdoca::changeable(param, call))
        changed->*field = value;
}

} // namespace

doca_error_t doca_argp_param::check() const noexcept
{
    if (is_incomplete)
        return DOCA_ERROR_NO_MEMORY;
    const char *missing = nullptr;
    if (short_name.empty() && long_name.empty())
        missing = "a name (doca_argp_param_set_short_name or _set_long_name)";
    else if (description.empty())
        missing = "a description (doca_argp_param_set_description)";
    else if (callback == nullptr)
        missing = "a callback (doca_argp_param_set_callback)";
    else if (type == DOCA_ARGP_TYPE_UNKNOWN)
        missing = "a type (doca_argp_param_set_type)";
    if (missing != nullptr)
        return LOG_REFUSED(DOCA_ERROR_INITIALIZATION, this,
                           "parameter \"%s\" cannot be registered without %s", name(), missing);

    if (type < DOCA_ARGP_TYPE_UNKNOWN || type > DOCA_ARGP_TYPE_DOUBLE)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                           "parameter \"%s\": type %d is none of enum doca_argp_type (1 to %d)",
                           name(), static_cast<int>(type), static_cast<int>(DOCA_ARGP_TYPE_DOUBLE));
    for (const std::string *given : {&short_name, &long_name})
        if (!is_usable(*given))
            return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, this,
                               "parameter name \"%s\" can never be typed: give it without dashes, "
                               "blanks and '='",
                               given->c_str());
    return DOCA_SUCCESS;
}

extern "C" doca_error_t doca_argp_param_create(doca_argp_param **param)
{
    return softdoca::create(param);
}

extern "C" doca_error_t doca_argp_param_destroy(doca_argp_param *param)
{
    return softdoca::destroy(param);
}

extern "C" void doca_argp_param_set_short_name(doca_argp_param *param, const char *name)
{
    set_text(param, &doca_argp_param::short_name, name, __func__);
}

extern "C" void doca_argp_param_set_long_name(doca_argp_param *param, const char *name)
{
    set_text(param, &doca_argp_param::long_name, name, __func__);
}

extern "C" void doca_argp_param_set_arguments(doca_argp_param *param, const char *arguments)
{
    set_text(param, &doca_argp_param::arguments, arguments, __func__);
}

extern "C" void doca_argp_param_set_description(doca_argp_param *param, const char *description)
{
    set_text(param, &doca_argp_param::description, description, __func__);
}

extern "C" void doca_argp_param_set_callback(doca_argp_param *param, doca_argp_param_cb_t callback)
{
    set_field(param, &doca_argp_param::callback, callback, __func__);
}

extern "C" void doca_argp_param_set_type(doca_argp_param *param, doca_argp_type type)
{
    set_field(param, &doca_argp_param::type, type, __func__);
}

extern "C" void doca_argp_param_set_mandatory(doca_argp_param *param)
{
    set_field(param, &doca_argp_param::is_mandatory, true, __func__);
}

extern "C" void doca_argp_param_set_cli_only(doca_argp_param *param)
{
    set_field(param, &doca_argp_param::is_cli_only, true, __func__);
}

extern "C" void doca_argp_param_set_multiplicity(doca_argp_param *param)
{
    set_field(param, &doca_argp_param::is_multiple, true, __func__);
}

extern "C" void doca_argp_param_set_singular(doca_argp_param *param)
{
    set_field(param, &doca_argp_param::is_singular, true, __func__);
}

extern "C" void doca_argp_param_set_inherited(doca_argp_param *param)
{
    set_field(param, &doca_argp_param::is_inherited, true, __func__);
}

extern "C" void doca_argp_param_set_hidden(doca_argp_param *param)
{
    set_field(param, &doca_argp_param::is_hidden, true, __func__);
}
