// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// Servers that say what they like to a client. It tries again, or comes to rest; the other client
// of its process goes on.

#include "support/comch_victim.hpp"
#include "support/odd_files.hpp"
#include "support/raw_server.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace softdoca::test;

namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

/// A client of a raw server, in one process with one of a real server.
class Scene {
public:
    Scene() { victim.ask("start"); }

    std::unique_ptr<raw::Visitor> let_in()
    {
        auto visitor = server.let_in();
        expect_state("RUNNING");
        return visitor;
    }
    void expect_state(const std::string &state)
    {
        EXPECT_TRUE(comes_true([&] { return victim.ask("state") == state; }))
            << victim.ask("state") << " in place of " << state;
    }
    void expect_unharmed()
    {
        const std::string before = victim.ask("rounds");
        EXPECT_TRUE(comes_true([&] { return victim.ask("rounds") != before; }));
    }

    const ComchVictim real_server;
    const ComchVictimClient victim{"hostile"};
    const raw::Server server{"hostile", raw::ServiceRecord::find()};
};

struct Lie {
    const char *name;
    std::function<void(raw::Visitor &visitor)> tell;
};

/// After each of them the client comes again, and at last it is let in.
void expect_patience(const std::vector<Lie> &lies)
{
    on_stage([&] {
        Scene scene;
        for (const Lie &lie : lies) {
            SCOPED_TRACE(lie.name);
            const auto visitor = scene.server.await_visitor();
            lie.tell(*visitor);
        }
        const auto visitor = scene.let_in();
        scene.expect_unharmed();
    });
}

/// A lie about a step of those that ask for a channel; all before it is true.
Lie about_the_channel(const char *name, const std::function<void(raw::Visitor &visitor)> &tell)
{
    return {name, [tell](raw::Visitor &visitor) {
                ASSERT_TRUE(visitor.greets());
                visitor.answer_greeting();
                ASSERT_TRUE(visitor.asks());
                tell(visitor);
            }};
}

/// One that ends the link.
Lie ends(const char *name, const std::function<void(raw::Visitor &visitor)> &tell)
{
    return about_the_channel(name, [tell](raw::Visitor &visitor) {
        tell(visitor);
        EXPECT_TRUE(visitor.socket.is_ended());
    });
}

Lie opens(const char *name, const raw::ChannelConfig &config)
{
    return ends(name, [config](raw::Visitor &visitor) {
        visitor.open(visitor.opened(raw::kOk, config), {visitor.channel_fd.get()});
    });
}

Lie sends_bell(const char *name, std::uint64_t id, std::uint64_t message_bit,
               std::uint64_t room_bit)
{
    return ends(name, [=](raw::Visitor &visitor) {
        visitor.open();
        (void)visitor.announce(1, visitor.bell);
        visitor.send_bell(visitor.client_number, id, message_bit, room_bit);
    });
}

/// Messages in the ring, each of which ends the connection.
void expect_loss(const std::vector<std::pair<const char *, raw::RawMessage>> &messages)
{
    on_stage([&] {
        Scene scene;
        for (const auto &[name, message] : messages) {
            SCOPED_TRACE(name);
            const auto visitor = scene.let_in();
            visitor->say(raw::RawMessage::of("text"));
            visitor->say(message);
            scene.expect_state("IDLE");
            scene.expect_unharmed();
            scene.victim.ask("start");
        }
    });
}

raw::RawMessage numbered(std::uint64_t number)
{
    raw::RawMessage message = raw::RawMessage::of("text");
    message.number = number;
    return message;
}

std::string fabric()
{
    return std::getenv("SOFTDOCA_FABRIC");
}

} // namespace

