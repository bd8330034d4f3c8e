// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The exporter's end of a connection: messages and descriptors of an importer that knows the keys,
// the numbers and the format, and says what it likes. Only exported memory may change, and what it
// was granted ends with its connection.

#include "fuzz_fabric.hpp"

#include "fabric/agent_session.hpp"
#include "fabric/local_process.hpp"

#include <doca_types.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <sys/socket.h>

using namespace softdoca;
using fuzz::is_odd;
using fuzz::must;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::byte kCanary{0x5a};

/// Three pages, of which the middle one is exported.
struct Memory {
    std::byte *const pages = static_cast<std::byte *>(
        ::mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

    Memory() { std::fill_n(pages, 3 * kPage, kCanary); }
    std::byte *window() const { return pages + kPage; }
    static bool is_untouched(const std::byte *page)
    {
        return std::all_of(page, page + kPage, [](std::byte byte) { return byte == kCanary; });
    }
};

/// The exporter; made once.
struct Exporter {
    LocalProcess &process = *LocalProcess::get();
    Memory writable, read_only;
    ExportTable::Handle handles[2]{
        *process.exports().open(
            {writable.window(), kPage,
             DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE,
             &fuzz::own_function(), -1}),
        *process.exports().open({read_only.window(), kPage,
                                 DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_ONLY,
                                 &fuzz::own_function(), -1})};
    ProcessId peer = ProcessId::make();
    ProcessFd peer_page;
    CopyMark mark;
    std::size_t num_fds = 0; // after the first run

    Exporter()
    {
        must(mark.acquire(process.page()));
        auto memory = SharedMemory::create("peer", sizeof(StatusPage), 0, &peer_page);
        auto &page = *reinterpret_cast<StatusPage *>(memory.data());
        page.magic = StatusPage::kMagic;
        page.version = StatusPage::kVersion;
        page.process = peer;
    }
};

Exporter &exporter()
{
    (void)fuzz::own_fabric();
    static auto &made = *new Exporter;
    return made;
}

/// Addresses of interest: in the window, at its edges, and anywhere.
std::uint64_t some_address(FuzzedDataProvider &data, const Memory &memory)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.window());
    switch (data.ConsumeIntegralInRange(0, 3)) {
    case 3:
        return data.ConsumeIntegral<std::uint64_t>();
    case 2:
        return begin + kPage - data.ConsumeIntegralInRange<std::uint64_t>(0, 16);
    default:
        return begin + data.ConsumeIntegralInRange<std::uint64_t>(0, kPage + 8);
    }
}

std::uint64_t some_length(FuzzedDataProvider &data)
{
    return is_odd(data, 8) ? data.ConsumeIntegral<std::uint64_t>()
                           : data.ConsumeIntegralInRange<std::uint64_t>(0, kPage + 8);
}

std::vector<std::uint8_t> some_copy(FuzzedDataProvider &data, const Exporter &own)
{
    auto message = wire::make<wire::Copy>();
    const bool is_first = data.ConsumeBool();
    const ExportTable::Handle &handle = own.handles[is_first ? 0 : 1];
    message.slot = is_odd(data, 16) ? data.ConsumeIntegral<std::uint32_t>() : handle.slot;
    message.generation =
        is_odd(data, 16) ? data.ConsumeIntegral<std::uint64_t>() : handle.generation;
    message.is_write = data.ConsumeIntegralInRange<std::uint32_t>(0, 2);
    message.staging_offset = data.ConsumeBool() ? some_length(data) : 0;
    message.num_pieces = data.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    if (is_odd(data, 16))
        message.num_pieces = data.ConsumeIntegral<std::uint32_t>();
    for (std::size_t i = 0; i < 4; ++i)
        message.pieces[i] = {some_address(data, is_first ? own.writable : own.read_only),
                             some_length(data)};
    auto bytes = fuzz::bytes_of(data, message);
    fuzz::mend_header(data, wire::Type::copy, bytes);
    return bytes;
}

template <typename Message>
std::vector<std::uint8_t> finish(FuzzedDataProvider &data, const Message &message)
{
    auto bytes = fuzz::bytes_of(data, message);
    fuzz::mend_header(data, Message::kType, bytes);
    return bytes;
}

