// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#pragma once

namespace softdoca {

/// A place in one list. An object derives from one hook for each list it can be in.
template <typename Tag>
class ListHook {
public:
    ListHook() = default;
    ListHook(const ListHook &) = delete;
    ListHook &operator=(const ListHook &) = delete;

    bool is_linked() const noexcept { return next_ != nullptr; }

    void unlink() noexcept
    {
        if (next_ == nullptr)
            return;
        prev_->next_ = next_;
        next_->prev_ = prev_;
        prev_ = next_ = nullptr;
    }

private:
    template <typename, typename>
    friend class IntrusiveList;

    ListHook *prev_ = nullptr;
    ListHook *next_ = nullptr;
};

/// Circular list through the hooks of its members: nothing is allocated, each step is O(1). The
/// list does not own its members. Threads: as its owner.
template <typename T, typename Tag>
class IntrusiveList {
public:
    IntrusiveList() noexcept { head_.prev_ = head_.next_ = &head_; }
    IntrusiveList(const IntrusiveList &) = delete;
    IntrusiveList &operator=(const IntrusiveList &) = delete;

    bool empty() const noexcept { return head_.next_ == &head_; }
    T &front() const noexcept { return static_cast<T &>(*head_.next_); }

    void push_back(T &item) noexcept
    {
        Hook &hook = item;
        hook.prev_ = head_.prev_;
        hook.next_ = &head_;
        head_.prev_->next_ = &hook;
        head_.prev_ = &hook;
    }

    /// The first goes to the end. A list of one is left as it is.
    void rotate() noexcept
    {
        if (head_.next_ == head_.prev_)
            return;
        T &first = front();
        static_cast<Hook &>(first).unlink();
        push_back(first);
    }

    /// Calls visit(T &) for each; visit must not change the list.
    template <typename Visitor>
    void for_each(Visitor &&visit) const
    {
        for (const Hook *hook = head_.next_; hook != &head_; hook = hook->next_)
            visit(static_cast<T &>(*const_cast<Hook *>(hook)));
    }

private:
    using Hook = ListHook<Tag>;
    Hook head_;
};

} // namespace softdoca
