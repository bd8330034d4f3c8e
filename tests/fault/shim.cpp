// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "shim.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace softdoca::test {

namespace {

ShimCall *first = nullptr;

struct Fault {
    std::string name;
    std::uint64_t at = 0;
    doca_error_t code = DOCA_ERROR_UNEXPECTED;
};

const Fault &fault()
{
    static const Fault parsed = [] {
        Fault made;
        const char *const text = std::getenv("SHIM_FAIL");
        char name[128];
        unsigned long long at = 0;
        unsigned code = 0;
        if (text != nullptr && std::sscanf(text, "%127[^:]:%llu:%u", name, &at, &code) == 3)
            made = {name, at, static_cast<doca_error_t>(code)};
        return made;
    }();
    return parsed;
}

std::uint64_t num_of(std::initializer_list<std::string_view> names)
{
    std::uint64_t num = 0;
    for (const ShimCall *call = first; call != nullptr; call = call->next())
        for (const std::string_view name : names)
            num += name == call->name() ? call->num_successes() : 0;
    return num;
}

struct Pair {
    std::initializer_list<std::string_view> makers;
    std::string_view ender;
};
const Pair kPairs[] = {
    {{"doca_devinfo_create_list"}, "doca_devinfo_destroy_list"},
    {{"doca_devinfo_rep_create_list"}, "doca_devinfo_rep_destroy_list"},
    {{"doca_dev_open"}, "doca_dev_close"},
    {{"doca_dev_rep_open"}, "doca_dev_rep_close"},
    {{"doca_mmap_create", "doca_mmap_create_from_export"}, "doca_mmap_destroy"},
    {{"doca_buf_inventory_create"}, "doca_buf_inventory_destroy"},
    {{"doca_buf_pool_create"}, "doca_buf_pool_destroy"},
    {{"doca_pe_create"}, "doca_pe_destroy"},
    {{"doca_dma_create"}, "doca_dma_destroy"},
    {{"doca_comch_server_create"}, "doca_comch_server_destroy"},
    {{"doca_comch_client_create"}, "doca_comch_client_destroy"},
    {{"doca_comch_producer_create"}, "doca_comch_producer_destroy"},
    {{"doca_comch_consumer_create"}, "doca_comch_consumer_destroy"},
};

} // namespace

ShimCall::ShimCall(const char *name) : name_(name), real_(::dlsym(RTLD_NEXT, name)), next_(first)
{
    if (real_ == nullptr) {
        (void)std::fprintf(stderr, "shim: there is no %s behind this program\n", name);
        std::abort();
    }
    if (fault().name == name)
        fails_at_ = fault().at;
    first = this;
}

bool ShimCall::fails() noexcept
{
    return ++num_calls_ == fails_at_;
}

doca_error_t ShimCall::code() const noexcept
{
    return fault().code;
}

void print_shim_calls()
{
    for (const ShimCall *call = first; call != nullptr; call = call->next())
        (void)std::printf("call %s %llu\n", call->name(),
                          static_cast<unsigned long long>(call->num_calls()));
}

bool is_shim_balanced()
{
    bool is_balanced = true;
    for (const Pair &pair : kPairs) {
        const std::uint64_t num_made = num_of(pair.makers), num_ended = num_of({pair.ender});
        if (num_made == num_ended)
            continue;
        is_balanced = false;
        (void)std::fprintf(stderr, "%.*s: %llu were made, %llu ended\n",
                           static_cast<int>(pair.ender.size()), pair.ender.data(),
                           static_cast<unsigned long long>(num_made),
                           static_cast<unsigned long long>(num_ended));
    }
    return is_balanced;
}

} // namespace softdoca::test
