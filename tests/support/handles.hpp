// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// So that a failed expectation shows names, not numbers.
inline void PrintTo(const doca_error_t &code, std::ostream *out)
{
    *out << doca_error_get_name(code);
}

namespace softdoca::test {

/// A step of the set-up, which has to work before the test proper can begin: ends the test if it
/// does not. Not for callbacks: it throws.
inline void must(doca_error_t result, const char *file = __builtin_FILE(),
                 int line = __builtin_LINE())
{
    if (result == DOCA_SUCCESS)
        return;
    ADD_FAILURE_AT(file, line) << "a step of the set-up gave " << doca_error_get_name(result);
    throw std::runtime_error("the set-up failed");
}

/// Owner of an object that the library made. That its end must succeed is part of each test.
template <typename T, doca_error_t (*kDestroy)(T *)>
class Handle {
public:
    Handle() = default;
    ~Handle()
    {
        if (object_ != nullptr) {
            EXPECT_EQ(kDestroy(object_), DOCA_SUCCESS);
        }
    }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    T *get() const { return object_; }
    operator T *() const { return object_; }
    T **out() { return &object_; } ///< for the call that creates
    /// Destroys it here and now; if that is refused it stays.
    doca_error_t destroy()
    {
        const doca_error_t result = kDestroy(object_);
        if (result == DOCA_SUCCESS)
            object_ = nullptr;
        return result;
    }
    /// The test destroys it itself.
    T *release() { return std::exchange(object_, nullptr); }

private:
    T *object_ = nullptr;
};

/// A list of all devices of this process's role.
class DevinfoList {
public:
    DevinfoList() { must(doca_devinfo_create_list(&list_, &num_)); }
    ~DevinfoList() { EXPECT_EQ(doca_devinfo_destroy_list(list_), DOCA_SUCCESS); }
    DevinfoList(const DevinfoList &) = delete;
    DevinfoList &operator=(const DevinfoList &) = delete;

    std::uint32_t size() const { return num_; }
    doca_devinfo *operator[](std::size_t i) const { return list_[i]; }
    doca_devinfo **begin() const { return list_; }
    doca_devinfo **end() const { return list_ + num_; }
    /// The device of an address; nullptr if this role sees none.
    doca_devinfo *find(const char *pci_addr) const
    {
        for (doca_devinfo *devinfo : *this) {
            std::uint8_t is_equal = 0;
            must(doca_devinfo_is_equal_pci_addr(devinfo, pci_addr, &is_equal));
            if (is_equal != 0)
                return devinfo;
        }
        return nullptr;
    }

private:
    doca_devinfo **list_ = nullptr;
    std::uint32_t num_ = 0;
};

/// The long form of a device's PCI address.
inline std::string pci_addr_of(const doca_devinfo *devinfo)
{
    char text[DOCA_DEVINFO_PCI_ADDR_SIZE] = {};
    must(doca_devinfo_get_pci_addr_str(devinfo, text));
    return text;
}

/// An open device: the first that the role sees (03:00.0 on the DPU, 3b:00.0 on the host), or the
/// one with an address.
class Device : public Handle<doca_dev, doca_dev_close> {
public:
    Device()
    {
        const DevinfoList list;
        must(doca_dev_open(list[0], out()));
    }
    explicit Device(const char *pci_addr)
    {
        const DevinfoList list;
        must(doca_dev_open(list.find(pci_addr), out()));
    }
    doca_devinfo *info() const { return doca_dev_as_devinfo(get()); }
    std::string pci_addr() const { return pci_addr_of(info()); }
};

/// Zeroed memory that starts at a cache line (an mmap over other memory warns).
class Memory {
public:
    explicit Memory(std::size_t size)
        : bytes_(static_cast<std::byte *>(::operator new(size, kAlignment))), size_(size)
    {
        std::memset(data(), 0, size);
    }

    std::byte *data() const { return bytes_.get(); }
    std::byte *at(std::size_t offset) const { return data() + offset; }
    std::size_t size() const { return size_; }
    /// Every byte depends on its place, so that a shifted copy differs.
    void fill(unsigned seed) const
    {
        for (std::size_t i = 0; i < size_; ++i)
            bytes_.get()[i] = static_cast<std::byte>((i * 31 + i / 251 + seed) & 0xff);
    }

private:
    static constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(std::byte *bytes) const { ::operator delete(bytes, kAlignment); }
    };
    std::unique_ptr<std::byte, Free> bytes_;
    std::size_t size_;
};

/// A memory map, as created or started over some memory for one device.
class Mmap : public Handle<doca_mmap, doca_mmap_destroy> {
public:
    Mmap() { must(doca_mmap_create(out())); }
    Mmap(doca_dev *dev, void *addr, std::size_t len,
         std::uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)
        : Mmap()
    {
        must(doca_mmap_set_memrange(get(), addr, len));
        must(doca_mmap_set_permissions(get(), permissions));
        must(doca_mmap_add_dev(get(), dev));
        must(doca_mmap_start(get()));
    }
    Mmap(doca_dev *dev, const Memory &memory,
         std::uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE)
        : Mmap(dev, memory.data(), memory.size(), permissions)
    {
    }
};

/// A started inventory. It takes back at its end what the test has not returned.
class Inventory : public Handle<doca_buf_inventory, doca_buf_inventory_destroy> {
public:
    explicit Inventory(std::size_t num_elements)
    {
        must(doca_buf_inventory_create(num_elements, out()));
        must(doca_buf_inventory_start(get()));
    }
    ~Inventory()
    {
        if (get() != nullptr)
            take_back_all();
    }

    /// A buffer without data.
    doca_buf *by_addr(doca_mmap *mmap, void *addr, std::size_t len)
    {
        doca_buf *buf = nullptr;
        must(doca_buf_inventory_buf_get_by_addr(get(), mmap, addr, len, &buf));
        bufs_.push_back(buf);
        return buf;
    }
    /// A buffer full of data.
    doca_buf *by_data(doca_mmap *mmap, void *data, std::size_t len)
    {
        doca_buf *buf = nullptr;
        must(doca_buf_inventory_buf_get_by_data(get(), mmap, data, len, &buf));
        bufs_.push_back(buf);
        return buf;
    }
    std::uint32_t num_free() const
    {
        std::uint32_t num = 0;
        EXPECT_EQ(doca_buf_inventory_get_num_free_elements(get(), &num), DOCA_SUCCESS);
        return num;
    }
    void take_back_all()
    {
        for (doca_buf *buf : bufs_) {
            std::uint16_t refcount = 0;
            std::uint8_t is_first = 0;
            EXPECT_EQ(doca_buf_get_refcount(buf, &refcount), DOCA_SUCCESS);
            EXPECT_EQ(doca_buf_is_first_in_list(buf, &is_first), DOCA_SUCCESS);
            for (; is_first != 0 && refcount > 0; --refcount)
                EXPECT_EQ(doca_buf_dec_refcount(buf, nullptr), DOCA_SUCCESS);
        }
        bufs_.clear();
    }

private:
    std::vector<doca_buf *> bufs_; // given out; returned ones have no references
};

class Pe : public Handle<doca_pe, doca_pe_destroy> {
public:
    Pe() { must(doca_pe_create(out())); }
};

} // namespace softdoca::test
