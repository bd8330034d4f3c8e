// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include <doca_error.h>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

/// Tables of what a call answers in each state of an object. A Scene is the object in one of its
/// states, with all it needs: it has kNumStates, kStateNames, is made from the number of a state,
/// and picture() tells all that a refused call must leave as it was.
namespace softdoca::test {

/// Nothing: the state cannot occur for this call.
using Answer = std::optional<doca_error_t>;

/// One line of a table.
template <typename Scene>
struct Row {
    const char *name;
    std::function<doca_error_t(Scene &)> call;
    std::array<Answer, Scene::kNumStates> answers;
    bool is_query = false; ///< changes nothing even when it succeeds
};

template <typename Scene>
void PrintTo(const Row<Scene> &row, std::ostream *out)
{
    *out << row.name;
}

template <typename Scene>
using Cell = std::tuple<Row<Scene>, std::size_t>;

template <typename Scene, std::size_t kNumRows>
std::vector<Cell<Scene>> cells_of(const Row<Scene> (&rows)[kNumRows])
{
    std::vector<Cell<Scene>> cells;
    for (const Row<Scene> &row : rows)
        for (std::size_t state = 0; state < Scene::kNumStates; ++state)
            if (row.answers[state])
                cells.emplace_back(row, state);
    return cells;
}

template <typename Scene>
std::string name_of_cell(const testing::TestParamInfo<Cell<Scene>> &info)
{
    const auto &[row, state] = info.param;
    return std::string(row.name) + Scene::kStateNames[state];
}

/// Makes the call in a fresh scene.
template <typename Scene>
void check_cell(const Cell<Scene> &cell)
{
    const auto &[row, state] = cell;
    Scene scene(static_cast<typename Scene::State>(state));
    const std::string before = scene.picture();

    const doca_error_t result = row.call(scene);

    EXPECT_EQ(result, *row.answers[state]);
    const bool is_done = result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS;
    if (row.is_query || !is_done) {
        EXPECT_EQ(scene.picture(), before);
    }
}

/// Something that is not NULL, for objects that cannot be made: a call must not look into it.
template <typename T>
T *made_up()
{
    static long long something;
    return reinterpret_cast<T *>(&something);
}

} // namespace softdoca::test
