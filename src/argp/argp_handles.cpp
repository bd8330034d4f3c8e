// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Which pointers are parameters and commands of ours, who may change them, and who owns them when:
// the same rules for both kinds.

#include "argp/argp.hpp"
#include "base/api_guard.hpp"
#include "base/log_sink.hpp"

#include <type_traits>

LOG_SOURCE("ARGP");

namespace softdoca {

namespace {

/// Is there an argp that knows this item?
template <typename Item>
doca_error_t check_known(const Item *item, const char *call) noexcept
{
    if (item == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, call, "%s: the %s is NULL", call, Item::kKind);
    const Argp *argp = current_argp();
    if (argp == nullptr)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, call,
                           "%s: argp is not initialised; call doca_argp_init first", call);
    if (!argp->owns(item))
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, item,
                           "%s: no %s lives at %p; it was never created, was destroyed, or a "
                           "registration that failed took it",
                           call, Item::kKind, static_cast<const void *>(item));
    return DOCA_SUCCESS;
}

template <typename Item>
doca_error_t check_unregistered(const Item *item, const char *call) noexcept
{
    if (const doca_error_t result = check_known(item, call); result != DOCA_SUCCESS)
        return result;
    if (item->is_registered)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, item,
                           "%s: the %s %p is registered already; from then on argp owns it and it "
                           "cannot be changed",
                           call, Item::kKind, static_cast<const void *>(item));
    return DOCA_SUCCESS;
}

/// May anything be registered with scope (still)?
doca_error_t check_scope(const Argp &argp, const doca_argp_cmd *scope) noexcept
{
    if (scope == &argp.program) {
        if (argp.is_started)
            return LOG_REFUSED(DOCA_ERROR_BAD_STATE, &argp,
                               "argp has been started: register before doca_argp_start");
        return DOCA_SUCCESS;
    }
    return check_unregistered(scope, "doca_argp_cmd_register");
}

template <typename Item>
doca_error_t create_item(Item **item, ItemSet<Item> Argp::*set) noexcept
{
    if (item == nullptr)
        return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, Item::kKind,
                           "the address for the new %s is NULL", Item::kKind);
    Argp *argp = current_argp();
    if (argp == nullptr)
        return LOG_REFUSED(DOCA_ERROR_BAD_STATE, Item::kKind,
                           "a %s cannot be created before doca_argp_init", Item::kKind);
    return api_guard(LOG_SITE, __func__, [&] {
        *item = &(argp->*set).create();
        return DOCA_SUCCESS;
    });
}

template <typename Item>
doca_error_t destroy_item(Item *item) noexcept
{
    if (const doca_error_t result = check_unregistered(item, "destroy"); result != DOCA_SUCCESS)
        return result;
    current_argp()->drop(*item);
    return DOCA_SUCCESS;
}

/// Takes ownership whatever comes of it: an item that could not be registered ends here.
template <typename Item>
doca_error_t register_item(doca_argp_cmd *scope, Item *item) noexcept
{
    if (const doca_error_t result = check_unregistered(item, "register"); result != DOCA_SUCCESS)
        return result;
    if constexpr (std::is_same_v<Item, doca_argp_cmd>) {
        if (scope == item)
            return LOG_REFUSED(DOCA_ERROR_INVALID_VALUE, item,
                               "command %p cannot be registered with itself",
                               static_cast<void *>(item));
    }
    Argp &argp = *current_argp();
    doca_error_t result = check_scope(argp, scope);
    if (result == DOCA_SUCCESS)
        result = api_guard(LOG_SITE, __func__, [&] { return scope->add(*item); });
    if (result != DOCA_SUCCESS)
        argp.drop(*item);
    else
        LOG_DBG("%s %p registered", Item::kKind, static_cast<void *>(item));
    return result;
}

} // namespace

doca_argp_param *changeable(doca_argp_param *param, const char *call) noexcept
{
    return check_unregistered(param, call) == DOCA_SUCCESS ? param : nullptr;
}

doca_argp_cmd *changeable(doca_argp_cmd *cmd, const char *call) noexcept
{
    return check_unregistered(cmd, call) == DOCA_SUCCESS ? cmd : nullptr;
}

doca_error_t create(doca_argp_param **param) noexcept
{
    return create_item(param, &Argp::params);
}

doca_error_t create(doca_argp_cmd **cmd) noexcept
{
    return create_item(cmd, &Argp::cmds);
}

doca_error_t destroy(doca_argp_param *param) noexcept
{
    return destroy_item(param);
}

doca_error_t destroy(doca_argp_cmd *cmd) noexcept
{
    return destroy_item(cmd);
}

doca_error_t register_in(doca_argp_cmd *scope, doca_argp_param *param) noexcept
{
    return register_item(scope, param);
}

doca_error_t register_in(doca_argp_cmd *scope, doca_argp_cmd *cmd) noexcept
{
    return register_item(scope, cmd);
}

void Argp::drop(doca_argp_cmd &cmd) noexcept
{
    for (const doca_argp_param *param : cmd.params)
        params.erase(param);
    for (doca_argp_cmd *inner : cmd.cmds)
        drop(*inner);
    cmds.erase(&cmd);
}

} // namespace softdoca
