/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * Log: lines of the application, and lines of the library (the SDK).
 *
 * The two are separate worlds. DOCA_LOG_* macros reach the application's backends only; what the
 * library says reaches the backends made by the ..._sdk calls only. A line goes to every backend of
 * its world whose limits it passes.
 *
 * Order: each source file that logs names itself once with DOCA_LOG_REGISTER(NAME), at file scope.
 * main makes the backends, doca_log_backend_create_standard and usually
 * doca_log_backend_create_with_file_sdk(stderr, ...), and sets levels. After that every thread
 * logs.
 *
 * Levels: a higher number is more verbose. A line is shown if upper limit <= its level <= lower
 * limit. The lower limit is the most verbose level that is shown (INFO unless set), the upper limit
 * the least verbose one (CRIT unless set). DISABLE as lower limit shows nothing.
 *
 * Without an application backend the application's lines are dropped. Without an SDK backend the
 * library writes only errors and warnings (refused calls, misuse, long waits), to stderr;
 * SOFTDOCA_QUIET=1 turns that off.
 * SOFTDOCA_LOG=LEVEL[:FILE] shows the library's lines without any change of the program.
 *
 * A line: [14:03:07:012345][4711][DOCA][INF][file.c:42][function] text, with local time to the
 * microsecond and the thread's number; lines of the library are without [function]. A line is
 * written at once.
 *
 * Ownership: backends live until the process ends, there is no destroy; so must the file,
 * descriptor or memory that one was given.
 *
 * Threads: all calls of this header may be made by any thread at any time, also in callbacks, and
 * from constructors before main. Out-parameters are written on success only.
 */

#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How much a line matters; no other number is a level. */
enum doca_log_level {
    DOCA_LOG_LEVEL_DISABLE = 10, /**< as a limit: nothing */
    DOCA_LOG_LEVEL_CRIT = 20,    /**< the program cannot go on */
    DOCA_LOG_LEVEL_ERROR = 30,   /**< something failed */
    DOCA_LOG_LEVEL_WARNING = 40, /**< works, but surely not as meant */
    DOCA_LOG_LEVEL_INFO = 50,    /**< what a user wants to know */
    DOCA_LOG_LEVEL_DEBUG = 60,   /**< what a developer wants to know */
    DOCA_LOG_LEVEL_TRACE = 70,   /**< every step */
};

/** Where lines go. Belongs to the library, lives until the process ends. */
struct doca_log_backend;

/**
 * Takes a line out of a buffer backend. Runs on the thread that logs, one call at a time. What is
 * logged inside it does not reach any buffer backend.
 *
 * @param buf  the buffer of the backend, with one line and NUL at its start
 */
typedef void (*log_flush_callback)(char *buf);

