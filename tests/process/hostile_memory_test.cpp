// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The memory and the descriptors of importers that know a descriptor and say what they like, and
// those that they were given.

#include "support/hostile_scene.hpp"
#include "support/odd_files.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace softdoca::test;

TEST(HostilePeer, WrongDescriptorsAsStatusPage)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::OddFiles odd;
        for (const raw::OddFiles::Odd &each : odd.all())
            EXPECT_EQ(raw::Importer(scene.descriptor).greet_with({each.fd.get()}), raw::kBadMemory)
                << each.name;
        const raw::Importer raw(scene.descriptor), other(scene.descriptor);
        EXPECT_EQ(raw.greet_with({}), raw::kBadMemory);
        EXPECT_EQ(raw.greet_with({raw.page.fd(), raw.page.fd()}), raw::kBadMemory);
        EXPECT_EQ(raw.greet_with(std::vector<int>(12, raw.page.fd())), raw::kBadMemory);
        EXPECT_EQ(raw.greet_with({other.page.fd()}), raw::kBadMemory); // another process's
        raw.page.set_version(2);
        EXPECT_EQ(raw.greet(), raw::kBadMemory);
        raw.page.set_version(1);
        raw.page.set_magic(0);
        EXPECT_EQ(raw.greet(), raw::kBadMemory);
        EXPECT_TRUE(raw.socket.is_ended(patience(std::chrono::seconds(2)))); // still a stranger
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WrongDescriptorsAsStaging)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::OddFiles odd;
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            for (const raw::OddFiles::Odd &each : odd.all())
                EXPECT_EQ(raw.attach(kPage, {each.fd.get()}), raw::kBadMemory) << each.name;
            const raw::Fd good = raw::memory_file(kPage, raw::kSealSize);
            const raw::Fd can_grow = raw::memory_file(kPage, 0x2);
            const raw::Fd huge = raw::memory_file(std::size_t{1} << 40, raw::kSealSize);
            EXPECT_EQ(raw.attach(kPage, {can_grow.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(kPage, {}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(kPage, {good.get(), good.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(kPage + 1, {good.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(std::uint64_t{1} << 40, {huge.get()}), raw::kBadMemory);
            EXPECT_EQ(raw.attach(~std::uint64_t{0}, {good.get()}), raw::kBadMemory);
            raw.socket.send(raw.copy_message(false, {{scene.descriptor.addr, 1}}));
            EXPECT_TRUE(raw.socket.is_ended()); // it has no staging memory
        }
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            const raw::Fd other = raw::memory_file(kPage, raw::kSealSize);
            EXPECT_EQ(raw.attach(kPage, {other.get()}), std::nullopt); // one is enough
            EXPECT_TRUE(raw.socket.is_ended());
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, DescriptorsThatNobodyAskedFor)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const raw::OddFiles odd;
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            for (int round = 0; round < 200; ++round) {
                const int fd =
                    odd.all()[static_cast<std::size_t>(round) % odd.all().size()].fd.get();
                raw.socket.send(raw::message(raw::kList, zeros(24)), std::vector<int>(12, fd));
                ASSERT_TRUE(raw.socket.receive().has_value());
            }
        }
        scene.expect_unharmed();
    });
}

/// A connection whose last owner waits a minute, when it closes it, for what nobody reads.
raw::Fd lingering()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *const generic = reinterpret_cast<sockaddr *>(&address);
    static raw::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    raw::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    (void)::listen(listener.get(), 16);
    if (::getsockname(listener.get(), generic, &size) != 0 ||
        ::connect(fd.get(), generic, size) != 0)
        skip_stage("no network, not even within this machine");
    const std::string much(100'000, 'x');
    while (::send(fd.get(), much.data(), much.size(), MSG_DONTWAIT) > 0)
        continue;
    const linger minute{1, 60};
    EXPECT_EQ(::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &minute, sizeof minute), 0);
    return fd;
}

TEST(HostilePeer, ConnectionsThatLinger)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const raw::Importer greeting(scene.descriptor), staging(scene.descriptor),
                many(scene.descriptor), unread(scene.descriptor);
            for (const raw::Importer *const each : {&staging, &many, &unread})
                ASSERT_EQ(each->greet(), raw::kOk);
            scene.victim.pause(); // so that it becomes the last owner of each
            const int page = greeting.page.fd();
            greeting.socket.send(greeting.hello(), {lingering().get()});
            staging.socket.send(raw::message(raw::kAttachStaging, raw::Bytes().u64(kPage)),
                                {lingering().get()});
            const std::string list = raw::message(raw::kList, zeros(24));
            {
                const raw::Fd last = lingering();
                std::vector<int> fds(15, page); // more than anybody has room for
                fds.push_back(last.get());
                many.socket.send(list, fds);
            }
            unread.socket.send("nonsense", {lingering().get()});
            unread.socket.send("more", {lingering().get()});
            unread.socket.send("");
            unread.socket.send("more", {lingering().get()});
            scene.victim.resume();
            scene.expect_served();
            EXPECT_TRUE(many.socket.receive().has_value());
            EXPECT_TRUE(unread.socket.is_ended());
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WritesReadOnlyMemoryByTheAgent)
{
    on_stage(Via::agent, [] {
        Scene scene(Via::cross, kReadOnly);
        {
            raw::Importer raw(scene.descriptor);
            ASSERT_TRUE(raw.begin_copies());
            for (const std::size_t len : {std::size_t{1}, kPage})
                EXPECT_EQ(raw.copy(true, {{scene.descriptor.addr, len}}), raw::kNotPermitted);
        }
        EXPECT_EQ(scene.victim.ask("is all the same"), "yes");
        scene.expect_unharmed();
    });
}

