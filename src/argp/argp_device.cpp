// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "argp/argp_device.hpp"

#include <doca_dev.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <span>
#include <string_view>

namespace softdoca {

namespace {

struct DeviceList {
    DeviceList() = default;
    DeviceList(const DeviceList &) = delete;
    DeviceList &operator=(const DeviceList &) = delete;
    ~DeviceList()
    {
        if (items != nullptr)
            (void)doca_devinfo_destroy_list(items);
    }
    doca_devinfo **items = nullptr;
    std::uint32_t num = 0;
};

struct RepList {
    RepList() = default;
    RepList(const RepList &) = delete;
    RepList &operator=(const RepList &) = delete;
    ~RepList()
    {
        if (items != nullptr)
            (void)doca_devinfo_rep_destroy_list(items);
    }
    doca_devinfo_rep **items = nullptr;
    std::uint32_t num = 0;
};

bool starts_with(std::string_view text, std::string_view start) noexcept
{
    return text.substr(0, start.size()) == start;
}

/// "BB:DD.F" or "DDDD:BB:DD.F".
bool is_pci_addr(std::string_view text) noexcept
{
    constexpr std::string_view kForm = "xxxx:xx:xx.x";
    const std::string_view form = text.size() == 7 ? kForm.substr(5) : kForm;
    return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char wanted) {
        return wanted == 'x' ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c == wanted;
    });
}

/// "pf0vf0" and "sf0" are also the ends of longer interface names ("en3f0pf0sf0").
bool is_called(std::string_view iface_name, std::string_view word) noexcept
{
    if (iface_name == word)
        return true;
    const bool is_function =
        starts_with(word, "pf") || starts_with(word, "vf") || starts_with(word, "sf");
    return is_function && word.size() > 2 && iface_name.size() > word.size() &&
           iface_name.substr(iface_name.size() - word.size()) == word;
}

bool is_named(const doca_devinfo_rep *rep, const std::string &word) noexcept
{
    if (is_pci_addr(word)) {
        std::uint8_t is_equal = 0;
        return doca_devinfo_rep_is_equal_pci_addr(rep, word.c_str(), &is_equal) == DOCA_SUCCESS &&
               is_equal != 0;
    }
    char iface_name[DOCA_DEVINFO_IFACE_NAME_SIZE] = {};
    return doca_devinfo_rep_get_iface_name(rep, iface_name, sizeof(iface_name)) == DOCA_SUCCESS &&
           is_called(iface_name, word);
}

/// Takes the text up to the next comma away from rest.
std::string take_part(std::string_view &rest)
{
    const std::size_t comma = rest.find(',');
    std::string part(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    return part;
}

} // namespace

DeviceValue::~DeviceValue()
{
    if (value_.dev_rep != nullptr)
        (void)doca_dev_rep_close(value_.dev_rep);
    if (value_.dev_ctx.dev != nullptr)
        (void)doca_dev_close(value_.dev_ctx.dev);
}

doca_error_t DeviceValue::fail(doca_error_t code, const char *complaint) noexcept
{
    complaint_ = complaint;
    return code;
}

void *DeviceValue::value() noexcept
{
    value_.dev_ctx.devargs = devargs_.empty() ? nullptr : devargs_.c_str();
    return wants_rep_ ? static_cast<void *>(&value_) : static_cast<void *>(&value_.dev_ctx);
}

doca_error_t DeviceValue::open(const std::string &text, doca_argp_dev_open_cb_t callback,
                               void *context)
{
    doca_error_t result = split(text);
    if (result == DOCA_SUCCESS)
        result = open_device(callback, context);
    if (result == DOCA_SUCCESS && wants_rep_)
        result = open_rep();
    return result;
}

doca_error_t DeviceValue::split(const std::string &text)
{
    std::string_view rest = text;
    if (starts_with(rest, "auxiliary/"))
        return fail(DOCA_ERROR_NOT_FOUND,
                    "names an auxiliary device, and there are none here; name a PCI function, "
                    "such as pci/0000:03:00.0");
    if (starts_with(rest, "pci/"))
        rest.remove_prefix(4);
    pci_addr_ = take_part(rest);
    if (wants_rep_)
        rep_name_ = take_part(rest);
    devargs_ = rest;
    if (!is_pci_addr(pci_addr_))
        return fail(DOCA_ERROR_INVALID_VALUE,
                    "does not begin with a PCI address, such as pci/0000:03:00.0");
    if (wants_rep_ && rep_name_.empty())
        return fail(DOCA_ERROR_INVALID_VALUE,
                    "names no representor behind the device, such as pci/0000:03:00.0,pf0hpf");
    return DOCA_SUCCESS;
}

doca_error_t DeviceValue::open_device(doca_argp_dev_open_cb_t callback, void *context)
{
    DeviceList list;
    doca_error_t result = doca_devinfo_create_list(&list.items, &list.num);
    if (result != DOCA_SUCCESS)
        return fail(result, "cannot be looked up: there is no list of devices");
    const std::span<doca_devinfo *> devices(list.items, list.num);
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const doca_devinfo *info) {
        std::uint8_t is_equal = 0;
        return doca_devinfo_is_equal_pci_addr(info, pci_addr_.c_str(), &is_equal) == DOCA_SUCCESS &&
               is_equal != 0;
    });
    if (found == devices.end())
        return fail(DOCA_ERROR_NOT_FOUND,
                    "is no device that this role sees (doca_caps --list-devs shows them)");
    doca_dev *dev = nullptr;
    result = callback != nullptr ? callback(*found, context, &dev) : doca_dev_open(*found, &dev);
    if (result == DOCA_SUCCESS && dev == nullptr)
        return fail(DOCA_ERROR_UNEXPECTED, "was opened by the program's callback, which gave NULL");
    if (result != DOCA_SUCCESS)
        return fail(result, "cannot be opened");
    value_.dev_ctx.dev = dev;
    return DOCA_SUCCESS;
}

doca_error_t DeviceValue::open_rep()
{
    RepList list;
    doca_error_t result = doca_devinfo_rep_create_list(
        value_.dev_ctx.dev, DOCA_DEVINFO_REP_FILTER_ALL, &list.items, &list.num);
    if (result == DOCA_ERROR_NOT_SUPPORTED)
        return fail(result,
                    "names a device that shows no representors; only the DPU side has them");
    if (result != DOCA_SUCCESS)
        return fail(result, "names a device whose representors cannot be listed");
    const std::span<doca_devinfo_rep *> reps(list.items, list.num);
    const auto found = std::find_if(reps.begin(), reps.end(), [&](const doca_devinfo_rep *rep) {
        return is_named(rep, rep_name_);
    });
    if (found == reps.end())
        return fail(DOCA_ERROR_NOT_FOUND,
                    "names no representor of the device (doca_caps --list-rep-devs shows them)");
    result = doca_dev_rep_open(*found, &value_.dev_rep);
    return result == DOCA_SUCCESS ? result : fail(result, "names a representor that does not open");
}

} // namespace softdoca
