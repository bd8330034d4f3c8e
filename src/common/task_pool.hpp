// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "common/task.hpp"

#include <memory>

namespace softdoca {

/// A pool of tasks of type T, which derives from doca_task.
template <typename T>
class TypedTaskPool final : public TaskPool {
public:
    TypedTaskPool(doca_ctx &ctx, std::uint32_t num_tasks)
        : TaskPool(num_tasks), tasks_(std::make_unique<T[]>(num_tasks))
    {
        for (std::uint32_t i = num_tasks; i-- > 0;) // so that the first is taken first
            adopt(tasks_[i], ctx);
    }

    [[nodiscard]] T *take() noexcept { return static_cast<T *>(TaskPool::take()); }

private:
    std::unique_ptr<T[]> tasks_;
};

} // namespace softdoca
