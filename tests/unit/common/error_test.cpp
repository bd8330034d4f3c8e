// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include <doca_error.h>

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace {

struct Code {
    doca_error_t number;
    const char *name;
    const char *descr;
};

constexpr std::array kCodes = {
    Code{DOCA_SUCCESS, "DOCA_SUCCESS", "Success"},
    Code{DOCA_ERROR_UNKNOWN, "DOCA_ERROR_UNKNOWN", "Unknown error"},
    Code{DOCA_ERROR_NOT_PERMITTED, "DOCA_ERROR_NOT_PERMITTED", "Operation not permitted"},
    Code{DOCA_ERROR_IN_USE, "DOCA_ERROR_IN_USE", "Resource already in use"},
    Code{DOCA_ERROR_NOT_SUPPORTED, "DOCA_ERROR_NOT_SUPPORTED", "Operation not supported"},
    Code{DOCA_ERROR_AGAIN, "DOCA_ERROR_AGAIN", "Resource temporarily unavailable, try again"},
    Code{DOCA_ERROR_INVALID_VALUE, "DOCA_ERROR_INVALID_VALUE", "Invalid input"},
    Code{DOCA_ERROR_NO_MEMORY, "DOCA_ERROR_NO_MEMORY", "Memory allocation failure"},
    Code{DOCA_ERROR_INITIALIZATION, "DOCA_ERROR_INITIALIZATION", "Resource initialization failure"},
    Code{DOCA_ERROR_TIME_OUT, "DOCA_ERROR_TIME_OUT", "Timer expired waiting for resource"},
    Code{DOCA_ERROR_SHUTDOWN, "DOCA_ERROR_SHUTDOWN", "Shut down in process or completed"},
    Code{DOCA_ERROR_CONNECTION_RESET, "DOCA_ERROR_CONNECTION_RESET", "Connection reset by peer"},
    Code{DOCA_ERROR_CONNECTION_ABORTED, "DOCA_ERROR_CONNECTION_ABORTED", "Connection aborted"},
    Code{DOCA_ERROR_CONNECTION_INPROGRESS, "DOCA_ERROR_CONNECTION_INPROGRESS",
         "Connection in progress"},
    Code{DOCA_ERROR_NOT_CONNECTED, "DOCA_ERROR_NOT_CONNECTED", "Not Connected"},
    Code{DOCA_ERROR_NO_LOCK, "DOCA_ERROR_NO_LOCK", "Unable to acquire required lock"},
    Code{DOCA_ERROR_NOT_FOUND, "DOCA_ERROR_NOT_FOUND", "Resource Not Found"},
    Code{DOCA_ERROR_IO_FAILED, "DOCA_ERROR_IO_FAILED", "Input/Output Operation Failed"},
    Code{DOCA_ERROR_BAD_STATE, "DOCA_ERROR_BAD_STATE", "Bad State"},
    Code{DOCA_ERROR_UNSUPPORTED_VERSION, "DOCA_ERROR_UNSUPPORTED_VERSION", "Unsupported version"},
    Code{DOCA_ERROR_OPERATING_SYSTEM, "DOCA_ERROR_OPERATING_SYSTEM",
         "Operating system call failure"},
    Code{DOCA_ERROR_DRIVER, "DOCA_ERROR_DRIVER", "DOCA Driver call failure"},
    Code{DOCA_ERROR_UNEXPECTED, "DOCA_ERROR_UNEXPECTED", "An unexpected scenario was detected"},
    Code{DOCA_ERROR_ALREADY_EXIST, "DOCA_ERROR_ALREADY_EXIST", "Resource already exist"},
    Code{DOCA_ERROR_FULL, "DOCA_ERROR_FULL", "No more space in resource"},
    Code{DOCA_ERROR_EMPTY, "DOCA_ERROR_EMPTY", "No entry is available in resource"},
    Code{DOCA_ERROR_IN_PROGRESS, "DOCA_ERROR_IN_PROGRESS", "Operation is in progress"},
    Code{DOCA_ERROR_TOO_BIG, "DOCA_ERROR_TOO_BIG", "Requested operation too big to be contained"},
    Code{DOCA_ERROR_AUTHENTICATION, "DOCA_ERROR_AUTHENTICATION", "Authentication failure"},
    Code{DOCA_ERROR_BAD_CONFIG, "DOCA_ERROR_BAD_CONFIG", "Configuration is not valid"},
    Code{DOCA_ERROR_SKIPPED, "DOCA_ERROR_SKIPPED",
         "Result is valid, but some previous output data was dropped"},
    Code{DOCA_ERROR_DEVICE_FATAL_ERROR, "DOCA_ERROR_DEVICE_FATAL_ERROR",
         "Device experienced a fatal error"},
};

} // namespace

TEST(DocaError, EveryCodeHasItsNumberNameAndText)
{
    int number = 0;
    for (const Code &code : kCodes) {
        EXPECT_EQ(static_cast<int>(code.number), number++) << code.name;
        EXPECT_STREQ(doca_error_get_name(code.number), code.name);
        EXPECT_STREQ(doca_error_get_descr(code.number), code.descr);
    }
}

TEST(DocaError, UnknownCodesAreUnrecognized)
{
    for (const int number : {32, 1000, -1}) {
        // Through the bytes: a cast to a value that the enum cannot hold would be undefined.
        doca_error_t code = DOCA_SUCCESS;
        static_assert(sizeof(code) == sizeof(number));
        std::memcpy(&code, &number, sizeof(code));
        EXPECT_STREQ(doca_error_get_name(code), "unrecognized error code") << number;
        EXPECT_STREQ(doca_error_get_descr(code), "unrecognized error code") << number;
    }
}

TEST(DocaError, IsErrorHoldsForAllButSuccess)
{
    EXPECT_FALSE(DOCA_IS_ERROR(DOCA_SUCCESS));
    EXPECT_TRUE(DOCA_IS_ERROR(DOCA_ERROR_UNKNOWN));
    EXPECT_TRUE(DOCA_IS_ERROR(DOCA_ERROR_IN_PROGRESS));
}

TEST(DocaError, PropagateKeepsTheFirstFailure)
{
    doca_error_t result = DOCA_SUCCESS;

    DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
    EXPECT_EQ(result, DOCA_SUCCESS);
    DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_IN_USE);
    EXPECT_EQ(result, DOCA_ERROR_IN_USE);
    DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_DRIVER);
    EXPECT_EQ(result, DOCA_ERROR_IN_USE);
}
