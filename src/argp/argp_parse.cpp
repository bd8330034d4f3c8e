// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// doca_argp_start as a whole, and the command line.

#include "argp/argp_run.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace softdoca {

namespace {

const char *base_name(const char *path) noexcept
{
    const char *slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

} // namespace

doca_error_t ArgpRun::complain(doca_error_t code, const char *format, ...) const
{
    std::va_list args;
    va_start(args, format);
    argp_.say(DOCA_LOG_LEVEL_ERROR, format, args);
    va_end(args);
    print_usage(stderr, argp_, *scope_);
    return code;
}

doca_error_t ArgpRun::run(std::span<char *const> words)
{
    if (argp_.name.empty())
        argp_.name = base_name(words.front());
    doca_error_t result = read_line(words);
    if (result == DOCA_SUCCESS)
        result = read_file();
    if (result == DOCA_SUCCESS)
        result = check_singular();
    if (result == DOCA_SUCCESS)
        result = deliver(from_file_);
    if (result == DOCA_SUCCESS)
        result = deliver(from_line_);
    if (result == DOCA_SUCCESS)
        result = check_mandatory();
    if (result == DOCA_SUCCESS && argp_.dpdk_callback != nullptr)
        result = call_dpdk();
    if (result == DOCA_SUCCESS && argp_.validation_callback != nullptr)
        result = call_validation();
    return result;
}

/// In a DPDK program what stands before "--" belongs to DPDK; with no "--" nothing does.
doca_error_t ArgpRun::read_line(std::span<char *const> words)
{
    std::size_t at = 1;
    if (argp_.dpdk_callback != nullptr) {
        dpdk_words_.emplace_back(words.front());
        const auto split = std::find_if(words.begin() + 1, words.end(), [](const char *word) {
            return std::strcmp(word, "--") == 0;
        });
        if (split != words.end()) {
            dpdk_words_.insert(dpdk_words_.end(), words.begin() + 1, split);
            at = static_cast<std::size_t>(split - words.begin()) + 1;
        }
    }
    while (at < words.size()) {
        const bool is_option = words[at][0] == '-' && words[at][1] != '\0';
        const doca_error_t result = is_option ? read_option(words, at) : read_word(words[at]);
        if (result != DOCA_SUCCESS)
            return result;
        ++at;
    }
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::read_word(const char *word)
{
    const doca_argp_cmd *cmd = scope_->find_cmd(word);
    if (cmd == nullptr)
        return complain(DOCA_ERROR_NOT_SUPPORTED, "unknown word \"%s\"%s", word,
                        scope_->cmds.empty() ? "" : "; it is none of the commands below");
    scope_ = cmd;
    from_line_.push_back({cmd, nullptr, false});
    return DOCA_SUCCESS;
}

/// Takes "-s", "--long" or "--long=value" at words[at], and the next word if it is the value.
doca_error_t ArgpRun::read_option(std::span<char *const> words, std::size_t &at)
{
    const char *word = words[at];
    const bool is_long = word[1] == '-';
    std::string_view name = word + (is_long ? 2 : 1);
    const char *value = is_long ? std::strchr(word, '=') : nullptr;
    if (value != nullptr)
        name = name.substr(0, static_cast<std::size_t>(value++ - name.data()));

    const doca_argp_param *param =
        scope_->find(is_long ? &doca_argp_param::long_name : &doca_argp_param::short_name, name);
    if (param == nullptr)
        return complain(DOCA_ERROR_NOT_SUPPORTED, "unknown option \"%s\"", word);
    if (param->type == DOCA_ARGP_TYPE_BOOLEAN) {
        if (value != nullptr)
            return complain(DOCA_ERROR_INVALID_VALUE, "option \"%s\": --%s takes no value", word,
                            param->name());
        if (param == &argp_.help || param == &argp_.version)
            return answer_builtin(*param);
        return add(from_line_, *param, true);
    }
    if (value == nullptr) { // then it is the next word, whatever that looks like
        if (at + 1 == words.size())
            return complain(DOCA_ERROR_INVALID_VALUE, "option \"%s\" needs a value", word);
        value = words[++at];
    }
    Value converted;
    const doca_error_t result = convert(*param, value, converted);
    return result == DOCA_SUCCESS ? add(from_line_, *param, std::move(converted)) : result;
}

/// Help and version end the program at once, wherever they stand. A program's own version callback
/// may do so itself, after it destroyed argp; if it comes back the line is read on.
doca_error_t ArgpRun::answer_builtin(const doca_argp_param &param)
{
    if (&param == &argp_.version && argp_.version_callback != nullptr) {
        bool value = true;
        return judge(argp_.version_callback(&value, argp_.config), "option", "--", "version");
    }
    if (&param == &argp_.version)
        print_version(stdout);
    else
        print_usage(stdout, argp_, *scope_);
    std::exit(EXIT_SUCCESS);
}

doca_error_t ArgpRun::convert(const doca_argp_param &param, const char *text, Value &value) const
{
    char *end = nullptr;
    errno = 0;
    switch (param.type) {
    case DOCA_ARGP_TYPE_INT: {
        const long number = std::strtol(text, &end, 10);
        if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX)
            return complain(DOCA_ERROR_INVALID_VALUE,
                            "option \"%s%s\": \"%s\" is not a whole number from %d to %d",
                            param.dashes(), param.name(), text, INT_MIN, INT_MAX);
        value = static_cast<int>(number);
        return DOCA_SUCCESS;
    }
    case DOCA_ARGP_TYPE_DOUBLE: {
        const double number = std::strtod(text, &end);
        if (end == text || *end != '\0' || !std::isfinite(number))
            return complain(DOCA_ERROR_INVALID_VALUE, "option \"%s%s\": \"%s\" is not a number",
                            param.dashes(), param.name(), text);
        value = number;
        return DOCA_SUCCESS;
    }
    default:
        value = std::string(text);
        return DOCA_SUCCESS;
    }
}

doca_error_t ArgpRun::add(std::vector<Given> &list, const doca_argp_param &param, Value value)
{
    const auto is_same = [&](const Given &given) { return given.param == &param; };
    if (!param.is_multiple && std::any_of(list.begin(), list.end(), is_same))
        return complain(DOCA_ERROR_INVALID_VALUE, "option \"%s%s\" can be given only once",
                        param.dashes(), param.name());
    list.push_back({nullptr, &param, std::move(value)});
    return DOCA_SUCCESS;
}

/// The built-in flags go with everything.
doca_error_t ArgpRun::check_singular() const
{
    const doca_argp_param *first = nullptr;
    const doca_argp_param *second = nullptr; // another one, singular if there is such a one
    for (const std::vector<Given> *list : {&from_file_, &from_line_})
        for (const Given &given : *list) {
            const doca_argp_param *param = given.param;
            if (param == nullptr || param == first || argp_.is_builtin(*param))
                continue;
            if (first == nullptr)
                first = param;
            else if (second == nullptr || param->is_singular)
                second = param;
        }
    if (second == nullptr || !(first->is_singular || second->is_singular))
        return DOCA_SUCCESS;
    const doca_argp_param &alone = first->is_singular ? *first : *second;
    const doca_argp_param &other = first->is_singular ? *second : *first;
    return complain(DOCA_ERROR_INVALID_VALUE,
                    "option \"%s%s\" cannot be combined with others, such as \"%s%s\"",
                    alone.dashes(), alone.name(), other.dashes(), other.name());
}

bool ArgpRun::is_given(const doca_argp_param &param) const noexcept
{
    const auto is_same = [&](const Given &given) { return given.param == &param; };
    return std::any_of(from_line_.begin(), from_line_.end(), is_same) ||
           std::any_of(from_file_.begin(), from_file_.end(), is_same);
}

/// Of the commands only those count that were given.
doca_error_t ArgpRun::check_mandatory() const
{
    for (const doca_argp_cmd *cmd = scope_; cmd != nullptr; cmd = cmd->parent)
        for (const doca_argp_param *param : cmd->params)
            if (param->is_mandatory && !is_given(*param))
                return complain(DOCA_ERROR_INVALID_VALUE, "option \"%s%s\" is mandatory",
                                param->dashes(), param->name());
    return DOCA_SUCCESS;
}

} // namespace softdoca
