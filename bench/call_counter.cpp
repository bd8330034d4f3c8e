// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 SoftDOCA contributors

#include "call_counter.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <thread>
#include <time.h>
#include <ucontext.h>

#if defined(__has_feature)
#define SOFTDOCA_HAS_FEATURE(name) __has_feature(name)
#else
#define SOFTDOCA_HAS_FEATURE(name) 0
#endif
// A sanitizer has its own allocator and locks in these places.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    SOFTDOCA_HAS_FEATURE(address_sanitizer) || SOFTDOCA_HAS_FEATURE(thread_sanitizer) ||           \
    SOFTDOCA_HAS_FEATURE(memory_sanitizer)
#define SOFTDOCA_SANITIZED 1
#else
#define SOFTDOCA_SANITIZED 0
#endif

namespace {

using softdoca::bench::Calls;

constinit thread_local Calls calls;

} // namespace

#if !SOFTDOCA_SANITIZED

namespace {

/// The function of that name in the libraries behind this program; the function that stands in its
/// place only lends the type.
template <typename Function>
class Original {
public:
    constexpr Original(const char *name, Function *) : name_(name) {}

    template <typename... Args>
    auto operator()(Args... args)
    {
        // Relaxed: every thread that finds it empty stores the same value.
        Function *function = function_.load(std::memory_order_relaxed);
        if (function == nullptr) {
            function = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name_));
            if (function == nullptr)
                std::abort();
            function_.store(function, std::memory_order_relaxed);
        }
        return function(args...);
    }

private:
    const char *name_;
    std::atomic<Function *> function_{nullptr};
};

template <typename Function, typename... Args>
int counted_lock(Original<Function> &original, Args... args)
{
    calls.locks++;
    return original(args...);
}

} // namespace

extern "C" {

// ---- the allocator; glibc offers its own under second names, so no look-up is needed here ----

void *__libc_malloc(std::size_t size);
void *__libc_calloc(std::size_t num, std::size_t size);
void *__libc_realloc(void *memory, std::size_t size);
void *__libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void *memory);

[[gnu::visibility("default")]] void *malloc(std::size_t size) noexcept
{
    calls.allocations++;
    return __libc_malloc(size);
}

[[gnu::visibility("default")]] void *calloc(std::size_t num, std::size_t size) noexcept
{
    calls.allocations++;
    return __libc_calloc(num, size);
}

[[gnu::visibility("default")]] void *realloc(void *memory, std::size_t size) noexcept
{
    calls.allocations++;
    return __libc_realloc(memory, size);
}

[[gnu::visibility("default")]] void free(void *memory) noexcept
{
    calls.allocations++;
    __libc_free(memory);
}

[[gnu::visibility("default")]] void *memalign(std::size_t alignment, std::size_t size) noexcept
{
    calls.allocations++;
    return __libc_memalign(alignment, size);
}

[[gnu::visibility("default")]] void *aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    calls.allocations++;
    return __libc_memalign(alignment, size);
}

[[gnu::visibility("default")]] int posix_memalign(void **memory, std::size_t alignment,
                                                  std::size_t size) noexcept
{
    calls.allocations++;
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    void *const result = __libc_memalign(alignment, size);
    if (result == nullptr)
        return ENOMEM;
    *memory = result;
    return 0;
}

// ---- locks ----

[[gnu::visibility("default")]] int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept
{
    static constinit Original original("pthread_mutex_lock", &::pthread_mutex_lock);
    return counted_lock(original, mutex);
}

[[gnu::visibility("default")]] int pthread_mutex_trylock(pthread_mutex_t *mutex) noexcept
{
    static constinit Original original("pthread_mutex_trylock", &::pthread_mutex_trylock);
    return counted_lock(original, mutex);
}

[[gnu::visibility("default")]] int pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                                           const timespec *until) noexcept
{
    static constinit Original original("pthread_mutex_timedlock", &::pthread_mutex_timedlock);
    return counted_lock(original, mutex, until);
}

[[gnu::visibility("default")]] int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                                           const timespec *until) noexcept
{
    static constinit Original original("pthread_mutex_clocklock", &::pthread_mutex_clocklock);
    return counted_lock(original, mutex, clock, until);
}

[[gnu::visibility("default")]] int pthread_rwlock_rdlock(pthread_rwlock_t *lock) noexcept
{
    static constinit Original original("pthread_rwlock_rdlock", &::pthread_rwlock_rdlock);
    return counted_lock(original, lock);
}

