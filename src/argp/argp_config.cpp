// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The JSON file of -j: an object with up to three sections.
//
//     {
//         "doca_dpdk_flags": { "devices": [ ... ], "core-mask" or "core-list": "...", "flags":
//         "..." }, "doca_general_flags": { "log-level": 60, "sdk-log-level": 40 },
//         "doca_program_flags": { "<long name>": <value>, "<another>": [ <value>, ... ] }
//     }

#include "argp/argp_run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace softdoca {

namespace {

using Kind = JsonValue::Kind;

struct FileCloser {
    void operator()(std::FILE *file) const noexcept { (void)std::fclose(file); }
};

/// The whole file, or the number of the error. Of a file that is too long not much more than fits.
int read_text(const char *path, std::string &text)
{
    const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path, "re"));
    if (file == nullptr)
        return errno;
    std::array<char, 4096> chunk;
    std::size_t len = 0;
    while (text.size() <= kMaxJsonBytes &&
           (len = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0)
        text.append(chunk.data(), len);
    return std::ferror(file.get()) != 0 ? errno : 0;
}

/// The string, if it is one and C can hold it: a NUL inside would cut it short.
const std::string *as_text(const JsonValue &item) noexcept
{
    const auto *text = std::get_if<std::string>(&item.scalar);
    return text != nullptr && text->find('\0') == std::string::npos ? text : nullptr;
}

/// "--name value" as DPDK wants it: each word an argument of its own.
void append_words(std::vector<std::string> &words, const std::string &text)
{
    constexpr const char *kBlanks = " \t\r\n";
    std::size_t end = 0;
    for (std::size_t begin = 0;
         (begin = text.find_first_not_of(kBlanks, end)) != std::string::npos;) {
        end = std::min(text.find_first_of(kBlanks, begin), text.size());
        words.push_back(text.substr(begin, end - begin));
    }
}

/// { "device": "sf", "id": "4", "key": value, ... } as the value of DPDK's -a; empty if it is none.
std::string device_argument(const JsonValue &device)
{
    if (const std::string *text = as_text(device))
        return *text;
    const JsonValue *kind = device.find("device");
    const JsonValue *id = device.find("id");
    if (id == nullptr || as_text(*id) == nullptr || (kind != nullptr && as_text(*kind) == nullptr))
        return {};
    const bool is_sf = kind != nullptr && *as_text(*kind) == "sf";
    std::string argument = (is_sf ? "auxiliary:mlx5_core.sf." : "") + *as_text(*id);
    for (const JsonValue &member : device.items) {
        if (&member == kind || &member == id)
            continue;
        if (member.kind == Kind::boolean)
            argument += std::get<bool>(member.scalar) ? "," + member.name + "=1" : "";
        else if (member.kind == Kind::integer)
            argument +=
                "," + member.name + "=" + std::to_string(std::get<std::int64_t>(member.scalar));
        else if (const std::string *text = as_text(member))
            argument += "," + member.name + "=" + *text;
        else
            return {};
    }
    return argument;
}

} // namespace

doca_error_t ArgpRun::refuse_type(const JsonValue &member, const char *wanted) const
{
    return complain(DOCA_ERROR_INVALID_VALUE, "JSON file \"%s\": \"%s\" must be %s", path_.c_str(),
                    member.name.c_str(), wanted);
}

