// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/raw_peer.hpp"
#include "support/two_process.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace softdoca::test::raw {

/// What an exporter answers to each request; nothing where it is empty. The serial of the request
/// is put into the answer.
struct Script {
    std::string hello, window, staging, copy;
    std::string window_for_copies; ///< over the second connection
    std::vector<int> hello_fds, window_fds;
    std::uint16_t flooded =
        0; ///< this type is answered again and again, as if to an earlier request
};

/// The fields of a window_reply.
struct WindowClaim {
    std::uint32_t status = kOk, slot = 0;
    std::uint64_t generation = 1, addr = 0, len = 0, offset = 0, probe_addr = 0;
    std::uint32_t permissions = 0, side = 0;
    std::string node, pci;

    std::string bytes() const;
};

/// A process of the fabric that is an exporter only by what it says: of kSize bytes of sealed
/// memory.
class Exporter {
public:
    /// node, pci: of the function that it claims to export with.
    Exporter(const std::string &node, const std::string &pci);
    ~Exporter();
    Exporter(const Exporter &) = delete;
    Exporter &operator=(const Exporter &) = delete;

    static constexpr std::size_t kSize = 64 * 1024;

    const std::string &descriptor() const { return descriptor_; }
    /// The truth: with it an import and copies succeed. A copy_reply of one piece.
    Script truth() const;
    std::string hello_reply(std::uint32_t status, std::string_view id) const;
    WindowClaim window_claim() const { return claim_; }

    /// Answers whoever connects until a message comes on the line, which is left there.
    void serve(const Script &script, const Line &line);

    const std::string process = random_bytes(16);
    StatusPage page{process};
    Fd memory = memory_file(kSize, kSealSize);

private:
    bool answer(const Socket &peer, const Script &script) const;

    Fd listener_, record_;
    std::string path_;
    unsigned char *data_;
    WindowClaim claim_;
    std::string descriptor_;
    std::vector<Socket> peers_;
};

} // namespace softdoca::test::raw
