// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Devices and representors: lists of what there is, and what is open.

#pragma once

#include "handle.hpp"

#include <doca_dev.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#ifdef doca_dev_open // it gives another meaning to names that are used below
#error "include softdoca/doca.hpp before softdoca/model.h"
#endif

namespace doca {

namespace detail {

/// A text of at most size bytes with its NUL, as a getter of the C API writes it.
template <std::size_t size, typename Getter>
result<std::string> text_of(const char *call, Getter getter) noexcept
{
    std::array<char, size> text{};
    const doca_error_t code = getter(text.data());
    if (code != DOCA_SUCCESS)
        return Failure{code, call};
    text.back() = '\0';
    return no_throw([&]() -> result<std::string> { return std::string(text.data()); });
}

/// A number or an address, by an out-parameter.
template <typename T, typename Getter>
result<T> value_of(const char *call, Getter getter) noexcept
{
    T value{};
    const doca_error_t code = getter(&value);
    if (code != DOCA_SUCCESS)
        return Failure{code, call};
    return value;
}

} // namespace detail

/// What is known of a device before it is opened. A view: valid as long as its list or device is.
class DeviceInfo {
public:
    explicit DeviceInfo(doca_devinfo *info) noexcept : info_(info) {}

    doca_devinfo *get() const noexcept { return info_; }

    /// As "0000:03:00.0".
    result<std::string> pci_addr(std::nothrow_t) const noexcept
    {
        return detail::text_of<DOCA_DEVINFO_PCI_ADDR_SIZE>(
            "doca_devinfo_get_pci_addr_str",
            [&](char *text) { return doca_devinfo_get_pci_addr_str(info_, text); });
    }
    std::string pci_addr() const { return pci_addr(std::nothrow).value(); }

    /// Takes "03:00.0" as well as "0000:03:00.0".
    result<bool> has_pci_addr(std::nothrow_t, const std::string &addr) const noexcept
    {
        const auto is_equal = detail::value_of<std::uint8_t>(
            "doca_devinfo_is_equal_pci_addr", [&](std::uint8_t *value) {
                return doca_devinfo_is_equal_pci_addr(info_, addr.c_str(), value);
            });
        if (!is_equal)
            return is_equal.failure();
        return *is_equal != 0;
    }
    bool has_pci_addr(const std::string &addr) const
    {
        return has_pci_addr(std::nothrow, addr).value();
    }

    /// As "p0"; DOCA_ERROR_NOT_FOUND if it has none.
    result<std::string> iface_name(std::nothrow_t) const noexcept
    {
        return detail::text_of<DOCA_DEVINFO_IFACE_NAME_SIZE>(
            "doca_devinfo_get_iface_name", [&](char *text) {
                return doca_devinfo_get_iface_name(info_, text, DOCA_DEVINFO_IFACE_NAME_SIZE);
            });
    }
    std::string iface_name() const { return iface_name(std::nothrow).value(); }

    /// As "mlx5_0".
    result<std::string> ibdev_name(std::nothrow_t) const noexcept
    {
        return detail::text_of<DOCA_DEVINFO_IBDEV_NAME_SIZE>(
            "doca_devinfo_get_ibdev_name", [&](char *text) {
                return doca_devinfo_get_ibdev_name(info_, text, DOCA_DEVINFO_IBDEV_NAME_SIZE);
            });
    }
    std::string ibdev_name() const { return ibdev_name(std::nothrow).value(); }

    using MacAddress = std::array<std::uint8_t, DOCA_DEVINFO_MAC_ADDR_SIZE>;
    result<MacAddress> mac_addr(std::nothrow_t) const noexcept
    {
        return detail::value_of<MacAddress>("doca_devinfo_get_mac_addr", [&](MacAddress *value) {
            return doca_devinfo_get_mac_addr(info_, value->data(), DOCA_DEVINFO_MAC_ADDR_SIZE);
        });
    }
    MacAddress mac_addr() const { return mac_addr(std::nothrow).value(); }

private:
    doca_devinfo *info_;
};

namespace detail {

/// A capability that is a number.
struct CapQuery {
    const char *call;
    doca_error_t (*query)(const doca_devinfo *, std::uint32_t *);
    std::uint32_t *value;
};

inline result<void> answer(DeviceInfo info, std::span<const CapQuery> queries) noexcept
{
    for (const CapQuery &one : queries) {
        const doca_error_t code = one.query(info.get(), one.value);
        if (code != DOCA_SUCCESS)
            return Failure{code, one.call};
    }
    return {};
}

} // namespace detail

/// What is known of a representor before it is opened. A view, as DeviceInfo is.
class RepresentorInfo {
public:
    explicit RepresentorInfo(doca_devinfo_rep *info) noexcept : info_(info) {}

