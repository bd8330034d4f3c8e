// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/handles.hpp"

#include <softdoca/model.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace softdoca::test {

/// A variable of the environment for as long as this lives.
class Setting {
public:
    Setting(const char *name, const std::string &value) : name_(name)
    {
        ::setenv(name, value.c_str(), 1);
    }
    ~Setting() { ::unsetenv(name_); }
    Setting(const Setting &) = delete;
    Setting &operator=(const Setting &) = delete;

private:
    const char *name_;
};

/// Gives the levels of the log back at its end: those that SdkLog reads with.
class LogLevels {
public:
    LogLevels() = default;
    ~LogLevels()
    {
        EXPECT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO), DOCA_SUCCESS);
        EXPECT_EQ(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DEBUG), DOCA_SUCCESS);
    }
    LogLevels(const LogLevels &) = delete;
    LogLevels &operator=(const LogLevels &) = delete;
};

/// A Context alone.
struct ModelContextHandle : Handle<doca_ctx, softdoca_model_ctx_destroy> {
    ModelContextHandle() { must(doca_ctx_create(out())); }
};

/// The four objects, each made from the one above, over memory of its own. What the test has not
/// released is released at its end, which must succeed.
struct Model {
    static constexpr std::size_t kFrameLen = 1500;

    explicit Model(std::uint32_t access = DOCA_MEM_ACCESS_RW) : memory(64 * 1024)
    {
        must(doca_ctx_create(&ctx));
        must(doca_dev_open(doca_devinfo_get_first(ctx), &dev));
        must(doca_mem_reg(dev, memory.data(), memory.size(), access, &mem));
        must(doca_buf_create(mem, 0, kFrameLen, &buf));
    }
    ~Model()
    {
        EXPECT_EQ(doca_buf_destroy(buf), DOCA_SUCCESS);
        EXPECT_EQ(doca_mem_unreg(mem), DOCA_SUCCESS);
        EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
        EXPECT_EQ(doca_ctx_destroy(ctx), DOCA_SUCCESS);
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    doca_buf *another_buf(std::size_t offset, std::size_t len) const
    {
        doca_buf *made = nullptr;
        must(doca_buf_create(mem, offset, len, &made));
        return made;
    }
    doca_ctx_states state() const
    {
        doca_ctx_states found{};
        must(doca_ctx_get_state(ctx, &found));
        return found;
    }
    softdoca_model_device_counters counters() const
    {
        softdoca_model_device_counters found{};
        must(softdoca_model_counters(dev, &found));
        return found;
    }

    const Memory memory;
    doca_ctx *ctx = nullptr;
    doca_dev *dev = nullptr;
    doca_mem *mem = nullptr;
    doca_buf *buf = nullptr;
};

/// A pointer that nothing of the model has ever had. Reading from it would crash.
template <typename T>
T *garbage()
{
    return reinterpret_cast<T *>(std::uintptr_t{0x10});
}

} // namespace softdoca::test
