// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

#include "support/comch_pair.hpp"
#include "support/two_process.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

/// Real ends that are attacked by peers of our own making, and others that must not notice. The
/// stage plays the attacker and never uses the library.
namespace softdoca::test {

/// A server that answers "pong" to "ping", and questions of the test:
///
///     census                  descriptors, threads, shared memory
///     clients                 live ones, connects, disconnects
///     poor                    from now on it has 256 descriptors at most
///     send NUM                messages to the newest client, with half of the tasks
///     sends                   NUM ended well, NUM badly, NUM under way
///     consume KIND NUM LEN    a consumer for the newest client, of NUM receives (KIND plain,
///     shared) receives                as sends end consumer            stops and destroys it; the
///     codes produce KIND LEN        a producer for the newest client put CONSUMER LEN        a
///     message of it; the code of the submit puts                    as sends end producer
///     disconnect              the newest client
///     nap MS                  makes no call meanwhile
///     doze NUM                arms its engine and turns it, so many times
///     sleep MS                as programs in event mode do; how often it woke up
///     stop                    the server; "IDLE" when it is
class ComchVictim : public Process {
public:
    explicit ComchVictim(const ComchSettings &settings = {});

    std::string ask(const std::string &question) const
    {
        line.send(question);
        return line.receive();
    }
};

/// A process with a client of that service, not started, and one that is connected with the service
/// "svc", asks again and again, and gets each answer within a second. Questions:
///
///     start, stop    of the first client; its state, for which stop waits
///     state
///     turn MS        turns its engine for so long; the state
///     messages       that have come
///     send NUM       messages; how many were accepted
///     sends          NUM ended well, NUM badly
///     rounds         of the other client
class ComchVictimClient : public Process {
public:
    explicit ComchVictimClient(const std::string &service);

    std::string ask(const std::string &question) const
    {
        line.send(question);
        return line.receive();
    }
};

/// A client of it that asks again and again, and gets each answer within a second.
class Bystander : public Process {
public:
    explicit Bystander(const ComchSettings &settings = {});

    /// Rounds that have ended so far.
    std::uint64_t num_rounds() const
    {
        line.send("how many");
        return line.receive_number();
    }
};

/// A client that connects, asks once, gets its answer, and leaves.
void expect_newcomer_served(const ComchSettings &settings = {});

class HostileComchScene {
public:
    explicit HostileComchScene(const ComchSettings &settings = {});

    void expect_served() const;
    /// All clients but the bystander have gone, each with one event, and left nothing; others are
    /// welcome.
    void expect_unharmed() const;
    /// So many clients were lost since the last call, or are about to be.
    void expect_losses(std::size_t num);

    const ComchVictim victim;
    const Bystander bystander;

private:
    struct Clients {
        std::size_t num_live, num_connects, num_disconnects;
    };
    Clients clients() const;
    bool is_alone() const; ///< only the bystander is connected

    const ComchSettings settings_;
    std::string census_;
    std::size_t num_losses_ = 0;
};

} // namespace softdoca::test