[[gnu::visibility("default")]] int pthread_rwlock_wrlock(pthread_rwlock_t *lock) noexcept
{
    static constinit Original original("pthread_rwlock_wrlock", &::pthread_rwlock_wrlock);
    return counted_lock(original, lock);
}

[[gnu::visibility("default")]] int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) noexcept
{
    static constinit Original original("pthread_rwlock_tryrdlock", &::pthread_rwlock_tryrdlock);
    return counted_lock(original, lock);
}

[[gnu::visibility("default")]] int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) noexcept
{
    static constinit Original original("pthread_rwlock_trywrlock", &::pthread_rwlock_trywrlock);
    return counted_lock(original, lock);
}

[[gnu::visibility("default")]] int pthread_spin_lock(pthread_spinlock_t *lock) noexcept
{
    static constinit Original original("pthread_spin_lock", &::pthread_spin_lock);
    return counted_lock(original, lock);
}

[[gnu::visibility("default")]] int pthread_spin_trylock(pthread_spinlock_t *lock) noexcept
{
    static constinit Original original("pthread_spin_trylock", &::pthread_spin_trylock);
    return counted_lock(original, lock);
}

[[gnu::visibility("default")]] int pthread_cond_wait(pthread_cond_t *condition,
                                                     pthread_mutex_t *mutex)
{
    static constinit Original original("pthread_cond_wait", &::pthread_cond_wait);
    return counted_lock(original, condition, mutex);
}

[[gnu::visibility("default")]] int
pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const timespec *until)
{
    static constinit Original original("pthread_cond_timedwait", &::pthread_cond_timedwait);
    return counted_lock(original, condition, mutex, until);
}

[[gnu::visibility("default")]] int pthread_cond_clockwait(pthread_cond_t *condition,
                                                          pthread_mutex_t *mutex, clockid_t clock,
                                                          const timespec *until)
{
    static constinit Original original("pthread_cond_clockwait", &::pthread_cond_clockwait);
    return counted_lock(original, condition, mutex, clock, until);
}

[[gnu::visibility("default")]] int pthread_cond_signal(pthread_cond_t *condition) noexcept
{
    static constinit Original original("pthread_cond_signal", &::pthread_cond_signal);
    return counted_lock(original, condition);
}

[[gnu::visibility("default")]] int pthread_cond_broadcast(pthread_cond_t *condition) noexcept
{
    static constinit Original original("pthread_cond_broadcast", &::pthread_cond_broadcast);
    return counted_lock(original, condition);
}

[[gnu::visibility("default")]] int sem_wait(sem_t *semaphore)
{
    static constinit Original original("sem_wait", &::sem_wait);
    return counted_lock(original, semaphore);
}

[[gnu::visibility("default")]] int sem_trywait(sem_t *semaphore) noexcept
{
    static constinit Original original("sem_trywait", &::sem_trywait);
    return counted_lock(original, semaphore);
}

[[gnu::visibility("default")]] int sem_post(sem_t *semaphore) noexcept
{
    static constinit Original original("sem_post", &::sem_post);
    return counted_lock(original, semaphore);
}

// ---- clocks ----

[[gnu::visibility("default")]] int clock_gettime(clockid_t clock, timespec *now) noexcept
{
    static constinit Original original("clock_gettime", &::clock_gettime);
    calls.clock_reads++;
    return original(clock, now);
}

[[gnu::visibility("default")]] int gettimeofday(timeval *now, void *zone) noexcept
{
    static constinit Original original("gettimeofday", &::gettimeofday);
    calls.clock_reads++;
    return original(now, zone);
}

[[gnu::visibility("default")]] time_t time(time_t *now) noexcept
{
    static constinit Original original("time", &::time);
    calls.clock_reads++;
    return original(now);
}

[[gnu::visibility("default")]] clock_t clock() noexcept
{
    static constinit Original original("clock", &::clock);
    calls.clock_reads++;
    return original();
}

} // extern "C"

// ---- system calls: a seccomp filter traps all but those made by this one instruction ----