/// No way leads from a descriptor of shared memory to writing it.
void expect_read_only(const raw::Fd &fd, std::size_t offset)
{
    const std::string path = "/proc/self/fd/" + std::to_string(fd.get());
    const raw::Fd again(::open(path.c_str(), O_RDWR | O_CLOEXEC)); // allowed; of no use
    for (const int each : {fd.get(), again.get()}) {
        if (each < 0)
            continue;
        EXPECT_EQ(::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, each, 0), MAP_FAILED);
        EXPECT_LT(::pwrite(each, "x", 1, static_cast<off_t>(offset)), 0);
        EXPECT_LT(::ftruncate(each, 0), 0);
        EXPECT_LT(::fallocate(each, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kPage), 0);
        void *const seen = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, each, 0);
        ASSERT_NE(seen, MAP_FAILED);
        EXPECT_LT(::mprotect(seen, kPage, PROT_READ | PROT_WRITE), 0);
        ::munmap(seen, kPage);
    }
}

TEST(HostilePeer, WritesReadOnlyMemoryByAMapping)
{
    on_stage(Via::mapped, [] {
        Scene scene(Via::mapped, kReadOnly);
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            const auto window = raw.open(scene.descriptor.key, false);
            ASSERT_TRUE(window.has_value());
            ASSERT_EQ(window->fds.size(), 1u);
            const std::uint64_t offset = raw::number_at(window->bytes, 48, 8);
            EXPECT_EQ(offset, 0u);
            expect_read_only(window->fds.front(), offset);
        }
        EXPECT_EQ(scene.victim.ask("is all the same"), "yes");
        scene.expect_unharmed();
    });
}

/// A descriptor opens all of the memory, so it is not passed on with a part.
TEST(HostilePeer, GetsNoDescriptorOfMemoryThatIsExportedInPart)
{
    on_stage(Via::cross, [] {
        Scene scene(Via::dmabuf);
        {
            const raw::Importer raw(scene.descriptor);
            ASSERT_EQ(raw.greet(), raw::kOk);
            const auto window = raw.open(scene.descriptor.key, false);
            ASSERT_TRUE(window.has_value());
            EXPECT_EQ(window->fds.size(), 0u);
        }
        scene.expect_unharmed();
    });
}

TEST(HostilePeer, WritesTheStatusPage)
{
    on_stage(Via::agent, [] {
        Scene scene;
        {
            const raw::Importer raw(scene.descriptor);
            raw.socket.send(
                raw::message(raw::kHello, raw::Bytes().raw(raw.process).text(SOFTDOCA_VERSION, 16)),
                {raw.page.fd()});
            const auto answer = raw.socket.receive();
            ASSERT_TRUE(answer.has_value());
            ASSERT_EQ(answer->bytes.size(), raw::kHelloReplySize);
            EXPECT_EQ(answer->bytes.substr(24, 16), scene.descriptor.exporter);
            ASSERT_EQ(answer->fds.size(), 1u);
            expect_read_only(answer->fds.front(), 0);
        }
        scene.expect_unharmed();
    });
}

/// Says that it copies for ever: the exporter waits a second for it, not longer.
TEST(HostilePeer, AStatusPageThatLies)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        ASSERT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);
        for (std::uint32_t i = 0; i < raw::kMaxCopyMarks; ++i)
            raw.page.set_mark(i, 1);
        raw.page.set_num_marks(0xffffffff);
        scene.expect_served();

        EXPECT_EQ(scene.victim.ask("stop"), "stopped");

        EXPECT_FALSE(scene.can_copy());
    });
}

TEST(HostilePeer, AStatusPageThatChangesAllTheTime)
{
    on_stage(Via::agent, [] {
        Scene scene;
        const raw::Importer raw(scene.descriptor);
        ASSERT_EQ(raw.greet(), raw::kOk);
        ASSERT_EQ(raw.open(scene.descriptor.key, false)->status(), raw::kOk);
        std::atomic<bool> is_over{false};
        std::thread liar([&] {
            for (std::uint64_t i = 1; !is_over; i += 2) {
                raw.page.set_num_marks(static_cast<std::uint32_t>(i * 0x9e3779b9));
                for (std::uint32_t mark = 0; mark < raw::kMaxCopyMarks; ++mark)
                    raw.page.set_mark(mark, i);
                raw.page.set_magic(0);
                raw.page.set_generation(static_cast<std::uint32_t>(i % raw::kMaxWindows), i);
            }
        });
        scene.expect_served();

        EXPECT_EQ(scene.victim.ask("stop"), "stopped");

        is_over = true;
        liar.join();
    });
}
