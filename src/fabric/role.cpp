// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/role.hpp"

#include "base/log_sink.hpp"

#include <dlfcn.h>
#include <link.h>

#include <strings.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

LOG_SOURCE("FABRIC::ROLE");

namespace softdoca {

namespace {

constexpr std::string_view kNoteOwner{"SoftDOCA", 9}; // with the NUL, as the note counts it
constexpr std::size_t kNoteAlign = 4;

/// What the notes of the loaded objects say. The executable comes first.
struct Notes {
    std::optional<Side> first;
    bool disagree = false;
};

std::optional<Side> side_of_note(const ElfW(Nhdr) & header, const char *name, const char *word)
{
    if (header.n_namesz != kNoteOwner.size() || header.n_type != 1 || header.n_descsz != 4)
        return std::nullopt;
    if (std::memcmp(name, kNoteOwner.data(), kNoteOwner.size()) != 0)
        return std::nullopt;
    std::uint32_t role;
    std::memcpy(&role, word, sizeof role);
    if (role == 1)
        return Side::host;
    if (role == 2)
        return Side::dpu;
    return std::nullopt;
}

/// The first role note of a PT_NOTE segment. There is one for each translation unit; all agree.
std::optional<Side> side_of_segment(const char *at, std::size_t size)
{
    const auto padded = [](std::size_t len) { return (len + kNoteAlign - 1) & ~(kNoteAlign - 1); };
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header;
        std::memcpy(&header, at, sizeof header);
        const std::size_t whole = sizeof header + padded(header.n_namesz) + padded(header.n_descsz);
        if (whole > size)
            break;
        const char *const name = at + sizeof header;
        if (const auto side = side_of_note(header, name, name + padded(header.n_namesz)))
            return side;
        at += whole;
        size -= whole;
    }
    return std::nullopt;
}

int visit_object(dl_phdr_info *info, std::size_t, void *out)
{
    Notes &notes = *static_cast<Notes *>(out);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_NOTE || segment.p_align > kNoteAlign)
            continue; // an 8-aligned segment holds the toolchain's property notes
        const auto side = side_of_segment(
            reinterpret_cast<const char *>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
        if (!side)
            continue;
        notes.disagree = notes.disagree || (notes.first && *notes.first != *side);
        if (!notes.first)
            notes.first = side;
    }
    return 0;
}

/// .../lib/dpu/libdoca_common.so.2 is the DPU's, for programs that carry no note (Python, Rust).
std::optional<Side> side_of_library_directory()
{
    Dl_info self;
    if (dladdr(reinterpret_cast<const void *>(&local_node), &self) == 0 ||
        self.dli_fname == nullptr)
        return std::nullopt;
    const std::string_view path = self.dli_fname;
    const std::size_t file = path.rfind('/');
    if (file == std::string_view::npos)
        return std::nullopt;
    const std::string_view directory = path.substr(0, file);
    if (directory.ends_with("/dpu"))
        return Side::dpu;
    if (directory.ends_with("/host"))
        return Side::host;
    return std::nullopt;
}

Side compiled_side(const Notes &notes)
{
    if (notes.first)
        return *notes.first;
    return side_of_library_directory().value_or(Side::host);
}

std::string names_of_nodes()
{
    std::string names;
    for (const Node &node : topology().nodes)
        names += (names.empty() ? "" : ", ") + node.name;
    return names;
}

/// What is found once, and what there is to say about it.
struct Found {
    const Node *node = nullptr;
    const char *role = nullptr; // SOFTDOCA_ROLE, if set
    Notes notes;
};

const Node *node_by_name(const char *role)
{
    if (const Node *const node = topology().find(role); node != nullptr)
        return node;
    if (strcasecmp(role, "host") == 0)
        return topology().first_of(Side::host);
    if (strcasecmp(role, "dpu") == 0)
        return topology().first_of(Side::dpu);
    return nullptr;
}

Found find_local_node()
{
    Found found;
    dl_iterate_phdr(visit_object, &found.notes);
    const char *const role = std::getenv("SOFTDOCA_ROLE");
    if (role != nullptr && *role != '\0')
        found.role = role;
    found.node = found.role != nullptr ? node_by_name(found.role)
                                       : topology().first_of(compiled_side(found.notes));
    return found;
}

void report(const Found &found)
{
    const Notes &notes = found.notes;
    if (topology().nodes.empty())
        return; // its file was refused; whoever needs a node says why
    if (found.node == nullptr && found.role != nullptr)
        LOG_ERR("SOFTDOCA_ROLE=%s names no node; the topology has: %s", found.role,
                names_of_nodes().c_str());
    else if (found.node == nullptr)
        LOG_ERR("this program is for the %s, and the topology has none; set SOFTDOCA_ROLE to one "
                "of its nodes: %s",
                to_string(compiled_side(notes)), names_of_nodes().c_str());
    else if (found.role != nullptr && notes.first && *notes.first != found.node->side)
        LOG_WRN("this program was compiled for the %s but runs as the %s (SOFTDOCA_ROLE=%s)",
                to_string(*notes.first), to_string(found.node->side), found.role);
    else if (found.role == nullptr && notes.disagree)
        LOG_WRN("parts of this program are compiled for the host and parts for the DPU; it runs as "
                "the %s, as its first part says (set SOFTDOCA_ROLE to choose)",
                to_string(*notes.first));
    if (found.node != nullptr)
        LOG_INF("this process is on the %s side, node %s", to_string(found.node->side),
                found.node->name.c_str());
}

} // namespace

const Node *local_node()
{
    static const Found kFound = find_local_node();
    // Not within the initialiser: a log backend may be the program's own code and call us again.
    static std::atomic<bool> is_reported{false};
    if (!is_reported.exchange(true))
        report(kFound);
    return kFound.node;
}

} // namespace softdoca