std::vector<std::uint8_t> some_hello(FuzzedDataProvider &data, const Exporter &own)
{
    auto message = fuzz::any<wire::Hello>(data);
    if (!is_odd(data, 8))
        wire::put_text(message.release, SOFTDOCA_VERSION);
    if (!is_odd(data, 8))
        message.process = is_odd(data, 8) ? ProcessId{} : own.peer;
    return finish(data, message);
}

std::vector<std::uint8_t> some_message(FuzzedDataProvider &data, const Exporter &own)
{
    switch (data.ConsumeIntegralInRange(0, 9)) {
    case 0:
        return some_hello(data, own);
    case 1:
    case 2: {
        auto message = fuzz::any<wire::OpenWindow>(data);
        if (!is_odd(data, 8))
            message.key = own.handles[data.ConsumeBool() ? 0 : 1].key;
        message.wants_tracing = 0; // or another fuzzer could not be traced
        return finish(data, message);
    }
    case 3: {
        auto message = fuzz::any<wire::CloseWindow>(data);
        const ExportTable::Handle &handle = own.handles[data.ConsumeBool() ? 0 : 1];
        message.slot = !is_odd(data, 8) ? handle.slot : message.slot;
        message.generation = handle.generation;
        return finish(data, message);
    }
    case 4: {
        auto message = fuzz::any<wire::AttachStaging>(data);
        if (!is_odd(data, 8))
            message.staging_len = fuzz::kMemorySize;
        return finish(data, message);
    }
    case 5:
    case 6:
    case 7:
        return some_copy(data, own);
    case 8:
        return finish(data, fuzz::any<wire::List>(data));
    default: {
        auto bytes = data.ConsumeBytes<std::uint8_t>(data.ConsumeIntegralInRange(1, 64));
        if (bytes.empty())
            bytes.push_back(0);
        fuzz::mend_header(data, static_cast<wire::Type>(data.ConsumeIntegral<std::uint16_t>()),
                          bytes);
        return bytes;
    }
    }
}

void check_answers(const UnixSocket &socket)
{
    static std::array<std::byte, sizeof(wire::ListReply)> buffer;
    for (;;) {
        const Received received = socket.receive(buffer);
        if (received.outcome != Received::Outcome::message)
            return;
        must(received.size <= buffer.size() &&
             wire::header_of({buffer.data(), received.size}).has_value());
    }
}

void check_memory(const Exporter &own)
{
    for (const Memory *const each : {&own.writable, &own.read_only}) {
        must(Memory::is_untouched(each->pages));
        must(Memory::is_untouched(each->pages + 2 * kPage));
    }
    must(Memory::is_untouched(own.read_only.window()));
}

/// But pipes, of which the fuzzer makes some for itself.
std::size_t num_open_fds()
{
    std::size_t num = 0;
    for (const auto &each : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code ignored;
        const std::string what = std::filesystem::read_symlink(each.path(), ignored);
        num += what.rfind("pipe:", 0) == 0 ? 0 : 1;
    }
    return num;
}

void check_nothing_is_kept(Exporter &own)
{
    for (const ExportTable::Row &row : own.process.exports().rows())
        must(row.num_imports == 0);
    static unsigned num_runs = 0;
    if (++num_runs % 512 != 1)
        return;
    const std::size_t num_fds = num_open_fds();
    must(own.num_fds == 0 || own.num_fds == num_fds);
    own.num_fds = num_fds;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size)
{
    Exporter &own = exporter();
    FuzzedDataProvider data(bytes, size);
    const std::vector<int> &fds = fuzz::descriptors(own.peer_page.get());
    int ends[2];
    must(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    const UnixSocket peer(ends[0]);
    {
        AgentSession session(own.process, UnixSocket(ends[1]), {::getpid(), ::geteuid(), 0},
                             Clock::now() + std::chrono::seconds(1));
        bool is_first = !is_odd(data, 16);
        while (data.remaining_bytes() > 0) {
            const auto message = is_first ? some_hello(data, own) : some_message(data, own);
            auto some = fuzz::some_descriptors(data, fds);
            if (some.empty() && !is_odd(data, 4))
                some.push_back(is_first ? fds[0] : fds[1]);
            some.resize(
                std::min<std::size_t>(some.size(), 2)); // as many as our sender has room for
            is_first = false;
            (void)peer.send(std::as_bytes(std::span(message)), some);
            const bool goes_on = session.serve(own.mark);
            check_answers(peer);
            if (!goes_on)
                break;
        }
    }
    check_memory(own);
    check_nothing_is_kept(own);
    return 0;
}
