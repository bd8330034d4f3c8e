// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "fabric/status_page.hpp"

#include "base/membarrier.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sched.h>
#include <unistd.h>

#include <mutex>

namespace softdoca {

namespace {

#ifndef F_SEAL_FUTURE_WRITE
constexpr int F_SEAL_FUTURE_WRITE = 0x0010;
#endif

constexpr int kPageSeals = F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

} // namespace

/// What the kernel walks when the agent thread ends.
struct OwnPage::RobustList {
    robust_list_head head;
    robust_list entry;
};

OwnPage::OwnPage(SharedMemory &&memory, ProcessFd &&fd)
    : memory_(std::move(memory)), fd_(std::move(fd)), robust_list_(std::make_unique<RobustList>())
{
}

OwnPage::~OwnPage() = default;

std::shared_ptr<PeerPage> PeerPage::map(int fd, const ProcessId &process)
{
    if ((seals_of(fd) & F_SEAL_SHRINK) == 0)
        return nullptr;
    SharedMemory memory = SharedMemory::map(fd, 0, sizeof(StatusPage), SharedMemory::Access::read);
    if (!memory.is_valid())
        return nullptr;
    std::shared_ptr<PeerPage> peer(new PeerPage(std::move(memory)));
    const StatusPage &page = peer->page();
    if (page.magic != StatusPage::kMagic || page.version != StatusPage::kVersion ||
        !(page.process == process))
        return nullptr;
    peer->joins_fences_ = page.joins_fences != 0;
    return peer;
}

std::unique_ptr<OwnPage> OwnPage::create(const ProcessId &process)
{
    ProcessFd fd;
    SharedMemory memory =
        SharedMemory::create("softdoca-status", sizeof(StatusPage), kPageSeals, &fd);
    if (!memory.is_valid())
        return nullptr;
    std::unique_ptr<OwnPage> own(new OwnPage(std::move(memory), std::move(fd)));
    StatusPage &page = own->page();
    page.magic = StatusPage::kMagic;
    page.version = StatusPage::kVersion;
    page.process = process;
    own->joins_fences_ = join_process_fences();
    page.joins_fences = own->joins_fences_ ? 1 : 0;
    return own;
}

/// In place of libc's list of robust mutexes: the agent thread has none of those.
void OwnPage::hold_death_word()
{
    std::atomic<std::uint32_t> &word = page().death_word;
    RobustList &list = *robust_list_;
    list.head.list.next = &list.entry;
    list.entry.next = &list.head.list;
    list.head.futex_offset =
        reinterpret_cast<std::intptr_t>(&word) - reinterpret_cast<std::intptr_t>(&list.entry);
    word.store(static_cast<std::uint32_t>(::gettid()), std::memory_order_release);
    if (::syscall(SYS_set_robust_list, &list.head, sizeof list.head) != 0)
        word.store(0, std::memory_order_release); // an emulated kernel: sockets tell of deaths
}

StatusPage::CopyMark *OwnPage::take_mark()
{
    const std::scoped_lock lock(marks_lock_);
    if (!free_marks_.empty()) {
        StatusPage::CopyMark *const mark = free_marks_.back();
        free_marks_.pop_back();
        return mark;
    }
    std::atomic<std::uint32_t> &num = page().num_copy_marks;
    const std::uint32_t index = num.load(std::memory_order_relaxed);
    if (index == kMaxCopyMarks)
        return nullptr;
    free_marks_.reserve(index + 1); // so that giving back allocates nothing
    num.store(index + 1, std::memory_order_release);
    return &page().copy_marks[index];
}

void OwnPage::give_back(StatusPage::CopyMark *mark) noexcept
{
    const std::scoped_lock lock(marks_lock_);
    free_marks_.push_back(mark);
}

bool CopyMark::acquire(OwnPage &page)
{
    if (mark_ != nullptr)
        return true;
    mark_ = page.take_mark();
    if (mark_ == nullptr)
        return false;
    page_ = &page;
    value_ = mark_->value.load(std::memory_order_relaxed);
    return true;
}

CopyMark::~CopyMark()
{
    if (mark_ != nullptr && !owner_.is_another())
        page_->give_back(mark_);
}

void CopiesUnderWay::note(const StatusPage &page) noexcept
{
    fence_all_processes(); // where there is none, whoever copies fences itself
    std::atomic_thread_fence(std::memory_order_seq_cst);
    num_ = 0;
    page_ = nullptr;
    const std::uint32_t num_marks =
        std::min(page.num_copy_marks.load(std::memory_order_acquire), kMaxCopyMarks);
    for (std::uint32_t i = 0; i < num_marks; ++i) {
        const auto &mark = page.copy_marks[i].value;
        const std::uint64_t value = mark.load(std::memory_order_acquire); // pairs with end()
        if (value % 2 == 0)
            continue;
        if (num_ == copies_.size())
            page_ = &page;
        else
            copies_[num_++] = {&mark, value};
    }
}

bool CopiesUnderWay::have_ended() noexcept
{
    while (num_ != 0) {
        const Copy &last = copies_[num_ - 1];
        if (last.mark->load(std::memory_order_acquire) == last.value) // pairs with end()
            return false;
        --num_;
    }
    if (page_ != nullptr)
        note(*page_); // an upper bound: those that have begun since are noted too
    return num_ == 0;
}

bool CopiesUnderWay::wait_for(std::chrono::nanoseconds patience) noexcept
{
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!have_ended()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        sched_yield();
    }
    return true;
}

} // namespace softdoca
