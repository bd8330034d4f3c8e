// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/program.hpp"

#include <cstdlib>
#include <optional>
#include <string>

// ROLE_PROBE_DIR, where the builds of role_probe.cpp are, comes from the build.
namespace softdoca::test {

inline constexpr const char *kAnswersOfDpu =
    "0000:03:00.0: memcpy DOCA_SUCCESS, filter 1, list DOCA_SUCCESS 0000:3b:00.0\n"
    "0000:03:00.1: memcpy DOCA_SUCCESS, filter 1, list DOCA_SUCCESS 0000:3b:00.1\n";
inline constexpr const char *kAnswersOfHost =
    "0000:3b:00.0: memcpy DOCA_SUCCESS, filter 0, list DOCA_ERROR_NOT_SUPPORTED\n"
    "0000:3b:00.1: memcpy DOCA_SUCCESS, filter 0, list DOCA_ERROR_NOT_SUPPORTED\n";

/// Runs a build of role_probe.cpp ("host", "dpu" or "plain") with its WARNINGs and worse on stderr;
/// the variables that decide about the role are unset unless given.
inline Ended run_role_probe(const std::string &flavour, const Environment &environment = {})
{
    Environment whole;
    for (const char *name :
         {"SOFTDOCA_ROLE", "SOFTDOCA_TOPOLOGY", "SOFTDOCA_QUIET", "SOFTDOCA_LOG"})
        whole.emplace_back(name, std::nullopt);
    whole.insert(whole.end(), environment.begin(), environment.end());
    const char *const asan = std::getenv("ASAN_OPTIONS"); // it dislikes what is preloaded
    whole.emplace_back("ASAN_OPTIONS", (asan == nullptr ? "" : std::string(asan) + ":") +
                                           "verify_asan_link_order=0");
    return run_program(std::string(ROLE_PROBE_DIR) + "/role_probe_" + flavour, whole);
}

} // namespace softdoca::test
