// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

/// Lists of things that live elsewhere: nothing is allocated to be in one.

#pragma once

namespace doca::detail {

/// A place in at most one list. Whoever has one knows whether it is in a list.
class Node {
public:
    Node() = default; // nothing is written: a coroutine that does not wait needs no list
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;

    void unlink() noexcept
    {
        prev_->next_ = next_;
        next_->prev_ = prev_;
    }

private:
    template <typename>
    friend class List;

    Node *prev_, *next_;
};

/// First in, first out. Owns nothing.
template <typename T>
class List {
public:
    List() noexcept { ends_.prev_ = ends_.next_ = &ends_; }
    List(const List &) = delete;
    List &operator=(const List &) = delete;

    bool is_empty() const noexcept { return ends_.next_ == &ends_; }
    T *front() const noexcept { return is_empty() ? nullptr : static_cast<T *>(ends_.next_); }
    /// Of what is in no list.
    void push(T &item) noexcept
    {
        Node &node = item;
        node.prev_ = ends_.prev_;
        node.next_ = &ends_;
        ends_.prev_->next_ = &node;
        ends_.prev_ = &node;
    }
    T *pop() noexcept
    {
        T *const first = front();
        if (first != nullptr)
            static_cast<Node *>(first)->unlink();
        return first;
    }
    /// Takes over all of the other list.
    void take(List &other) noexcept
    {
        while (T *item = other.pop())
            push(*item);
    }

private:
    Node ends_;
};

} // namespace doca::detail
