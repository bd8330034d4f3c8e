// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// NULL and other nonsense for the calls that make log backends: none of these makes one.

#include "support/handles.hpp"
#include "unit/codes/untouched.hpp"

#include <doca_log.h>

#include <gtest/gtest.h>

#include <cstdio>

using softdoca::test::Untouched;

TEST(NullPointersLog, Backends)
{
    using Backend = Untouched<doca_log_backend *>;
    const auto on_flush = [](char *) {};
    char text[8];

    EXPECT_EQ(doca_log_backend_create_with_file(nullptr, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_file(stderr, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd(-1, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd(2, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(nullptr, 8, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(text, 0, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(text, 8, nullptr, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf(text, 8, on_flush, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog(nullptr, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog("name", nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST(NullPointersLog, SdkBackends)
{
    using Backend = Untouched<doca_log_backend *>;
    const auto on_flush = [](char *) {};
    char text[8];

    EXPECT_EQ(doca_log_backend_create_with_file_sdk(nullptr, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_file_sdk(stderr, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd_sdk(-1, Backend()), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_fd_sdk(2, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(nullptr, 8, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(text, 0, on_flush, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(text, 8, nullptr, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_buf_sdk(text, 8, on_flush, nullptr),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog_sdk(nullptr, Backend()),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_backend_create_with_syslog_sdk("name", nullptr), DOCA_ERROR_INVALID_VALUE);
}
