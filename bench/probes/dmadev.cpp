// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// DPDK dmadev with its skeleton driver (a worker thread does the copies): nanoseconds for a 64 B
// copy, submit to completed. A process of its own beside the benchmark: for each line on standard
// input it measures once and answers "dmadev <depth> <ns> <depth> <ns>"; between two rounds the
// device is stopped, so that its worker disturbs nobody. Standard input at its end: it ends too.
//
// run: dmadev_probe MIN_MS EAL_OPTION... such as -l 0,1 --main-lcore=1 --no-huge -m 512 --no-pci
//      --vdev=dma_skeleton,lcore=0

#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr std::size_t kLen = 64;
constexpr std::size_t kWindow = 16384;

[[noreturn]] void fail(const char *what)
{
    std::printf("dmadev failed: %s\n", what);
    std::exit(1);
}

std::uint64_t now_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

std::int16_t open_device()
{
    if (rte_dma_count_avail() == 0)
        fail("no dma device");
    const std::int16_t dev = rte_dma_next_dev(0);
    rte_dma_conf conf{};
    conf.nb_vchans = 1;
    rte_dma_vchan_conf vchan{};
    vchan.direction = RTE_DMA_DIR_MEM_TO_MEM;
    vchan.nb_desc = 1024;
    if (rte_dma_configure(dev, &conf) != 0 || rte_dma_vchan_setup(dev, 0, &vchan) != 0)
        fail("set-up of the device");
    return dev;
}

rte_iova_t iova_of(const char *addr)
{
    return static_cast<rte_iova_t>(reinterpret_cast<std::uintptr_t>(addr));
}

void copy_many(std::int16_t dev, const char *src, char *dst, unsigned depth, std::uint64_t num)
{
    std::uint64_t in = 0, out = 0;
    std::size_t off = 0;
    while (out < num) {
        bool has_added = false;
        while (in - out < depth && in < num) {
            if (rte_dma_copy(dev, 0, iova_of(src + off), iova_of(dst + off), kLen, 0) < 0)
                break;
            in++;
            has_added = true;
            off = (off + kLen) & (kWindow - 1);
        }
        if (has_added)
            rte_dma_submit(dev, 0);
        std::uint16_t last;
        bool has_error = false;
        out += rte_dma_completed(dev, 0, static_cast<std::uint16_t>(depth), &last, &has_error);
        if (has_error)
            fail("a copy");
    }
}

double measure(std::int16_t dev, const char *src, char *dst, unsigned depth, double min_ms)
{
    for (std::uint64_t num = 1024;;) {
        const std::uint64_t start = now_ns();
        copy_many(dev, src, dst, depth, num);
        const double took_ns = static_cast<double>(now_ns() - start);
        if (took_ns >= min_ms * 1e6)
            return took_ns / static_cast<double>(num);
        num *= 2;
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const double min_ms = std::atof(argv[1]);
    argv[1] = argv[0];
    if (rte_eal_init(argc - 1, argv + 1) < 0)
        fail(rte_strerror(rte_errno));
    const std::int16_t dev = open_device();
    char *src = static_cast<char *>(rte_malloc("src", kWindow, 64));
    char *dst = static_cast<char *>(rte_malloc("dst", kWindow, 64));
    if (src == nullptr || dst == nullptr)
        fail("no memory");
    std::memset(src, 1, kWindow);
    std::memset(dst, 1, kWindow);

    std::printf("dmadev ready\n");
    std::fflush(stdout);
    for (char line[16]; std::fgets(line, sizeof line, stdin) != nullptr;) {
        if (rte_dma_start(dev) != 0)
            fail("start of the device");
        const double depth_32 = measure(dev, src, dst, 32, min_ms);
        const double depth_512 = measure(dev, src, dst, 512, min_ms);
        rte_dma_stop(dev);
        std::printf("dmadev 32 %.3f 512 %.3f\n", depth_32, depth_512);
        std::fflush(stdout);
    }
    return 0;
}
