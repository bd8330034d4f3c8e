// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "support/handles.hpp"

#include <softdoca/model.h>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace {

const std::map<doca_error_t, softdoca_error_class> kClasses = {
    {DOCA_SUCCESS, SOFTDOCA_ERROR_CLASS_NONE},
    {DOCA_ERROR_INVALID_VALUE, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_NOT_SUPPORTED, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_NOT_PERMITTED, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_NOT_FOUND, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_ALREADY_EXIST, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_UNSUPPORTED_VERSION, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_TOO_BIG, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_BAD_CONFIG, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_AUTHENTICATION, SOFTDOCA_ERROR_CLASS_ARGUMENT},
    {DOCA_ERROR_NO_MEMORY, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_BAD_STATE, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_IN_USE, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_FULL, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_EMPTY, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_INITIALIZATION, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_NOT_CONNECTED, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_SHUTDOWN, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_OPERATING_SYSTEM, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_DRIVER, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_UNEXPECTED, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_UNKNOWN, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_SKIPPED, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_DEVICE_FATAL_ERROR, SOFTDOCA_ERROR_CLASS_RESOURCE},
    {DOCA_ERROR_AGAIN, SOFTDOCA_ERROR_CLASS_TRANSIENT},
    {DOCA_ERROR_IO_FAILED, SOFTDOCA_ERROR_CLASS_TRANSIENT},
    {DOCA_ERROR_TIME_OUT, SOFTDOCA_ERROR_CLASS_TRANSIENT},
    {DOCA_ERROR_NO_LOCK, SOFTDOCA_ERROR_CLASS_TRANSIENT},
    {DOCA_ERROR_IN_PROGRESS, SOFTDOCA_ERROR_CLASS_TRANSIENT},
    {DOCA_ERROR_CONNECTION_INPROGRESS, SOFTDOCA_ERROR_CLASS_TRANSIENT},
    {DOCA_ERROR_CONNECTION_RESET, SOFTDOCA_ERROR_CLASS_TRANSIENT},
    {DOCA_ERROR_CONNECTION_ABORTED, SOFTDOCA_ERROR_CLASS_TRANSIENT},
};

bool says(doca_error_t error, const char *words)
{
    return std::string(softdoca_error_advice(error)).find(words) != std::string::npos;
}

TEST(ModelErrorClass, EachCodeHasOne)
{
    ASSERT_EQ(kClasses.size(), DOCA_ERROR_DEVICE_FATAL_ERROR + 1u);
    for (const auto &[error, wanted] : kClasses)
        EXPECT_EQ(softdoca_error_classify(error), wanted) << doca_error_get_name(error);
}

TEST(ModelErrorClass, EachCodeHasAnAdviceOfItsOwn)
{
    std::set<std::string> advices;
    for (const auto &[error, ignored] : kClasses) {
        const std::string advice = softdoca_error_advice(error);
        EXPECT_TRUE(std::isupper(static_cast<unsigned char>(advice.front()))) << advice;
        EXPECT_EQ(advice.find('.'), advice.size() - 1) << advice; // one sentence
        advices.insert(advice);
    }
    EXPECT_EQ(advices.size(), kClasses.size());
}

TEST(ModelErrorClass, NumbersThatAreNoCodeAreResource)
{
    for (const int number : {32, 1000, -1}) {
        EXPECT_EQ(softdoca_error_classify(static_cast<doca_error_t>(number)),
                  SOFTDOCA_ERROR_CLASS_RESOURCE);
        EXPECT_TRUE(says(static_cast<doca_error_t>(number), "no error code"));
    }
}

TEST(ModelErrorClass, AdviceCarriesTheTwoRemarks)
{
    EXPECT_TRUE(says(DOCA_ERROR_IN_PROGRESS, "not a failure"));
    EXPECT_TRUE(says(DOCA_ERROR_CONNECTION_INPROGRESS, "not a failure"));
    EXPECT_TRUE(says(DOCA_ERROR_IO_FAILED, "DMA task also stops its context"));
    EXPECT_TRUE(says(DOCA_ERROR_IO_FAILED, "restart"));
}

} // namespace
