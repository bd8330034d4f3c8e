// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include <doca_version.h>

#include <gtest/gtest.h>

TEST(DocaVersion, RuntimeIsTheLevelOfTheHeaders)
{
    EXPECT_STREQ(doca_version_runtime(), "3.3.0000");
    EXPECT_STREQ(doca_version(), doca_version_runtime());
}

TEST(DocaVersion, StringAgreesWithTheNumbers)
{
    EXPECT_EQ(DOCA_VERSION_MAJOR, 3);
    EXPECT_EQ(DOCA_VERSION_MINOR, 3);
    EXPECT_EQ(DOCA_VERSION_PATCH, 0);
    EXPECT_EQ(DOCA_VERSION_EXACT, 0x03030000U);
}

TEST(DocaVersion, ComparesWithOtherLevels)
{
    EXPECT_TRUE(DOCA_VERSION_EQ_CURRENT(3, 3, 0));
    EXPECT_FALSE(DOCA_VERSION_EQ_CURRENT(3, 2, 0));
    EXPECT_TRUE(DOCA_VERSION_LTE_CURRENT(2, 9, 1));
    EXPECT_TRUE(DOCA_VERSION_LTE_CURRENT(3, 3, 0));
    EXPECT_FALSE(DOCA_VERSION_LTE_CURRENT(3, 4, 0));
}