#if defined(__x86_64__)
asm(R"(
    .text
    .globl softdoca_untrapped_syscall
    .hidden softdoca_untrapped_syscall
    .globl softdoca_after_untrapped_syscall
    .hidden softdoca_after_untrapped_syscall
    .type softdoca_untrapped_syscall, @function
softdoca_untrapped_syscall:
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    mov %r8, %r10
    mov %r9, %r8
    mov 8(%rsp), %r9
    syscall
softdoca_after_untrapped_syscall:
    ret
    .size softdoca_untrapped_syscall, . - softdoca_untrapped_syscall
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl softdoca_untrapped_syscall
    .hidden softdoca_untrapped_syscall
    .globl softdoca_after_untrapped_syscall
    .hidden softdoca_after_untrapped_syscall
    .type softdoca_untrapped_syscall, %function
softdoca_untrapped_syscall:
    mov x8, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    mov x3, x4
    mov x4, x5
    mov x5, x6
    svc #0
softdoca_after_untrapped_syscall:
    ret
    .size softdoca_untrapped_syscall, . - softdoca_untrapped_syscall
)");
#else
#error "call_counter.cpp knows x86-64 and aarch64"
#endif

extern "C" {
long softdoca_untrapped_syscall(long number, long, long, long, long, long, long);
extern const char softdoca_after_untrapped_syscall[];
}

namespace {

/// Counts a trapped system call and carries it out in its caller's stead.
void on_trapped_syscall(int, siginfo_t *, void *context)
{
    calls.system_calls++;
    mcontext_t &machine = static_cast<ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    greg_t *const reg = machine.gregs;
    reg[REG_RAX] = softdoca_untrapped_syscall(reg[REG_RAX], reg[REG_RDI], reg[REG_RSI],
                                              reg[REG_RDX], reg[REG_R10], reg[REG_R8], reg[REG_R9]);
#else
    const auto arg = [&](int i) { return static_cast<long>(machine.regs[i]); };
    machine.regs[0] = static_cast<unsigned long long>(
        softdoca_untrapped_syscall(arg(8), arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)));
#endif
}

constexpr std::uint32_t kArchitecture =
#if defined(__x86_64__)
    AUDIT_ARCH_X86_64;
#else
    AUDIT_ARCH_AARCH64;
#endif

constexpr sock_filter load(std::size_t offset)
{
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

/// Goes on if the loaded word is `value`, else skips `skip` instructions.
constexpr sock_filter expect(std::uint32_t value, std::uint8_t skip)
{
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
}

/// Traps every system call that this thread makes from now on. False if there is no seccomp here.
bool trap_system_calls()
{
    struct sigaction action {};
    action.sa_sigaction = on_trapped_syscall;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    if (sigaction(SIGSYS, &action, nullptr) != 0)
        return false;

    const auto allowed = reinterpret_cast<std::uintptr_t>(softdoca_after_untrapped_syscall);
    constexpr std::size_t kIp = offsetof(seccomp_data, instruction_pointer);
    sock_filter filter[] = {
        load(offsetof(seccomp_data, arch)),
        expect(kArchitecture, 6),
        load(offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 4, 0), // the handler's own return
        load(kIp),
        expect(static_cast<std::uint32_t>(allowed), 3),
        load(kIp + 4),
        expect(static_cast<std::uint32_t>(static_cast<std::uint64_t>(allowed) >> 32), 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool has_seccomp()
{
    bool is_there = false;
    std::thread([&] { is_there = trap_system_calls(); }).join();
    return is_there;
}

} // namespace

namespace softdoca::bench {

const char *why_calls_are_not_counted()
{
    static const bool is_there = has_seccomp();
    return is_there ? nullptr : "no seccomp filter can be set here (an emulator, or a container)";
}

void run_watched(const std::function<void()> &body)
{
    std::thread([&] {
        if (!trap_system_calls())
            std::abort(); // the caller asked why_calls_are_not_counted first
        body();
    }).join();
}

} // namespace softdoca::bench

#else

namespace softdoca::bench {

const char *why_calls_are_not_counted()
{
    return "a sanitizer takes the place of the counters; they need the plain build";
}

void run_watched(const std::function<void()> &body)
{
    body();
}

} // namespace softdoca::bench

#endif

namespace softdoca::bench {

Calls count_calls(const std::function<void()> &loop)
{
    const Calls before = calls;
    loop();
    const Calls after = calls;
    return {after.allocations - before.allocations, after.locks - before.locks,
            after.clock_reads - before.clock_reads, after.system_calls - before.system_calls};
}

} // namespace softdoca::bench
