// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "elf_file.hpp"

#include <elf.h>

#include <bit>
#include <cctype>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

namespace softdoca::tool {

namespace {

constexpr std::string_view kNoteOwner{"SoftDOCA", 9}; // with its NUL
constexpr std::string_view kPrivateNode = "SOFTDOCA_PRIVATE_";
constexpr std::size_t kMaxSegment = 1024 * 1024; // of notes or a loader's name, much less is usual
constexpr std::size_t kMaxRelease = 32;

/// Bytes of the file, or fewer at its end.
std::string piece(std::ifstream &file, std::uint64_t offset, std::uint64_t size)
{
    std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(size, kMaxSegment)), '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

template <typename Header>
bool take(std::string_view &bytes, Header &header)
{
    if (bytes.size() < sizeof header)
        return false;
    std::memcpy(&header, bytes.data(), sizeof header);
    bytes.remove_prefix(sizeof header);
    return true;
}

std::optional<Side> side_of_word(std::string_view word)
{
    std::uint32_t role = 0;
    if (!take(word, role))
        return std::nullopt;
    if (role == 1)
        return Side::host;
    return role == 2 ? std::optional(Side::dpu) : std::nullopt;
}

/// The role in a segment of notes (see doca_build_config.h).
std::optional<Side> side_of_notes(std::string_view notes)
{
    const auto padded = [](std::uint64_t len) { return (len + 3) & ~std::uint64_t{3}; };

    for (Elf64_Nhdr note; take(notes, note);) {
        const std::uint64_t name_size = padded(note.n_namesz);
        const std::uint64_t whole = name_size + padded(note.n_descsz);
        if (whole > notes.size())
            break;
        if (note.n_type == 1 && note.n_namesz == kNoteOwner.size() && notes.starts_with(kNoteOwner))
            if (const auto side = side_of_word(notes.substr(name_size, note.n_descsz)))
                return side;
        notes.remove_prefix(whole);
    }
    return std::nullopt;
}

void read_segments(std::ifstream &file, const Elf64_Ehdr &header, ElfFacts &facts)
{
    if (header.e_phentsize != sizeof(Elf64_Phdr))
        return;
    const std::string table =
        piece(file, header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
    std::string_view rest = table;

    for (Elf64_Phdr segment; take(rest, segment);) {
        if (segment.p_type == PT_INTERP)
            facts.interpreter = piece(file, segment.p_offset, segment.p_filesz).c_str();
        else if (segment.p_type == PT_NOTE && segment.p_align <= 4 && !facts.role)
            facts.role = side_of_notes(piece(file, segment.p_offset, segment.p_filesz));
    }
}

} // namespace

std::optional<ElfFacts> read_elf(const std::string &path)
{
    constexpr unsigned char kByteOrder =
        std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    std::ifstream file(path, std::ios::binary);
    const std::string bytes = piece(file, 0, sizeof(Elf64_Ehdr));
    std::string_view rest = bytes;
    Elf64_Ehdr header;

    if (!take(rest, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_DATA] != kByteOrder)
        return std::nullopt;
    ElfFacts facts;
    facts.is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
    facts.machine = header.e_machine; // stands at the same place in 32-bit files
    if (facts.is_64_bit)
        read_segments(file, header, facts);
    return facts;
}

std::string softdoca_release_of(const std::string &library)
{
    std::ifstream file(library, std::ios::binary);
    std::vector<char> buffer(kMaxSegment);
    std::string bytes; // the end of the former piece, then the next one

    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())),
           file.gcount() > 0) {
        bytes.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
        const std::size_t found = bytes.find(kPrivateNode);
        if (found != std::string::npos && (bytes.size() - found > kMaxRelease || file.eof())) {
            std::string_view release = std::string_view(bytes).substr(found + kPrivateNode.size());
            return std::string(release.substr(0, release.find_first_not_of("0123456789.")));
        }
        bytes.erase(0, bytes.size() - std::min(bytes.size(), kMaxRelease + kPrivateNode.size()));
    }
    return {};
}

} // namespace softdoca::tool