TEST(ComchHostileServer, ARawServerThatBehavesIsUsed)
{
    on_stage([] {
        Scene scene;
        const auto visitor = scene.let_in();
        EXPECT_EQ(visitor->client_config.max_msg_size, 4080u);
        visitor->say(raw::RawMessage::of("text"));
        EXPECT_TRUE(comes_true([&] { return scene.victim.ask("messages") == "1"; }));
        EXPECT_EQ(scene.victim.ask("send 3"), "3");
        EXPECT_TRUE(comes_true([&] { return scene.victim.ask("sends") == "3 0"; }));
        EXPECT_EQ(visitor->channel->to_server.take(2)->payload, "message");
        visitor->say(raw::RawMessage::notice(raw::kGoodbye, 0));
        scene.expect_state("IDLE");
        scene.expect_unharmed();
    });
}

TEST(ComchHostileServer, RecordsOfNoServer)
{
    on_stage([] {
        const ComchVictim real_server;
        const ComchVictimClient victim("hostile");
        const auto real = raw::ServiceRecord::find();
        const auto own = real.of_another(raw::random_bytes(16), "hostile");
        const auto other = real.of_another(raw::random_bytes(16), "other");
        victim.ask("start");
        const std::string path = own.path();
        const std::string kTexts[] = {
            "",
            "\n",
            std::string(100, '\0'),
            raw::random_bytes(2000),
            std::string(100'000, 'x'),
            "process\npid\nkey\nscope\nname\n",
            "process " + std::string(32, 'g') + "\nkey " + std::string(32, '0') + "\n",
            own.text(1).substr(0, 60),
            other.text(1), // another name
            own.text(99999999),
            real.text(1),
        };
        for (const std::string &text : kTexts) {
            const raw::Fd record = raw::locked_file(path, text);
            EXPECT_EQ(victim.ask("turn 100"), "STARTING");
            ::unlink(path.c_str());
        }
        const std::function<int()> kFiles[] = {
            [&] { return ::mkfifo(path.c_str(), 0600); },
            [&] { return ::mkdir(path.c_str(), 0700); },
            [&] { return ::symlink(real.path().c_str(), path.c_str()); },
            [&] { return ::symlink("/dev/zero", path.c_str()); },
            [&] { return ::mknod(path.c_str(), S_IFREG, 0); },
        };
        for (const auto &make : kFiles) {
            EXPECT_EQ(make(), 0);
            EXPECT_EQ(victim.ask("turn 100"), "STARTING");
            if (::unlink(path.c_str()) != 0)
                ::rmdir(path.c_str());
        }
    });
}

/// The client's report on whom it finds reads all of them.
TEST(ComchHostileServer, ManyRecordsOfNoServer)
{
    on_stage([] {
        const ComchVictim real_server;
        const ComchVictimClient victim("hostile");
        std::vector<raw::Fd> records;
        std::vector<std::string> paths;
        for (int i = 0; i < 200; ++i) {
            const std::string name = raw::random_bytes(16);
            const auto record = raw::ServiceRecord::find().of_another(
                raw::random_bytes(16), raw::random_bytes(static_cast<std::size_t>(i)));
            paths.push_back(fabric() + "/s/" + raw::name_of(name));
            records.push_back(raw::locked_file(paths.back(), record.text(1)));
        }
        victim.ask("start");
        EXPECT_EQ(victim.ask("turn 1500"), "STARTING");
        for (const std::string &path : paths)
            ::unlink(path.c_str());
    });
}

TEST(ComchHostileServer, Greetings)
{
    const raw::OddFiles odd;
    std::vector<Lie> lies{
        {"hangs up", [](raw::Visitor &) {}},
        {"says nothing",
         [](raw::Visitor &visitor) {
             EXPECT_TRUE(visitor.greets());
             EXPECT_TRUE(visitor.socket.is_ended());
         }},
        {"is another process",
         [](raw::Visitor &visitor) {
             EXPECT_TRUE(visitor.greets());
             visitor.answer_greeting(raw::kOk, raw::random_bytes(16), {visitor.page.fd()});
         }},
        {"has no page",
         [](raw::Visitor &visitor) {
             EXPECT_TRUE(visitor.greets());
             visitor.answer_greeting(raw::kOk, visitor.server, {});
         }},
    };
    for (const std::uint32_t status : {1u, 2u, 3u, 5u, 7u, 8u, 0xffffffffu})
        lies.push_back({"refuses", [status](raw::Visitor &visitor) {
                            EXPECT_TRUE(visitor.greets());
                            visitor.answer_greeting(status, visitor.server, {visitor.page.fd()});
                        }});
    for (const std::string &bytes :
         {std::string("x"), raw::random_bytes(56), raw::random_bytes(2000)})
        lies.push_back({"garbage", [bytes](raw::Visitor &visitor) {
                            EXPECT_TRUE(visitor.greets());
                            visitor.socket.send(bytes, {visitor.page.fd()});
                        }});
    for (const raw::OddFiles::Odd &each : odd.all())
        lies.push_back({each.name.c_str(), [&each](raw::Visitor &visitor) {
                            EXPECT_TRUE(visitor.greets());
                            visitor.answer_greeting(raw::kOk, visitor.server, {each.fd.get()});
                        }});
    expect_patience(lies);
}

TEST(ComchHostileServer, ChannelsThatMakeNoSense)
{
    constexpr std::uint32_t kMany = (1u << 20) + 1;
    expect_patience({
        opens("no messages", {64, 64, 0}),
        opens("no queue", {64, 0, 4080}),
        opens("too many sends", {kMany, 64, 4080}),
        opens("too long a queue", {64, kMany, 4080}),
        opens("too long messages", {64, 64, kMany}),
        opens("all of them", {0xffffffff, 0xffffffff, 0xffffffff}),
        opens("more than its memory has", {1024, 64, 4080}),
        ends("nothing", [](raw::Visitor &v) { v.send(raw::kChannelOpened, {}); }),
        ends("garbage",
             [](raw::Visitor &v) {
                 v.send(raw::kChannelOpened,
                        raw::Bytes().u64(v.client_number).u64(1).u64(0).raw(raw::random_bytes(16)),
                        {v.channel_fd.get()});
             }),
        ends("twice",
             [](raw::Visitor &v) {
                 v.open();
                 v.open();
             }),
        about_the_channel("another client's",
                          [](raw::Visitor &v) {
                              for (std::uint64_t number = 0; number < 20; ++number) {
                                  if (number == v.client_number)
                                      continue;
                                  v.send(raw::kChannelOpened, raw::Bytes()
                                                                  .u64(number)
                                                                  .u64(1)
                                                                  .u64(raw::kNoSuchKey)
                                                                  .raw(v.config.bytes().str()));
                                  v.send(raw::kCloseChannel, raw::Bytes().u64(number));
                                  v.send_bell(number, 1, 0, 1);
                              }
                          }),
        about_the_channel("refused",
                          [](raw::Visitor &v) {
                              for (const std::uint32_t status : {3u, 7u, 99u, 0xffffffffu}) {
                                  v.open(v.opened(status, v.config), {});
                                  EXPECT_TRUE(v.asks());
                              }
                          }),
    });
}

TEST(ComchHostileServer, MemoryThatIsNone)
{
    const raw::OddFiles odd(1 << 20);
    std::vector<Lie> lies{
        ends("none", [](raw::Visitor &v) { v.open(v.opened(raw::kOk, v.config), {}); }),
        ends("two",
             [](raw::Visitor &v) {
                 v.open(v.opened(raw::kOk, v.config), {v.channel_fd.get(), v.channel_fd.get()});
             }),
        ends("of another kind",
             [](raw::Visitor &v) {
                 v.channel->memory.put32(0, 0x51524653);
                 v.open();
             }),
        ends("of another release",
             [](raw::Visitor &v) {
                 v.channel->memory.put32(4, 2);
                 v.open();
             }),
    };
    for (const raw::OddFiles::Odd &each : odd.all())
        lies.push_back(ends(each.name.c_str(), [&each](raw::Visitor &v) {
            v.open(v.opened(raw::kOk, v.config), {each.fd.get()});
        }));
    expect_patience(lies);
}

TEST(ComchHostileServer, BellsThatMakeNoSense)
{
    expect_patience({
        sends_bell("unknown", 2, 0, 1),
        sends_bell("a great bit", 1, 4096, 1),
        sends_bell("another great bit", 1, 0, 0xffffffff),
        ends("twice",
             [](raw::Visitor &v) {
                 v.open();
                 (void)v.announce(1, v.bell);
                 v.send_bell();
                 v.send_bell();
             }),
        ends("none at all",
             [](raw::Visitor &v) {
                 v.send(raw::kAnnounceBell, raw::Bytes().u64(1), {v.bell.memory_fd()});
             }),
    });
}

TEST(ComchHostileServer, AdmissionsThatMakeNoSense)
{
    on_stage([] {
        Scene scene;
        const auto visitor = scene.server.await_visitor();
        ASSERT_TRUE(visitor->greets());
        visitor->answer_greeting();
        ASSERT_TRUE(visitor->asks());
        visitor->admit(raw::kAccepted); // before the client has the memory
        EXPECT_EQ(scene.victim.ask("turn 20"), "STARTING");
        visitor->channel->set_admission(raw::kWaiting);
        visitor->open();
        for (const std::uint32_t value : {4u, 0x80000000u, 0xffffffffu}) {
            visitor->admit(value);
            EXPECT_EQ(scene.victim.ask("turn 20"), "STARTING");
        }
        visitor->admit(raw::kAccepted); // without a bell
        EXPECT_EQ(scene.victim.ask("turn 20"), "STARTING");
        (void)visitor->announce(1, visitor->bell);
        visitor->send_bell();
        scene.expect_state("RUNNING");
        for (const std::uint32_t value : {0u, 2u, 3u, 4u}) // it is over
            visitor->admit(value);
        visitor->say(raw::RawMessage::of("text"));
        EXPECT_TRUE(comes_true([&] { return scene.victim.ask("messages") == "1"; }));
        scene.expect_unharmed();
    });
}

TEST(ComchHostileServer, MessagesThatAreNone)
{
    const auto of = [](std::uint16_t kind, std::uint32_t len) {
        return raw::RawMessage{kind, 1, len, "text", {}};
    };
    expect_loss({
        {"4081", of(raw::kData, 4081)},
        {"4135", of(raw::kData, 4135)},
        {"4 GiB", of(raw::kData, 0xffffffff)},
        {"no text", of(raw::kData, 0)},
        {"kind 0", of(0, 4)},
        {"kind 5", of(5, 4)},
        {"a goodbye with a text", of(raw::kGoodbye, 4)},
        {"the greatest number", numbered(kMax)},
        {"withdrawn", numbered(raw::kWithdrawn)},
        {"the next round's", numbered(5)},
    });
}

/// Wherever the server stands still, the client can be stopped.
TEST(ComchHostileServer, StandsStillInTheMiddle)
{
    const Lie kSteps[] = {
        {"after a connection", [](raw::Visitor &) {}},
        {"after a greeting",
         [](raw::Visitor &v) {
             EXPECT_TRUE(v.greets());
             v.answer_greeting();
         }},
        about_the_channel("after a question", [](raw::Visitor &) {}),
        about_the_channel("after a channel", [](raw::Visitor &v) { v.open(); }),
        about_the_channel("before it is accepted",
                          [](raw::Visitor &v) {
                              v.open();
                              (void)v.announce(1, v.bell);
                              v.send_bell();
                          }),
        {"when it runs", [](raw::Visitor &v) { EXPECT_TRUE(v.is_let_in()); }},
    };
    on_stage([&] {
        Scene scene;
        for (const Lie &step : kSteps) {
            SCOPED_TRACE(step.name);
            const auto visitor = scene.server.await_visitor();
            step.tell(*visitor);
            scene.expect_unharmed();
            EXPECT_EQ(scene.victim.ask("stop"), "IDLE");
            scene.victim.ask("start");
        }
    });
}
