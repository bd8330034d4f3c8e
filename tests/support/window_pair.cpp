// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/window_pair.hpp"

#include <softdoca/memory.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace softdoca::test {

namespace {

constexpr std::size_t kNumBufs = 1024;

/// A file that nobody can make smaller, mapped.
int sealed_file(std::size_t size, void **addr)
{
    const int fd = ::memfd_create("region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(size)) != 0)
        throw std::runtime_error("no file in memory");
    *addr = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        throw std::runtime_error("no seals");
    return fd;
}

} // namespace

const char *route_of(Via via)
{
    switch (via) {
    case Via::mapped:
    case Via::dmabuf:
        return "mapped";
    case Via::cross:
        return "cross";
    case Via::agent:
        return "agent";
    }
    return "?";
}

std::string name_of_route(const testing::TestParamInfo<Via> &info)
{
    return info.param == Via::dmabuf ? "dmabuf" : route_of(info.param);
}

void on_stage(Via via, const std::function<void()> &body)
{
    on_stage([&] {
        ::setenv("SOFTDOCA_WINDOW", route_of(via), 1);
        body();
    });
}

std::string first_device()
{
    const DevinfoList list;
    return pci_addr_of(list[0]);
}

std::string second_device()
{
    const DevinfoList list;
    return pci_addr_of(list[1]);
}

std::vector<std::byte> pattern(std::size_t size, unsigned seed)
{
    std::vector<std::byte> bytes(size);
    std::uint64_t word = (seed + 1) * 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < size; i += sizeof word) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        std::memcpy(bytes.data() + i, &word, std::min(sizeof word, size - i));
    }
    return bytes;
}

std::size_t first_difference(const void *left, const void *right, std::size_t size)
{
    if (std::memcmp(left, right, size) == 0)
        return size;
    const auto *const begin = static_cast<const std::byte *>(left);
    const auto found = std::mismatch(begin, begin + size, static_cast<const std::byte *>(right));
    return static_cast<std::size_t>(found.first - begin);
}

Region::Region(Via via, std::size_t size) : via_(via), size_(size)
{
    void *addr = nullptr;
    if (via == Via::mapped)
        must(softdoca_memory_alloc(size, &addr));
    else if (via == Via::dmabuf)
        fd_ = sealed_file(size, &addr);
    else
        addr = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (addr == MAP_FAILED)
        throw std::runtime_error("no memory for a region");
    data_ = static_cast<std::byte *>(addr);
}

Region::~Region()
{
    if (via_ == Via::mapped)
        EXPECT_EQ(softdoca_memory_free(data_), DOCA_SUCCESS);
    else
        ::munmap(data_, size_);
    if (fd_ >= 0)
        ::close(fd_);
}

void Region::fill(unsigned seed) const
{
    const std::vector<std::byte> bytes = pattern(size_, seed);
    std::memcpy(data_, bytes.data(), size_);
}

void Region::expect_pattern(unsigned seed) const
{
    EXPECT_EQ(first_difference(data_, pattern(size_, seed).data(), size_), size_);
}

void Region::close_to_writers() const
{
    constexpr int kFutureWrite = 0x10; // F_SEAL_FUTURE_WRITE, Linux 5.1
    if (via_ == Via::dmabuf && ::fcntl(fd_, F_ADD_SEALS, kFutureWrite) != 0)
        throw std::runtime_error("no seal");
}

doca_error_t Region::give_to(doca_mmap *mmap, std::size_t len) const
{
    if (via_ == Via::dmabuf)
        return doca_mmap_set_dmabuf_memrange(mmap, fd_, data_, 0, len);
    return doca_mmap_set_memrange(mmap, data_, len);
}

Exported::Exported(Via via, std::size_t size, std::uint32_t permissions,
                   const std::string &pci_addr)
    : device(pci_addr.c_str()), region(via, size)
{
    if ((permissions & DOCA_ACCESS_FLAG_PCI_READ_WRITE) == 0)
        region.close_to_writers();
    must(region.give_to(mmap, size));
    must(doca_mmap_set_permissions(mmap, permissions));
    must(doca_mmap_add_dev(mmap, device));
    must(doca_mmap_start(mmap));
}

std::string Exported::descriptor()
{
    const void *descriptor = nullptr;
    std::size_t len = 0;
    must(doca_mmap_export_pci(mmap, device, &descriptor, &len));
    return {static_cast<const char *>(descriptor), len};
}

Exporter::Exporter(Via via, std::size_t size, std::uint32_t permissions, const Act &act)
    : Process(other_role(), [&](Line &to_stage) {
          Exported exported(via, size, permissions);
          exported.region.fill(1);
          to_stage.send(exported.descriptor());
          act(exported, to_stage);
      })
{
}

void Exporter::wait(Exported &, Line &line)
{
    (void)line.wait();
}

doca_error_t try_import(doca_dev *dev, std::string_view descriptor, doca_mmap **import)
{
    return doca_mmap_create_from_export(nullptr, descriptor.data(), descriptor.size(), dev, import);
}

doca_error_t import_code(doca_dev *dev, std::string_view descriptor)
{
    Handle<doca_mmap, doca_mmap_destroy> import;
    return try_import(dev, descriptor, import.out());
}

Import::Import(doca_dev *dev, std::string_view descriptor)
{
    must(try_import(dev, descriptor, out()));
    void *addr = nullptr;
    must(doca_mmap_get_memrange(get(), &addr, &size_));
    base_ = static_cast<std::byte *>(addr);
}

Importer::Importer(std::uint32_t num_tasks, std::size_t area_len, const std::string &pci_addr)
    : device(pci_addr.c_str()), area(area_len), area_mmap(device, area), inventory(kNumBufs),
      context(device, pe, num_tasks)
{
    const auto ended = [this](doca_task *task) {
        ends.push_back({doca_task_get_user_data(task).u64, doca_task_get_status(task)});
        context.free(task);
    };
    context.on_success = ended;
    context.on_error = ended;
    must(context.start());
}

void Importer::submit(doca_buf *src, doca_buf *dst, std::uint64_t number)
{
    must(doca_task_submit(context.alloc(src, dst, {.u64 = number})));
}

doca_error_t Importer::copy(doca_buf *src, doca_buf *dst)
{
    ends.clear();
    submit(src, dst);
    if (!wait_for_ends(1)) {
        ADD_FAILURE() << "the copy does not end";
        return DOCA_ERROR_TIME_OUT;
    }
    reclaim();
    return ends.front().status;
}

doca_error_t Importer::read(const Import &import, std::size_t offset, std::size_t len)
{
    return copy(data(import, offset, len), room(offset, len));
}

doca_error_t Importer::write(const Import &import, std::size_t offset, std::size_t len)
{
    return copy(data(offset, len), room(import, offset, len));
}

bool Importer::recover()
{
    if (!wait_until(
            pe, [this] { return context.state() == DOCA_CTX_STATE_IDLE; }, patience()))
        return false;
    reclaim();
    ends.clear();
    (void)context.take();
    return context.start() == DOCA_SUCCESS;
}

void PrintTo(const Importer::End &end, std::ostream *out)
{
    *out << end.number << " " << doca_error_get_name(end.status);
}

} // namespace softdoca::test
