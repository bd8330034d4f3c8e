// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// What a server holds: its device, and its representor.

#include "support/comch_pair.hpp"

#include <gtest/gtest.h>

using namespace softdoca::test;

TEST(ComchDevice, ARepresentorStaysOpenWhileAServerUsesIt)
{
    on_stage([] {
        const Process dpu("dpu", [](Line &) {
            const Device device("0000:03:00.0");
            Representor rep(device);
            doca_comch_server *server = nullptr;
            must(doca_comch_server_create(device, rep, "svc", &server));

            EXPECT_EQ(doca_dev_rep_close(rep), DOCA_ERROR_IN_USE);
            EXPECT_EQ(doca_dev_close(device), DOCA_ERROR_IN_USE);

            must(doca_comch_server_destroy(server)); // then both are closed
        });
    });
}
