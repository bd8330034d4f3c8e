// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "model_setup.hpp"

#include "support/dma_setup.hpp"
#include "support/sdk_log.hpp"

#include <cstdint>
#include <limits>

namespace {

using softdoca::test::DmaContext;
using softdoca::test::garbage;
using softdoca::test::Memory;
using softdoca::test::Model;
using softdoca::test::ModelContextHandle;
using softdoca::test::must;
using softdoca::test::Pe;
using softdoca::test::SdkLog;
using softdoca::test::Setting;
using softdoca::test::text_of;

TEST(ModelMemory, RegRefusesBadArguments)
{
    const Model model;
    doca_mem *mem = nullptr;
    void *const addr = model.memory.data();
    void *const last = reinterpret_cast<void *>(std::numeric_limits<std::uintptr_t>::max() - 15);

    EXPECT_EQ(doca_mem_reg(nullptr, addr, 64, DOCA_MEM_ACCESS_RW, &mem), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_reg(model.dev, nullptr, 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_reg(model.dev, addr, 64, DOCA_MEM_ACCESS_RW, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_reg(model.dev, addr, 0, DOCA_MEM_ACCESS_RW, &mem), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_reg(model.dev, last, 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_reg(model.dev, addr, SIZE_MAX, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_reg(garbage<doca_dev>(), addr, 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
    for (const std::uint32_t access : {0u, 3u, 5u, 12u, 16u, ~0u})
        EXPECT_EQ(doca_mem_reg(model.dev, addr, 64, access, &mem), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(mem, nullptr);
}

TEST(ModelMemory, OfAClosedDeviceIsRefused)
{
    const ModelContextHandle ctx;
    const Memory memory(64);
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    must(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
    must(doca_dev_close(dev));

    EXPECT_EQ(doca_mem_reg(dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelMemory, TakesEachAccess)
{
    const Model model;
    for (const std::uint32_t access :
         {DOCA_MEM_ACCESS_RO, DOCA_MEM_ACCESS_RW, DOCA_MEM_ACCESS_PCI_RO, DOCA_MEM_ACCESS_PCI_RW}) {
        doca_mem *mem = nullptr;

        EXPECT_EQ(doca_mem_reg(model.dev, model.memory.data(), 64, access, &mem), DOCA_SUCCESS);
        EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
    }
}

TEST(ModelMemory, AnyAlignmentWorksWithTheUsualWarning)
{
    const SdkLog log;
    const Model model;
    doca_mem *mem = nullptr;

    EXPECT_EQ(doca_mem_reg(model.dev, model.memory.at(1), 1000, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_SUCCESS);

    EXPECT_EQ(log.count({"[WRN]", text_of(model.memory.at(1)), "not aligned"}), 1);
    EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
}

TEST(ModelMemory, HasTwoAddressesThatAreEqual)
{
    const Model model;
    std::uint64_t host = 0, device = 0;

    EXPECT_EQ(softdoca_model_mem_addr(model.mem, &host, &device), DOCA_SUCCESS);

    EXPECT_EQ(host, reinterpret_cast<std::uintptr_t>(model.memory.data()));
    EXPECT_EQ(device, host);
    EXPECT_EQ(softdoca_model_mem_addr(nullptr, &host, &device), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_mem_addr(model.mem, nullptr, &device), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_mem_addr(model.mem, &host, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(softdoca_model_mem_addr(garbage<doca_mem>(), &host, &device),
              DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelMemory, WithABufferIsNotUnregistered)
{
    const SdkLog log;
    const Model model;

    EXPECT_EQ(doca_mem_unreg(model.mem), DOCA_ERROR_IN_USE);

    EXPECT_EQ(
        log.count({"[ERR]", "memory " + text_of(model.mem) +
                                " (65536 bytes) still has 1 buffer; call doca_buf_destroy first"}),
        1);
    EXPECT_EQ(log.count({"[ERR]"}), 1);
}

TEST(ModelMemory, UnregOfNullSucceedsAndOfDeadOnesIsRefused)
{
    const Model model;
    doca_mem *mem = nullptr;
    must(doca_mem_reg(model.dev, model.memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem));
    must(doca_mem_unreg(mem));

    EXPECT_EQ(doca_mem_unreg(nullptr), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_unreg(mem), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_mem_unreg(garbage<doca_mem>()), DOCA_ERROR_INVALID_VALUE);
}

TEST(ModelMemory, UnregFreesNothing)
{
    Model model;
    must(doca_buf_destroy(std::exchange(model.buf, nullptr)));

    EXPECT_EQ(doca_mem_unreg(std::exchange(model.mem, nullptr)), DOCA_SUCCESS);

    model.memory.fill(1); // its end frees it once, as ASan sees
}

TEST(ModelMemory, QuotaCountsTheBytesThatAreRegistered)
{
    const Setting setting("SOFTDOCA_MODEL_MAX_MEM", "65600");
    const Model model; // 65,536 of them
    const Memory memory(128);
    doca_mem *mem = nullptr;

    EXPECT_EQ(doca_mem_reg(model.dev, memory.data(), 65, DOCA_MEM_ACCESS_RW, &mem),
              DOCA_ERROR_NO_MEMORY);
    EXPECT_EQ(doca_mem_reg(model.dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_reg(model.dev, memory.data(), 64, DOCA_MEM_ACCESS_RW, &mem), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
}

/// What a DMA copy into a Memory of this access gives when it is submitted.
doca_error_t copy_into(std::uint32_t access)
{
    const Model model(access);
    const Memory source_memory(64);
    const Pe pe;
    DmaContext dma(model.dev, pe, 1);
    doca_mem *source_mem = nullptr;
    doca_buf *source = nullptr;
    source_memory.fill(7);
    must(doca_mem_reg(model.dev, source_memory.data(), 64, DOCA_MEM_ACCESS_RO, &source_mem));
    must(doca_buf_create(source_mem, 0, 64, &source));
    must(doca_buf_reset_data_len(model.buf));
    must(dma.start());
    doca_task *const task = dma.alloc(source, model.buf);

    const doca_error_t result = doca_task_try_submit(task);

    while (dma.num_inflight() > 0)
        doca_pe_progress(pe);
    EXPECT_EQ(std::memcmp(model.memory.data(), source_memory.data(), 64) == 0,
              result == DOCA_SUCCESS);
    dma.free(task);
    EXPECT_EQ(doca_buf_destroy(source), DOCA_SUCCESS);
    EXPECT_EQ(doca_mem_unreg(source_mem), DOCA_SUCCESS);
    return result;
}

TEST(ModelMemory, AccessHoldsForDmaOnTheSameDevice)
{
    EXPECT_EQ(copy_into(DOCA_MEM_ACCESS_RO), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(copy_into(DOCA_MEM_ACCESS_PCI_RO), DOCA_ERROR_NOT_PERMITTED);
    EXPECT_EQ(copy_into(DOCA_MEM_ACCESS_RW), DOCA_SUCCESS);
    EXPECT_EQ(copy_into(DOCA_MEM_ACCESS_PCI_RW), DOCA_SUCCESS);
}

} // namespace