    doca_devinfo_rep *get() const noexcept { return info_; }

    /// Of the host's function that it stands for, as "0000:3b:00.0".
    result<std::string> pci_addr(std::nothrow_t) const noexcept
    {
        return detail::text_of<DOCA_DEVINFO_REP_PCI_ADDR_SIZE>(
            "doca_devinfo_rep_get_pci_addr_str",
            [&](char *text) { return doca_devinfo_rep_get_pci_addr_str(info_, text); });
    }
    std::string pci_addr() const { return pci_addr(std::nothrow).value(); }

    result<bool> has_pci_addr(std::nothrow_t, const std::string &addr) const noexcept
    {
        const auto is_equal = detail::value_of<std::uint8_t>(
            "doca_devinfo_rep_is_equal_pci_addr", [&](std::uint8_t *value) {
                return doca_devinfo_rep_is_equal_pci_addr(info_, addr.c_str(), value);
            });
        if (!is_equal)
            return is_equal.failure();
        return *is_equal != 0;
    }
    bool has_pci_addr(const std::string &addr) const
    {
        return has_pci_addr(std::nothrow, addr).value();
    }

    result<std::string> vuid(std::nothrow_t) const noexcept
    {
        return detail::text_of<DOCA_DEVINFO_REP_VUID_SIZE>(
            "doca_devinfo_rep_get_vuid", [&](char *text) {
                return doca_devinfo_rep_get_vuid(info_, text, DOCA_DEVINFO_REP_VUID_SIZE);
            });
    }
    std::string vuid() const { return vuid(std::nothrow).value(); }

private:
    doca_devinfo_rep *info_;
};

namespace detail {

/// Owns an array of infos as the C API makes it, and is a range of views on them.
template <typename Info, typename CInfo, auto destroy, Literal name>
class InfoList {
public:
    class Iterator {
    public:
        explicit Iterator(CInfo **at) noexcept : at_(at) {}
        Info operator*() const noexcept { return Info(*at_); }
        Iterator &operator++() noexcept
        {
            ++at_;
            return *this;
        }
        bool operator==(const Iterator &) const = default;

    private:
        CInfo **at_;
    };

    std::size_t size() const noexcept { return num_; }
    Info operator[](std::size_t i) const noexcept { return Info(list_.get()[i]); }
    Iterator begin() const noexcept { return Iterator(list_.get()); }
    Iterator end() const noexcept { return Iterator(list_.get() + num_); }

protected:
    using Owner = Handle<CInfo *, destroy, name>;
    InfoList(Owner list, std::uint32_t num) noexcept : list_(std::move(list)), num_(num) {}

private:
    Owner list_;
    std::uint32_t num_;
};

} // namespace detail

/// The devices that this process sees.
class DeviceList : public detail::InfoList<DeviceInfo, doca_devinfo, doca_devinfo_destroy_list,
                                           "doca_devinfo_destroy_list"> {
public:
    static result<DeviceList> create(std::nothrow_t) noexcept
    {
        doca_devinfo **list = nullptr;
        std::uint32_t num = 0;
        const doca_error_t code = doca_devinfo_create_list(&list, &num);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_devinfo_create_list"};
        return DeviceList(Owner(list), num);
    }
    DeviceList() : DeviceList(create(std::nothrow).value()) {}

private:
    using InfoList::InfoList;
};

/// An open device. What is made of it keeps it open.
class Device {
public:
    static result<Device> open(std::nothrow_t, DeviceInfo info) noexcept
    {
        auto device = detail::make<Owner>("doca_dev_open", doca_dev_open, info.get());
        if (!device)
            return device.failure();
        return detail::no_throw([&]() -> result<Device> { return Device(*std::move(device)); });
    }
    /// The first for which the predicate is true; DOCA_ERROR_NOT_FOUND if there is none. Throws
    /// what the predicate throws.
    template <std::predicate<DeviceInfo> Predicate>
    static result<Device>
    find(std::nothrow_t,
         Predicate is_wanted) noexcept(std::is_nothrow_invocable_v<Predicate &, DeviceInfo>)
    {
        const auto list = DeviceList::create(std::nothrow);
        if (!list)
            return list.failure();
        for (const DeviceInfo info : *list) {
            if (is_wanted(info))
                return open(std::nothrow, info);
        }
        return Failure{DOCA_ERROR_NOT_FOUND, "doca::Device::find"};
    }
    static result<Device> open(std::nothrow_t, const std::string &pci_addr) noexcept
    {
        return find(std::nothrow, [&](DeviceInfo info) noexcept {
            const auto is_wanted = info.has_pci_addr(std::nothrow, pci_addr);
            return is_wanted && *is_wanted;
        });
    }

