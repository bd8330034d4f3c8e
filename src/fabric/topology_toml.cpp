// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

// The only place that knows TOML.

#include "fabric/topology_draft.hpp"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 8
// A program that links our static library may use toml++ itself, set up in another way: the linker
// must not take one for the other.
#define toml softdoca_toml
// Its parser asserts some things that a file can make false ("[="), tells the compiler that they
// are true where there are no asserts, and then checks them all the same. Only the check may stay.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expression) static_assert(true)
#include <toml++/toml.h>
#undef toml

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

namespace softdoca {

namespace {

namespace toml = ::softdoca_toml;

Place place_of(const toml::source_region &region) noexcept
{
    return {region.begin.line, region.begin.column};
}

/// Text of the file, fit for a line of the log.
std::string shown(std::string_view text)
{
    constexpr std::size_t kMaxShown = 40;
    std::string out(text.substr(0, kMaxShown));
    for (char &c : out)
        if (c < 0x20 || c > 0x7e)
            c = '?';
    return text.size() > kMaxShown ? out + "..." : out;
}

/// Keeps the fault that stands first in the file, in whatever order its tables are read.
class Faults {
public:
    void add(Place place, std::string reason)
    {
        if (!first_ || place < first_->place)
            first_ = TopologyFault{{}, place, std::move(reason)};
    }
    const std::optional<TopologyFault> &first() const noexcept { return first_; }

private:
    std::optional<TopologyFault> first_;
};

/// How many letters must be changed, added or left out to make one word of the other.
std::size_t distance(std::string_view from, std::string_view to)
{
    std::vector<std::size_t> row(to.size() + 1);
    for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = i;
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

/// "; did you mean ...?", or else all that there is.
std::string advice(std::string_view word, std::span<const char *const> known)
{
    constexpr std::size_t kMaxWord = 32;
    constexpr std::size_t kMaxDistance = 3;
    const char *best = nullptr;
    std::size_t best_distance = kMaxDistance;
    std::string all;
    for (const char *const each : known) {
        all += (all.empty() ? "" : ", ") + std::string(each);
        if (word.size() > kMaxWord)
            continue;
        const std::size_t apart = distance(word, each);
        if (apart < best_distance && apart < std::string_view(each).size()) {
            best = each;
            best_distance = apart;
        }
    }
    if (best != nullptr)
        return std::string("; did you mean \"") + best + "\"?";
    return "; there are: " + all;
}

/// One table of the file. Each key that the table may have is asked for once; finish() refuses what
/// else is there.
class TableReader {
public:
    TableReader(const toml::table &table, const char *name, Faults &faults)
        : table_(table), name_(name), faults_(faults)
    {
    }

    const toml::node *take(const char *key)
    {
        known_.push_back(key);
        return table_.get(key);
    }

    void finish()
    {
        for (const auto &[key, value] : table_)
            if (std::ranges::find(known_, key.str(), to_view) == known_.end())
                fail(place_of(key.source()), "unknown key \"" + shown(key.str()) + "\" in " +
                                                 name_ + advice(key.str(), known_));
    }

    void fail(Place place, std::string reason) { faults_.add(place, std::move(reason)); }
    Place place() const { return place_of(table_.source()); }
    const char *name() const noexcept { return name_; }
    Faults &faults() noexcept { return faults_; }

    template <typename Value>
    void number(const char *key, Given<Value> &out, std::uint64_t min, std::uint64_t max)
    {
        const toml::node *const node = take(key);
        if (node == nullptr)
            return;
        const toml::value<std::int64_t> *const given = node->as_integer();
        if (given == nullptr)
            return wrong_type(key, *node, "an integer");
        const std::int64_t value = given->get();
        if (value < 0 || static_cast<std::uint64_t>(value) < min ||
            static_cast<std::uint64_t>(value) > max)
            return fail(place_of(node->source()), std::string(key) + " = " + std::to_string(value) +
                                                      " is not within " + std::to_string(min) +
                                                      " and " + std::to_string(max));
        out = {static_cast<Value>(value), place_of(node->source())};
    }

    void flag(const char *key, Given<std::uint64_t> &out)
    {
        const toml::node *const node = take(key);
        if (node == nullptr)
            return;
        if (!node->is_boolean())
            return wrong_type(key, *node, "true or false");
        out = {node->as_boolean()->get() ? 1u : 0u, place_of(node->source())};
    }

    /// A string that parse accepts; wanted says what that is.
    template <typename Value>
    void text(const char *key, Given<Value> &out,
              std::optional<Value> (*parse)(const std::string &), const char *wanted)
    {
        const toml::node *const node = take(key);
        if (node == nullptr)
            return;
        if (!node->is_string())
            return wrong_type(key, *node, "a string");
        const std::string &given = node->as_string()->get();
        out = {parse(given), place_of(node->source())};
        if (!out.value)
            fail(out.place, std::string(key) + " = \"" + shown(given) + "\" is not " + wanted);
    }

    const toml::table *table(const char *key)
    {
        const toml::node *const node = take(key);
        if (node == nullptr || node->is_table())
            return node == nullptr ? nullptr : node->as_table();
        wrong_type(key, *node, "a table");
        return nullptr;
    }

    /// The tables of an array of tables.
    std::vector<const toml::table *> tables(const char *key, const char *written)
    {
        std::vector<const toml::table *> out;
        const toml::node *const node = take(key);
        if (node == nullptr)
            return out;
        if (!node->is_array()) {
            fail(place_of(node->source()),
                 std::string(key) + " is to be written " + written + ": there may be several");
            return out;
        }
        for (const toml::node &each : *node->as_array()) {
            if (each.is_table())
                out.push_back(each.as_table());
            else
                wrong_type(key, each, "an array of tables");
        }
        return out;
    }

private:
    static std::string_view to_view(const char *word) noexcept { return word; }

    void wrong_type(const char *key, const toml::node &node, const char *wanted)
    {
        fail(place_of(node.source()), std::string(key) + " is to be " + wanted);
    }

    const toml::table &table_;
    const char *name_;
    Faults &faults_;
    std::vector<const char *> known_;
};

bool is_word(const std::string &text, std::size_t max_len, const char *others)
{
    return !text.empty() && text.size() <= max_len && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view(others).find(c) != std::string_view::npos;
    });
}

template <std::size_t kMaxLen>
std::optional<std::string> parse_word(const std::string &text)
{
    if (!is_word(text, kMaxLen, "._-"))
        return std::nullopt;
    return text;
}

constexpr auto parse_name = parse_word<63>;
constexpr const char *kNameForm = "a name (1 to 63 letters, digits, '.', '_', '-')";

std::optional<std::string> parse_name_or_none(const std::string &text)
{
    return text.empty() ? text : parse_name(text);
}

std::optional<std::string> parse_profile(const std::string &text)
{
    const bool is_known = std::ranges::any_of(
        kCardProfiles, [&](const CardProfile &profile) { return profile.name == text; });
    return is_known ? std::optional(text) : std::nullopt;
}

std::optional<doca_pci_func_type> parse_type(const std::string &text)
{
    if (text == "PF")
        return DOCA_PCI_FUNC_TYPE_PF;
    if (text == "VF")
        return DOCA_PCI_FUNC_TYPE_VF;
    if (text == "SF")
        return DOCA_PCI_FUNC_TYPE_SF;
    return std::nullopt;
}

std::optional<PciAddress> parse_pci(const std::string &text)
{
    return PciAddress::parse(text);
}

/// Of one interface: neither a group's address nor none at all.
std::optional<MacAddress> parse_mac(const std::string &text)
{
    MacAddress mac{};
    int end = 0;
    if (text.size() != 17 || std::ranges::any_of(text, [](char c) { return c <= ' '; }) ||
        std::sscanf(text.c_str(), "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1],
                    &mac[2], &mac[3], &mac[4], &mac[5], &end) != 6 ||
        end != 17 || (mac[0] & 1) != 0 || mac == MacAddress{})
        return std::nullopt;
    return mac;
}

template <int kFamily, typename Address>
std::optional<Address> parse_ip(const std::string &text)
{
    Address address{};
    if (::inet_pton(kFamily, text.c_str(), address.data()) != 1 || address == Address{} ||
        text.find('\0') != std::string::npos)
        return std::nullopt;
    return address;
}

void read_limits(TableReader &owner, std::vector<GivenLimit> &out)
{
    const std::span<const LimitKey> keys = limit_keys();
    for (auto begin = keys.begin(); begin != keys.end();) {
        const std::string_view name = begin->table;
        const auto end =
            std::find_if(begin, keys.end(), [&](const LimitKey &key) { return name != key.table; });
        if (const toml::table *const table = owner.table(begin->table); table != nullptr) {
            TableReader reader(*table, begin->table, owner.faults());
            for (auto key = begin; key != end; ++key) {
                Given<std::uint64_t> given;
                if (key->is_flag)
                    reader.flag(key->name, given);
                else
                    reader.number(key->name, given, key->min, key->max);
                if (given.value)
                    out.push_back({&*key, *given.value, given.place});
            }
            reader.finish();
        }
        begin = end;
    }
}

/// An index that only one kind of function has.
void read_index(TableReader &reader, const char *key, Given<std::uint32_t> &out, std::uint32_t max,
                bool has_it, const char *kind)
{
    reader.number(key, out, 0, max);
    if (out.value && !has_it)
        reader.fail(out.place, std::string(key) + " is for functions of type = \"" + kind + "\"");
}

FunctionDraft read_function(TableReader reader, Side side)
{
    FunctionDraft out;
    out.place = reader.place();
    Given<doca_pci_func_type> type;
    reader.text("type", type, parse_type, "\"PF\", \"VF\" or \"SF\"");
    out.type = type.value.value_or(DOCA_PCI_FUNC_TYPE_PF);
    if (side == Side::host) {
        reader.text("behind", out.behind, parse_name_or_none, kNameForm);
        reader.text("uplink", out.uplink, parse_pci, "a PCI address (DDDD:BB:DD.F or BB:DD.F)");
        reader.text("rep_iface", out.rep_iface, parse_name, kNameForm);
    }
    reader.text("pci", out.pci, parse_pci, "a PCI address (DDDD:BB:DD.F or BB:DD.F)");
    reader.number("pf_index", out.pf_index, 0, kMaxPfIndex);
    read_index(reader, "vf_index", out.vf_index, kMaxVfIndex, out.type == DOCA_PCI_FUNC_TYPE_VF,
               "VF");
    read_index(reader, "sf_index", out.sf_index, kMaxSfIndex, out.type == DOCA_PCI_FUNC_TYPE_SF,
               "SF");
    reader.text("iface", out.iface, parse_name_or_none, kNameForm);
    reader.text("ibdev", out.ibdev, parse_name, kNameForm);
    reader.text("vuid", out.vuid, parse_word<127>,
                "a vuid (1 to 127 letters, digits, '.', '_', '-')");
    reader.text("mac", out.mac, parse_mac, "the MAC address of an interface (02:5d:0c:a0:00:00)");
    reader.text("ipv4", out.ipv4, parse_ip<AF_INET, Ipv4Address>, "an IPv4 address");
    reader.text("ipv6", out.ipv6, parse_ip<AF_INET6, Ipv6Address>, "an IPv6 address");
    reader.number("vhca_id", out.vhca_id, 0, kMaxVhcaId);
    reader.number("rate_gbps", out.rate_gbps, 1, 1600);
    read_limits(reader, out.limits);
    reader.finish();
    return out;
}

NodeDraft read_node(TableReader reader, Side side)
{
    NodeDraft out;
    out.place = reader.place();
    reader.text("name", out.name, parse_name, kNameForm);
    if (side == Side::host)
        reader.text("behind", out.behind, parse_name_or_none, kNameForm);
    else
        reader.text("profile", out.profile, parse_profile, "\"bluefield-2\" or \"bluefield-3\"");
    read_limits(reader, out.limits);
    const char *const written = side == Side::host ? "[[host.function]]" : "[[dpu.function]]";
    for (const toml::table *const table : reader.tables("function", written)) {
        if (out.functions.size() == kMaxFunctionsOfNode) {
            reader.fail(place_of(table->source()),
                        "a node has at most " + std::to_string(kMaxFunctionsOfNode) + " functions");
            break;
        }
        out.functions.push_back(read_function({*table, written, reader.faults()}, side));
    }
    reader.finish();
    return out;
}

TopologyDraft read_file(const toml::table &root, Faults &faults)
{
    TopologyDraft out;
    TableReader reader(root, "the file", faults);
    if (const toml::table *const table = reader.table("fabric"); table != nullptr) {
        TableReader fabric(*table, "[fabric]", faults);
        Given<std::string> group;
        fabric.text("group", group, parse_word<32>, "the name of a group");
        out.group = group.value.value_or("");
        fabric.finish();
    }
    std::size_t num_nodes = 0;
    const auto read_nodes = [&](const char *key, const char *written, Side side,
                                std::vector<NodeDraft> &nodes) {
        for (const toml::table *const table : reader.tables(key, written)) {
            if (num_nodes++ == kMaxNodes)
                faults.add(place_of(table->source()),
                           "there are more than " + std::to_string(kMaxNodes) + " nodes");
            if (num_nodes > kMaxNodes)
                return;
            nodes.push_back(read_node({*table, written, faults}, side));
        }
    };
    read_nodes("dpu", "[[dpu]]", Side::dpu, out.dpus);
    read_nodes("host", "[[host]]", Side::host, out.hosts);
    reader.finish();
    if (num_nodes == 0 && !faults.first())
        faults.add({1, 1}, "there is no node: neither a [[host]] nor a [[dpu]]");
    return out;
}

/// A dotted key of half a million parts would make as many tables, one in the other, and taking
/// them down again would exhaust the stack. So a line may not have more dots than it can need;
/// in a comment that is a line of its own they do not matter.
std::optional<Place> find_too_many_dots(std::string_view text) noexcept
{
    constexpr std::ptrdiff_t kMaxDots = 64;
    std::uint32_t number = 1;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const bool is_comment = !line.empty() && line.front() == '#' &&
                                line.find_first_of("'\"") == std::string_view::npos;
        if (!is_comment && std::ranges::count(line, '.') > kMaxDots)
            return Place{number, 1};
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
    }
    return std::nullopt;
}

/// Puts '?' for each character beyond ASCII, which only comments have use for: the parser's tables
/// of the others lead it astray (U+FEB7 in a key).
std::string as_ascii(std::string_view text)
{
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    const auto is_ascii = [](char c) { return (c & 0x80) == 0; };
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    std::string out;
    out.reserve(text.size());
    bool was_ascii = true;
    for (const char c : text) {
        const bool is_inside = (c & 0xc0) == 0x80 && !was_ascii; // of a character of several bytes
        if (is_ascii(c) || !is_inside)
            out += is_ascii(c) ? c : '?';
        was_ascii = is_ascii(c);
    }
    return out;
}

} // namespace

std::variant<TopologyDraft, TopologyFault> draft_of_toml(std::string_view text)
{
    const std::string ascii = as_ascii(text);
    if (const auto place = find_too_many_dots(ascii))
        return TopologyFault{{}, *place, "the line has more than 64 dots"};
    const toml::parse_result result = toml::parse(std::string_view(ascii));
    if (!result)
        return TopologyFault{
            {}, place_of(result.error().source()), std::string(result.error().description())};
    Faults faults;
    TopologyDraft draft = read_file(result.table(), faults);
    if (faults.first())
        return *faults.first();
    return draft;
}

} // namespace softdoca