doca_error_t ArgpRun::refuse_key(const JsonValue &member) const
{
    if (argp_.is_pedantic)
        return complain(DOCA_ERROR_NOT_SUPPORTED, "JSON file \"%s\": unknown key \"%s\"",
                        path_.c_str(), member.name.c_str());
    argp_.say(DOCA_LOG_LEVEL_WARNING, "JSON file \"%s\": unknown key \"%s\" is skipped",
              path_.c_str(), member.name.c_str());
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::read_file()
{
    for (const Given &given : from_line_)
        if (given.param == &argp_.json)
            path_ = std::get<std::string>(given.value);
    if (!is_given(argp_.json))
        return DOCA_SUCCESS;

    std::string text;
    if (const int error = read_text(path_.c_str(), text); error != 0)
        return complain(DOCA_ERROR_IO_FAILED, "JSON file \"%s\" cannot be read: %s", path_.c_str(),
                        std::strerror(error));
    if (text.size() > kMaxJsonBytes)
        return complain(DOCA_ERROR_IO_FAILED, "JSON file \"%s\" is longer than %zu bytes",
                        path_.c_str(), kMaxJsonBytes);
    JsonValue root;
    std::string complaint;
    if (!parse_json(text, root, complaint))
        return complain(DOCA_ERROR_IO_FAILED, "JSON file \"%s\": %s", path_.c_str(),
                        complaint.c_str());
    return read_config(root);
}

doca_error_t ArgpRun::read_config(const JsonValue &root)
{
    if (root.kind != Kind::object)
        return complain(DOCA_ERROR_INVALID_VALUE,
                        "JSON file \"%s\" must hold an object with the sections "
                        "doca_general_flags and doca_program_flags",
                        path_.c_str());
    for (const JsonValue &section : root.items) {
        doca_error_t result = DOCA_SUCCESS;
        const bool is_general = section.name == "doca_general_flags";
        const bool is_program = section.name == "doca_program_flags";
        const bool is_dpdk = section.name == "doca_dpdk_flags" && argp_.dpdk_callback != nullptr;
        if (!is_general && !is_program && !is_dpdk)
            result = refuse_key(section);
        else if (section.kind != Kind::object)
            result = refuse_type(section, "an object");
        else if (is_dpdk)
            result = read_dpdk_section(section);
        else
            result = read_section(section, is_general ? argp_.builtins : argp_.program);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::read_section(const JsonValue &section, const doca_argp_cmd &scope)
{
    for (const JsonValue &member : section.items) {
        const doca_argp_param *param = scope.find_own(&doca_argp_param::long_name, member.name);
        const doca_error_t result =
            param == nullptr ? refuse_key(member) : read_member(member, *param);
        if (result != DOCA_SUCCESS)
            return result;
    }
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::read_member(const JsonValue &member, const doca_argp_param &param)
{
    if (param.is_cli_only) {
        argp_.say(DOCA_LOG_LEVEL_WARNING,
                  "JSON file \"%s\": \"%s\" belongs on the command line and is skipped",
                  path_.c_str(), param.name());
        return DOCA_SUCCESS;
    }
    if (member.kind != Kind::list)
        return read_value(member, member, param);
    if (!param.is_multiple)
        return refuse_type(member, "one value, not a list");
    for (const JsonValue &item : member.items)
        if (const doca_error_t result = read_value(item, member, param); result != DOCA_SUCCESS)
            return result;
    return DOCA_SUCCESS;
}

/// A flag that is false was not given: callbacks of flags often do not look at the value.
doca_error_t ArgpRun::read_value(const JsonValue &item, const JsonValue &member,
                                 const doca_argp_param &param)
{
    const auto *number = std::get_if<std::int64_t>(&item.scalar);
    switch (param.type) {
    case DOCA_ARGP_TYPE_BOOLEAN:
        if (item.kind != Kind::boolean)
            return refuse_type(member, "true or false");
        return std::get<bool>(item.scalar) ? add(from_file_, param, true) : DOCA_SUCCESS;
    case DOCA_ARGP_TYPE_INT:
        if (item.kind != Kind::integer || *number < INT_MIN || *number > INT_MAX)
            return refuse_type(member, "a whole number of 32 bits");
        return add(from_file_, param, static_cast<int>(*number));
    case DOCA_ARGP_TYPE_DOUBLE:
        if (item.kind == Kind::integer)
            return add(from_file_, param, static_cast<double>(*number));
        if (item.kind != Kind::real)
            return refuse_type(member, "a number");
        return add(from_file_, param, std::get<double>(item.scalar));
    default:
        if (as_text(item) == nullptr)
            return refuse_type(member, "a string");
        return add(from_file_, param, *as_text(item));
    }
}

doca_error_t ArgpRun::read_dpdk_section(const JsonValue &section)
{
    // What the command line gives stands behind what the file gives.
    std::vector<std::string> line_words(dpdk_words_.begin() + 1, dpdk_words_.end());
    dpdk_words_.resize(1);
    if (section.find("core-mask") != nullptr && section.find("core-list") != nullptr)
        return refuse_type(section, "given either core-mask or core-list");
    for (const JsonValue &member : section.items) {
        const bool is_mask = member.name == "core-mask";
        const bool is_list = member.name == "core-list";
        doca_error_t result = DOCA_SUCCESS;
        if (member.name == "devices")
            result = read_dpdk_devices(member);
        else if (!is_mask && !is_list && member.name != "flags")
            result = refuse_key(member);
        else if (as_text(member) == nullptr)
            result = refuse_type(member, "a string");
        else if (is_mask || is_list)
            append_words(dpdk_words_, (is_mask ? "-c " : "-l ") + *as_text(member));
        else
            append_words(dpdk_words_, *as_text(member));
        if (result != DOCA_SUCCESS)
            return result;
    }
    dpdk_words_.insert(dpdk_words_.end(), line_words.begin(), line_words.end());
    return DOCA_SUCCESS;
}

doca_error_t ArgpRun::read_dpdk_devices(const JsonValue &member)
{
    bool is_whole = member.kind == Kind::list;
    for (const JsonValue &device : member.items) {
        std::string argument = device_argument(device);
        is_whole = is_whole && !argument.empty();
        dpdk_words_.emplace_back("-a");
        dpdk_words_.push_back(std::move(argument));
    }
    return is_whole ? DOCA_SUCCESS
                    : refuse_type(member, "a list of strings or of objects with \"device\" and "
                                          "\"id\"");
}

} // namespace softdoca