    explicit Device(DeviceInfo info) : Device(open(std::nothrow, info).value()) {}
    /// By its address, as "03:00.0".
    explicit Device(const std::string &pci_addr) : Device(open(std::nothrow, pci_addr).value()) {}
    template <std::predicate<DeviceInfo> Predicate>
    explicit Device(Predicate is_wanted) : Device(find(std::nothrow, is_wanted).value())
    {
    }

    /// One more handle of a device that is open (shared()).
    explicit Device(std::shared_ptr<doca_dev> device) noexcept : dev_(std::move(device)) {}

    Device(Device &&) noexcept = default;
    Device &operator=(Device &&) noexcept = default;

    doca_dev *get() const noexcept { return dev_.get(); }
    DeviceInfo info() const noexcept { return DeviceInfo(doca_dev_as_devinfo(dev_.get())); }
    /// For objects that need it to stay open.
    const std::shared_ptr<doca_dev> &shared() const noexcept { return dev_; }

private:
    using Owner = detail::Handle<doca_dev, doca_dev_close, "doca_dev_close">;
    explicit Device(Owner device) : dev_(std::move(device)) {}

    std::shared_ptr<doca_dev> dev_;
};

/// The representors of a device.
class RepresentorList
    : public detail::InfoList<RepresentorInfo, doca_devinfo_rep, doca_devinfo_rep_destroy_list,
                              "doca_devinfo_rep_destroy_list"> {
public:
    static result<RepresentorList>
    create(std::nothrow_t, const Device &device,
           doca_devinfo_rep_filter filter = DOCA_DEVINFO_REP_FILTER_NET) noexcept
    {
        doca_devinfo_rep **list = nullptr;
        std::uint32_t num = 0;
        const doca_error_t code = doca_devinfo_rep_create_list(device.get(), filter, &list, &num);
        if (code != DOCA_SUCCESS)
            return Failure{code, "doca_devinfo_rep_create_list"};
        return RepresentorList(Owner(list), num);
    }
    explicit RepresentorList(const Device &device,
                             doca_devinfo_rep_filter filter = DOCA_DEVINFO_REP_FILTER_NET)
        : RepresentorList(create(std::nothrow, device, filter).value())
    {
    }

private:
    using InfoList::InfoList;
};

/// An open representor; it keeps its device open.
class Representor {
public:
    static result<Representor> open(std::nothrow_t, const Device &device,
                                    RepresentorInfo info) noexcept
    {
        auto rep = detail::make<Owner>("doca_dev_rep_open", doca_dev_rep_open, info.get());
        if (!rep)
            return rep.failure();
        return detail::no_throw(
            [&]() -> result<Representor> { return Representor(device, *std::move(rep)); });
    }
    /// By the address of the host's function, as "3b:00.0"; DOCA_ERROR_NOT_FOUND if there is none.
    static result<Representor> open(std::nothrow_t, const Device &device,
                                    const std::string &pci_addr) noexcept
    {
        const auto list = RepresentorList::create(std::nothrow, device);
        if (!list)
            return list.failure();
        for (const RepresentorInfo info : *list) {
            const auto is_wanted = info.has_pci_addr(std::nothrow, pci_addr);
            if (is_wanted && *is_wanted)
                return open(std::nothrow, device, info);
        }
        return Failure{DOCA_ERROR_NOT_FOUND, "doca::Representor::open"};
    }

    Representor(const Device &device, RepresentorInfo info)
        : Representor(open(std::nothrow, device, info).value())
    {
    }
    Representor(const Device &device, const std::string &pci_addr)
        : Representor(open(std::nothrow, device, pci_addr).value())
    {
    }

    Representor(Representor &&) noexcept = default;
    Representor &operator=(Representor &&) noexcept = default;

    doca_dev_rep *get() const noexcept { return rep_.get(); }
    RepresentorInfo info() const noexcept
    {
        return RepresentorInfo(doca_dev_rep_as_devinfo(rep_.get()));
    }
    const std::shared_ptr<doca_dev_rep> &shared() const noexcept { return rep_; }

private:
    using Owner = detail::Handle<doca_dev_rep, doca_dev_rep_close, "doca_dev_rep_close">;
    struct Parts {
        std::shared_ptr<doca_dev> device; // closes after the representor
        Owner rep;
    };
    Representor(const Device &device, Owner rep)
    {
        const auto parts = std::make_shared<Parts>(Parts{device.shared(), nullptr});
        parts->rep = std::move(rep);
        rep_ = {parts, parts->rep.get()};
    }

    std::shared_ptr<doca_dev_rep> rep_; // a reference to its parts
};

} // namespace doca
