// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The help text. It is printed on errors too, so it allocates nothing.

#include "argp/argp.hpp"
#include "common/version.hpp"

#include <doca_version.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace softdoca {

namespace {

constexpr int kDescriptionColumn = 36;

/// The description starts in its column, or one blank behind what is too long for that.
void print_description(std::FILE *out, int width, const std::string &description)
{
    std::fprintf(out, "%*s%s\n", std::max(1, kDescriptionColumn - width), "", description.c_str());
}

/// By which of its names is param known where scope is the innermost command? Inner commands may
/// have taken one or both.
struct KnownNames {
    KnownNames(const doca_argp_cmd &scope, const doca_argp_param &param)
        : by_short(scope.find(&doca_argp_param::short_name, param.short_name) == &param),
          by_long(scope.find(&doca_argp_param::long_name, param.long_name) == &param)
    {
    }
    bool by_short;
    bool by_long;
};

bool is_shown(const doca_argp_cmd &scope, const doca_argp_param &param)
{
    const KnownNames known(scope, param);
    return !param.is_hidden && (known.by_short || known.by_long);
}

bool has_flags(const doca_argp_cmd &scope, const doca_argp_cmd &group)
{
    return std::any_of(group.params.begin(), group.params.end(),
                       [&](const doca_argp_param *param) { return is_shown(scope, *param); });
}

bool has_cmds(const doca_argp_cmd &scope)
{
    return std::any_of(scope.cmds.begin(), scope.cmds.end(),
                       [](const doca_argp_cmd *cmd) { return !cmd->is_hidden; });
}

void print_flag(std::FILE *out, const doca_argp_cmd &scope, const doca_argp_param &param)
{
    const KnownNames known(scope, param);
    int width = std::fprintf(out, "  ");
    if (known.by_short)
        width += std::fprintf(out, "-%s%s", param.short_name.c_str(), known.by_long ? ", " : "");
    if (known.by_long)
        width += std::fprintf(out, "--%s", param.long_name.c_str());
    if (!param.arguments.empty())
        width += std::fprintf(out, " %s", param.arguments.c_str());
    print_description(out, width, param.description);
}

/// Nothing at all for a group without entries.
void print_flags(std::FILE *out, const doca_argp_cmd &scope, const doca_argp_cmd &group,
                 const char *title, const char *of)
{
    if (!has_flags(scope, group))
        return;
    std::fprintf(out, "\n%s Flags%s%s:\n", title, *of == '\0' ? "" : " of ", of);
    for (const doca_argp_param *param : group.params)
        if (is_shown(scope, *param))
            print_flag(out, scope, *param);
}

/// The flags of the commands from the outermost to cmd: those that are still known.
void print_cmd_flags(std::FILE *out, const doca_argp_cmd &scope, const doca_argp_cmd &cmd,
                     const doca_argp_cmd &program)
{
    if (&cmd == &program)
        return;
    print_cmd_flags(out, scope, *cmd.parent, program);
    print_flags(out, scope, cmd, "Command", cmd.name.c_str());
}

/// " get [Command Flags]" for each command from the outermost to cmd.
void print_cmd_words(std::FILE *out, const doca_argp_cmd &cmd, const doca_argp_cmd &program)
{
    if (&cmd == &program)
        return;
    print_cmd_words(out, *cmd.parent, program);
    std::fprintf(out, " %s%s", cmd.name.c_str(), has_flags(cmd, cmd) ? " [Command Flags]" : "");
}

} // namespace

void print_usage(std::FILE *out, const Argp &argp, const doca_argp_cmd &scope)
{
    std::fprintf(out, "Usage: %s%s [DOCA Flags]%s",
                 argp.name.empty() ? ::program_invocation_short_name : argp.name.c_str(),
                 argp.dpdk_callback != nullptr ? " [DPDK Flags] --" : "",
                 has_flags(argp.program, argp.program) ? " [Program Flags]" : "");
    print_cmd_words(out, scope, argp.program);
    std::fprintf(out, "%s\n", has_cmds(scope) ? " <command> ..." : "");

    print_flags(out, scope, argp.builtins, "DOCA", "");
    print_flags(out, scope, argp.program, "Program", "");
    print_cmd_flags(out, scope, scope, argp.program);
    if (!has_cmds(scope))
        return;
    std::fprintf(out, "\n%s Commands:\n", &scope == &argp.program ? "Program" : "Inner");
    for (const doca_argp_cmd *cmd : scope.cmds)
        if (!cmd->is_hidden)
            print_description(out, std::fprintf(out, "  %s", cmd->name.c_str()), cmd->description);
}

void print_version(std::FILE *out)
{
    // What the program itself was compiled with is known only to the program (and its version
    // callback); the library was compiled with headers of the same release.
    std::fprintf(out, "DOCA version (compile time): %s\n", doca_version());
    std::fprintf(out, "DOCA version (runtime): %s (SoftDOCA %s)\n", doca_version_runtime(),
                 release());
}

} // namespace softdoca
