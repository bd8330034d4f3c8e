/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Events: instead of polling, the program sleeps on the notification handle of the progress engine.
 * The order matters: arm, sleep, clear, progress until there is nothing left, arm again. What
 * completes between the last progress and the arming makes the handle readable at once.
 */

#include "pe_common.h"

#include <doca_log.h>

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

DOCA_LOG_REGISTER(PE_EVENT);

#define NUM_TASKS 16
#define TIMEOUT_MS 5000

static doca_error_t sleep_until_event(struct doca_pe *pe, int epoll_fd)
{
    struct epoll_event event;
    int num_events;

    do {
        num_events = epoll_wait(epoll_fd, &event, 1, TIMEOUT_MS);
    } while (num_events < 0 && errno == EINTR);
    if (num_events < 0) {
        DOCA_LOG_ERR("Failed to wait for an event: %s", strerror(errno));
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    if (num_events == 0)
        return DOCA_ERROR_TIME_OUT;
    return doca_pe_clear_notification(pe, 0); /* the handle is not looked at on Linux */
}

/* Called with the handle armed. */
static doca_error_t handle_events(struct pe_sample *sample, int epoll_fd)
{
    for (uint32_t num_events = 1;; num_events++) {
        doca_error_t result = sleep_until_event(sample->pe, epoll_fd);

        if (result != DOCA_SUCCESS)
            return result;
        while (doca_pe_progress(sample->pe) != 0)
            ;
        if (sample->num_completed + sample->num_failed == NUM_TASKS) {
            DOCA_LOG_INFO("All tasks ended after %u events", num_events);
            return DOCA_SUCCESS;
        }
        result = doca_pe_request_notification(sample->pe);
        if (result != DOCA_SUCCESS)
            return result;
    }
}

static doca_error_t add_pe(int epoll_fd, struct doca_pe *pe)
{
    struct epoll_event event = {.events = EPOLLIN};
    doca_notification_handle_t handle = doca_event_invalid_handle;
    const doca_error_t result = doca_pe_get_notification_handle(pe, &handle);

    if (result != DOCA_SUCCESS)
        return result;
    if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event) != 0) {
        DOCA_LOG_ERR("Failed to watch the notification handle: %s", strerror(errno));
        return DOCA_ERROR_OPERATING_SYSTEM;
    }
    return DOCA_SUCCESS;
}

static doca_error_t copy_with_events(struct pe_sample *sample, int epoll_fd)
{
    doca_error_t result = add_pe(epoll_fd, sample->pe);

    if (result != DOCA_SUCCESS)
        return result;
    result = pe_create_dma(sample, NUM_TASKS, pe_copy_completed, pe_copy_failed, &sample->dma);
    if (result != DOCA_SUCCESS)
        return result;
    result = doca_ctx_start(doca_dma_as_ctx(sample->dma));
    if (result != DOCA_SUCCESS)
        return result;
    /* Armed before there is anything to do: the submits below must wake the sleeper. */
    result = doca_pe_request_notification(sample->pe);
    for (uint32_t pair = 0; pair < NUM_TASKS && result == DOCA_SUCCESS; pair++)
        result = pe_submit_copy(sample, sample->dma, pair);
    if (result == DOCA_SUCCESS)
        result = handle_events(sample, epoll_fd);
    if (result != DOCA_SUCCESS)
        return result;
    return pe_expect_completed(sample, NUM_TASKS);
}

static doca_error_t run(struct pe_sample *sample)
{
    const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    const doca_error_t result = copy_with_events(sample, epoll_fd);

    if (epoll_fd >= 0)
        (void)close(epoll_fd);
    return result;
}

int main(int argc, char **argv)
{
    return pe_main(argc, argv, "doca_pe_event", NUM_TASKS, run);
}