/**
 * Set the most verbose level that an application backend shows. Any thread, any time.
 *
 * @param backend  application backend
 * @param level    value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  it is no application backend, or there is no such level
 *         DOCA_ERROR_NOT_PERMITTED  the limit is strict and would become lower
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
                                                    uint32_t level);

/**
 * Set the least verbose level that an application backend shows. Any thread, any time.
 *
 * @param backend      application backend
 * @param upper_limit  value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  it is no application backend, or there is no such level
 *         DOCA_ERROR_NOT_PERMITTED  the limit is strict and would become higher
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
                                                    uint32_t upper_limit);

/**
 * From now on let no call lower the lower limit of a backend below what it is: calls for the
 * backend are refused, calls for all stop there. Any thread, any time.
 *
 * @param backend  any backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  it is no backend
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/**
 * From now on let no call raise the upper limit of a backend above what it is: calls for the
 * backend are refused, calls for all stop there. Any thread, any time.
 *
 * @param backend  any backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  it is no backend
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/**
 * Set the most verbose level that the application's backends show: those that exist, unless strict
 * forbids it, and those made later. Any thread, any time.
 *
 * @param level  value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  there is no such level
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * Set the least verbose level that the application's backends show: those that exist, unless strict
 * forbids it, and those made later. Any thread, any time.
 *
 * @param upper_limit  value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  there is no such level
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/**
 * The most verbose level that the application's backends show. Any thread, any time.
 *
 * @return value of enum doca_log_level, INFO if it was not set
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * The least verbose level that the application's backends show. Any thread, any time.
 *
 * @return value of enum doca_log_level, CRIT if it was not set
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * Name a source of lines. DOCA_LOG_REGISTER does it for a file. Any thread, any time, also before
 * main.
 *
 * @param source_name  the name, copied; more than 255 characters are cut
 * @param source       gets the number for doca_log; the same name has the same number
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * Does nothing: a name is kept until the process ends. Any thread, any time.
 *
 * @param source  number of a source
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  there is no such source
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/**
 * Show the application's lines in a stream. Any thread, any time.
 *
 * @param fptr     open stream; stays the caller's and must stay open
 * @param backend  gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/**
 * Show the application's lines in a file. Any thread, any time.
 *
 * @param fd       open descriptor; stays the caller's and must stay open
 * @param backend  gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or fd is not open for writing
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * Hand the application's lines to a function. Each line is written to the start of the buffer, then
 * the function is called; a line that does not fit with its NUL is dropped, with one WARNING. Any
 * thread, any time.
 *
 * @param buf       the buffer; stays the caller's, written to at any time
 * @param capacity  bytes of the buffer, at least 1
 * @param handler   takes the line
 * @param backend   gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or capacity is 0
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
                                              log_flush_callback handler,
                                              struct doca_log_backend **backend);

/**
 * Send the application's lines to the system log, which adds the time itself. Any thread, any time.
 *
 * @param name     how the program is called there; copied
 * @param backend  gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
                                                 struct doca_log_backend **backend);

/**
 * Set the most verbose level that a backend of the library shows. Any thread, any time.
 *
 * @param backend  backend made by a ..._sdk call
 * @param level    value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  it is no backend of the library, or there is no such level
 *         DOCA_ERROR_NOT_PERMITTED  the limit is strict and would become lower
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * Show the library's lines in a stream. The first backend of the library prints the version at
 * once. Any thread, any time.
 *
 * @param fptr     open stream; stays the caller's and must stay open
 * @param backend  gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/**
 * Show the library's lines in a file. The first backend of the library prints the version at once.
 * Any thread, any time.
 *
 * @param fd       open descriptor; stays the caller's and must stay open
 * @param backend  gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL, or fd is not open for writing
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * Hand the library's lines to a function, as doca_log_backend_create_with_buf does with the
 * application's. The function may run inside any call of the library: it must not use the object
 * of that call. Any thread, any time.
 *
 * @param buf       the buffer; stays the caller's, written to at any time
 * @param capacity  bytes of the buffer, at least 1
 * @param handler   takes the line
 * @param backend   gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL or capacity is 0
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
                                                  log_flush_callback handler,
                                                  struct doca_log_backend **backend);

/**
 * Send the library's lines to the system log, which adds the time itself. Any thread, any time.
 *
 * @param name     how the program is called there; copied
 * @param backend  gets the backend
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL
 *         DOCA_ERROR_NO_MEMORY      16 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
                                                     struct doca_log_backend **backend);

/**
 * Set the most verbose level that the library's backends show, those that exist and those made
 * later. Any thread, any time.
 *
 * @param level  value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  there is no such level
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * The most verbose level that the library's backends show. Any thread, any time.
 *
 * @return value of enum doca_log_level, INFO if it was not set
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/**
 * Show the application's lines on the terminal: INFO and more verbose ones on stdout, WARNING and
 * more severe ones on stderr, within the global limits. These two backends have no handle. Called
 * again, nothing happens. Any thread, any time.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_NO_MEMORY  15 backends exist, or an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/**
 * Log a line of the application. Programs use the macros below. Any thread, any time.
 *
 * @param level   value of enum doca_log_level but DISABLE
 * @param source  number of doca_log_register_source
 * @param fname   source file; only what follows the last slash is shown
 * @param line    line in that file
 * @param func    function
 * @param format  as for printf, with its arguments behind it; no newline at the end
 * @return DOCA_SUCCESS, also if no backend shows the line;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or there is no such level or source
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
                      const char *format, ...) __attribute__((format(printf, 6, 7)));

/** Log a line of this file at a level. Needs DOCA_LOG_REGISTER in the file. */
#define DOCA_LOG(level, format, ...)                                                               \
    doca_log(level, log_source, __FILE__, __LINE__, __func__, format, ##__VA_ARGS__)

/** The same for each level. */
#define DOCA_LOG_CRIT(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, format, ##__VA_ARGS__)
#define DOCA_LOG_ERR(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, format, ##__VA_ARGS__)
#define DOCA_LOG_WARN(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, format, ##__VA_ARGS__)
#define DOCA_LOG_INFO(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, format, ##__VA_ARGS__)
#define DOCA_LOG_DBG(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, format, ##__VA_ARGS__)

/** TRACE lines are compiled only if DOCA_LOGGING_ALLOW_TRACE is defined before this header. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, format, ##__VA_ARGS__)
#else
#define DOCA_LOG_TRC(format, ...)                                                                  \
    do {                                                                                           \
    } while (0)
#endif

/**
 * Name this source file as a source of lines: once, at file scope, followed by a semicolon. The
 * name is written without quotes and may have levels: DOCA_LOG_REGISTER(PE::COMMON);
 */
#define DOCA_LOG_REGISTER(source)                                                                  \
    static int log_source;                                                                         \
    __attribute__((constructor(101))) static void softdoca_register_log_source(void)               \
    {                                                                                              \
        (void)doca_log_register_source(#source, &log_source);                                      \
    }                                                                                              \
    static void softdoca_register_log_source(void)

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
