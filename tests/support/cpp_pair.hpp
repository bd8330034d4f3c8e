// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/cpp_error.hpp"
#include "support/two_process.hpp"

#include <softdoca/doca.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>

/// A DPU process and a host process that use the C++ layer.
namespace softdoca::test {

inline const std::string kService = "cpp";

/// Every complaint of a destructor is a failure.
inline void forbid_complaints()
{
    doca::set_complaint([](const char *line) noexcept { ADD_FAILURE() << line; });
}

struct DpuSide {
    explicit DpuSide(doca::Wait wait = doca::Wait::polling, doca::ComchOptions options = {})
        : device(std::string("03:00.0")), representor(device, "3b:00.0"),
          server(device, representor, engine, kService, options), executor(engine, wait)
    {
    }

    doca::Device device;
    doca::Representor representor;
    doca::ProgressEngine engine;
    doca::ComchServer server;
    doca::Executor executor;
};

struct HostSide {
    explicit HostSide(doca::Wait wait = doca::Wait::polling)
        : device(std::string("3b:00.0")), executor(engine, wait)
    {
    }

    doca::Device device;
    doca::ProgressEngine engine;
    doca::Executor executor;
};

/// The stage plays its own role. What one side sends by its line the other receives.
inline void on_both_sides(const Process::Body &dpu, const Process::Body &host)
{
    const bool is_dpu = own_role() == "dpu";
    on_stage([&] {
        forbid_complaints();
        Process peer(other_role(), is_dpu ? host : dpu);
        (is_dpu ? dpu : host)(peer.line);
    });
}
inline void on_one_side(const std::string &role, const std::function<void()> &body)
{
    on_stage([&] {
        forbid_complaints();
        Process alone(role, [&](Line &) { body(); });
        alone.join();
    });
}

} // namespace softdoca::test
