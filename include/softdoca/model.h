/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/**
 * The four abstractions: a simplified model of DOCA for teaching. Ours alone: not part of DOCA, and
 * a card does not have it. docs/model.md is the tutorial.
 *
 *     Context      entry of the process     struct doca_ctx *   doca_ctx_create   doca_ctx_destroy
 *       Device     one capability plane     struct doca_dev *   doca_dev_open     doca_dev_close
 *         Memory   bytes both sides see     struct doca_mem *   doca_mem_reg      doca_mem_unreg
 *           Buffer a window on them         struct doca_buf *   doca_buf_create   doca_buf_destroy
 *
 * Each owns those below it, and release goes against creation: a parent with living children
 * refuses with DOCA_ERROR_IN_USE, nothing changes, and one line in the log counts the children and
 * names the call that releases them. (SOFTDOCA_MODEL_ORDER=dangle shows what goes wrong otherwise.)
 *
 * Context, Device and Buffer are real objects of DOCA, so the calls of the other headers answer on
 * them, and objects of DMA or Comch may use the same Devices. A Context is IDLE without an open
 * Device and RUNNING with one, by itself: doca_ctx_start, doca_ctx_stop, doca_pe_connect_ctx and
 * doca_ctx_set_state_changed_cb answer DOCA_ERROR_NOT_SUPPORTED.
 *
 * There is one Context in a process at a time. A handle that is not alive (released, or never made)
 * gives DOCA_ERROR_INVALID_VALUE and one line in the log, never a crash; the address of a released
 * object may be given out again, and is alive then. Out-parameters are written on success only.
 * Releasing NULL is DOCA_SUCCESS. Threads: any thread, at any time, also in callbacks and log
 * handlers. After a fork, calls on a Context made before it answer DOCA_ERROR_BAD_STATE in the
 * child. Running out of memory is DOCA_ERROR_NO_MEMORY in each call that creates.
 *
 * The short names are macros, and in C++ two of them inline functions, over softdoca_model_
 * symbols of libsoftdoca_model (pkg-config: softdoca-model). doca_dev_open and doca_dev_close are
 * redirected too, so include this in files that use the model, and in no file that defines
 * functions of these names. With SOFTDOCA_MODEL_NO_NAMES defined there are only the long names.
 */

#ifndef SOFTDOCA_MODEL_H_
#define SOFTDOCA_MODEL_H_

#include <doca_buf.h>
#include <doca_compat.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_pe.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A Memory: a range of the program's bytes that a Device may reach. */
struct doca_mem;

/** What may be done with a Memory. One of these; they are not combined. */
enum doca_mem_access {
    DOCA_MEM_ACCESS_RO = 1 << 0,     /**< the Device may read */
    DOCA_MEM_ACCESS_RW = 1 << 1,     /**< the Device may read and write */
    DOCA_MEM_ACCESS_PCI_RO = 1 << 2, /**< the Device and the other side of PCIe may read */
    DOCA_MEM_ACCESS_PCI_RW = 1 << 3, /**< both may read and write */
};

/** What has passed through a Device since it was opened. tx_frames is rx_frames + dropped. */
struct softdoca_model_device_counters {
    uint64_t tx_frames; /**< frames submitted */
    uint64_t tx_bytes;  /**< bytes in them */
    uint64_t rx_frames; /**< frames that the receive queue took */
    uint64_t rx_bytes;  /**< bytes in them */
    uint64_t dropped;   /**< frames submitted that found the receive queue full */
    uint64_t runts;     /**< frames submitted with fewer than 14 bytes; sent all the same */
};

/** What to do about an error. */
enum softdoca_error_class {
    SOFTDOCA_ERROR_CLASS_NONE = 0,      /**< no error */
    SOFTDOCA_ERROR_CLASS_ARGUMENT = 1,  /**< the call or the device is wrong: mend the program */
    SOFTDOCA_ERROR_CLASS_RESOURCE = 2,  /**< release something, or wait for a state */
    SOFTDOCA_ERROR_CLASS_TRANSIENT = 3, /**< not now: progress and retry, with a bound */
};

/**
 * doca_init(): set up the standard log backend, if the program has made none. May be called again.
 * Optional, since creating a Context does it too.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_NO_MEMORY  the process is out of memory
 */
DOCA_STABLE
doca_error_t softdoca_model_init(void);

/**
 * doca_ctx_create(): create the Context, and say in the log alone why there is none.
 *
 * @return the Context, the caller's until doca_ctx_destroy; NULL on each error of
 *         doca_ctx_create(&ctx)
 */
DOCA_STABLE
struct doca_ctx *softdoca_model_ctx_create_or_null(void);

/**
 * doca_ctx_create(&ctx): create the Context of this process. It needs no device, and reads the
 * SOFTDOCA_MODEL_ variables (man 7 softdoca_model).
 *
 * @param ctx  gets the Context, the caller's until doca_ctx_destroy
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  ctx is NULL
 *         DOCA_ERROR_ALREADY_EXIST  this process has a Context
 *         DOCA_ERROR_NO_MEMORY      the process is out of memory
 *         DOCA_ERROR_BAD_STATE      this process was forked from one with a Context
 */
DOCA_STABLE
doca_error_t softdoca_model_ctx_create(struct doca_ctx **ctx);

/**
 * doca_ctx_set_log_level(ctx, level): limit what is said, by the program (DOCA_LOG_) and by the
 * library. If nobody has said where the library's lines go, they go to stderr from now on.
 *
 * @param ctx    Context
 * @param level  the most verbose level that is shown, of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  ctx is NULL or not alive, or level is another number
 */
DOCA_STABLE
doca_error_t softdoca_model_ctx_set_log_level(struct doca_ctx *ctx, uint32_t level);

/**
 * doca_ctx_destroy(ctx): end the Context. What devinfos it gave are gone with it.
 *
 * With SOFTDOCA_MODEL_ORDER=dangle it ends with its Devices, Memories and Buffers, whose handles
 * are dead from then on; the memory stays the program's.
 *
 * @param ctx  Context; NULL is allowed and does nothing
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  ctx is not alive
 *         DOCA_ERROR_IN_USE         a Device is open (doca_dev_close)
 */
DOCA_STABLE
doca_error_t softdoca_model_ctx_destroy(struct doca_ctx *ctx);

/**
 * doca_devinfo_get_first(ctx): the first function with a network plane that this process's role
 * sees; in the built-in world 03:00.0 on the DPU and 3b:00.0 on the host.
 *
 * @param ctx  Context
 * @return the devinfo, which belongs to the Context; NULL if there is none, or ctx is NULL or not
 *         alive
 */
DOCA_STABLE
struct doca_devinfo *softdoca_model_devinfo_get_first(const struct doca_ctx *ctx);

/**
 * The next function that this process's role sees, with a network plane or without.
 *
 * @param ctx   Context
 * @param info  what doca_devinfo_get_first or this call gave
 * @return the devinfo, which belongs to the Context; NULL behind the last one, or if ctx is NULL or
 *         not alive, or info is none of its devinfos
 */
DOCA_STABLE
struct doca_devinfo *softdoca_model_devinfo_next(const struct doca_ctx *ctx,
                                                 const struct doca_devinfo *info);

/**
 * doca_dev_open(info, &dev): open a Device. A devinfo of the Context makes it the Context's; any
 * other devinfo is opened as without this header. Each open needs its close.
 *
 * @param info  function to open
 * @param dev   gets the Device; the same pointer if it is open already
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL (no device was found), or info is stale
 *         DOCA_ERROR_NO_MEMORY      the process is out of memory
 *         DOCA_ERROR_BAD_STATE      the device was opened before this process was forked
 */
DOCA_STABLE
doca_error_t softdoca_model_dev_open(struct doca_devinfo *info, struct doca_dev **dev);

/**
 * doca_dev_close(dev): give one open back. A device that is not the Context's is closed as without
 * this header.
 *
 * @param dev  Device; NULL is allowed and does nothing
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  dev is not open
 *         DOCA_ERROR_IN_USE         the last close, while a Memory is registered on it
 *                                   (doca_mem_unreg) or another object of the program uses it
 *         DOCA_ERROR_BAD_STATE      the device was opened before this process was forked
 */
DOCA_STABLE
doca_error_t softdoca_model_dev_close(struct doca_dev *dev);

/**
 * doca_mem_reg(dev, addr, len, access, &mem): make a range of memory reachable for a Device. The
 * bytes stay the program's, and must stay valid until doca_mem_unreg. Any alignment works; an
 * address that is not on a cache line (64 bytes) is warned of, as by doca_mmap_set_memrange.
 *
 * @param dev     Device that was opened from the Context
 * @param addr    first byte
 * @param len     bytes, at least 1
 * @param access  one of enum doca_mem_access
 * @param mem     gets the Memory, the caller's until doca_mem_unreg
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, len is 0, the range leaves the address
 *                                   space, access is something else, or dev is not the Context's
 *         DOCA_ERROR_NO_MEMORY      SOFTDOCA_MODEL_MAX_MEM, or the process is out of memory
 *         DOCA_ERROR_BAD_STATE      this process was forked from that of the Context
 */
DOCA_STABLE
doca_error_t softdoca_model_mem_reg(struct doca_dev *dev, void *addr, size_t len, uint32_t access,
                                    struct doca_mem **mem);

/**
 * doca_mem_unreg(mem): the Device may not reach the memory any more. It frees nothing.
 *
 * @param mem  Memory; NULL is allowed and does nothing
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  mem is not alive
 *         DOCA_ERROR_IN_USE         a Buffer on it exists (doca_buf_destroy)
 *         DOCA_ERROR_BAD_STATE      this process was forked from that of the Context
 */
DOCA_STABLE
doca_error_t softdoca_model_mem_unreg(struct doca_mem *mem);

/**
 * The two addresses of a Memory: where the program finds it, and where the Device does. On a card
 * these may differ; in software both are the same number.
 *
 * @param mem          Memory
 * @param host_addr    gets the first byte for the program
 * @param device_addr  gets the first byte for the Device
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or mem is not alive
 *         DOCA_ERROR_BAD_STATE      this process was forked from that of the Context
 */
DOCA_STABLE
doca_error_t softdoca_model_mem_addr(const struct doca_mem *mem, uint64_t *host_addr,
                                     uint64_t *device_addr);

/**
 * doca_buf_create(mem, offset, len, &buf): a Buffer over the bytes [offset, offset + len) of a
 * Memory, all of them data. Getters and setters of doca_buf.h work on it.
 *
 * @param mem     Memory
 * @param offset  bytes from its begin
 * @param len     bytes, at least 1
 * @param buf     gets the Buffer, the caller's until doca_buf_destroy
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  mem is not alive, buf is NULL, len is 0, or the window is not
 *                                   inside the Memory
 *         DOCA_ERROR_NO_MEMORY      SOFTDOCA_MODEL_MAX_BUF Buffers exist (1,024 if not set), or the
 *                                   process is out of memory
 *         DOCA_ERROR_BAD_STATE      this process was forked from that of the Context
 */
DOCA_STABLE
doca_error_t softdoca_model_buf_create(struct doca_mem *mem, size_t offset, size_t len,
                                       struct doca_buf **buf);

/**
 * doca_buf_destroy(buf): give a Buffer back; the Memory stays. A reference that the program took
 * with doca_buf_inc_refcount, or a task in flight, goes on holding the Memory.
 *
 * @param buf  Buffer; NULL is allowed and does nothing
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  buf is not alive
 *         DOCA_ERROR_NOT_PERMITTED  the program has chained it behind another buffer
 *         DOCA_ERROR_BAD_STATE      this process was forked from that of the Context
 */
DOCA_STABLE
doca_error_t softdoca_model_buf_destroy(struct doca_buf *buf);

/**
 * doca_task_submit(ctx, buf): send one frame, the data section of the Buffer, through the network
 * plane of its Device. The bytes are copied before the call returns: the Buffer is free at once and
 * there is no completion to wait for. The frame is looped back to the receive queue of the same
 * Device, which holds 256; one that finds it full is dropped and counted. With
 * SOFTDOCA_MODEL_PCAP=FILE it is appended to that file, too.
 *
 * @param ctx  Context
 * @param buf  Buffer, with 1 to 9,216 bytes of data
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  ctx or buf is NULL or not alive, the data are not inside the
 *                                   Buffer, none, or too long
 *         DOCA_ERROR_NOT_SUPPORTED  the Device has no network plane
 *         DOCA_ERROR_BAD_STATE      no Device is open, or this process was forked from that of the
 *                                   Context
 *         DOCA_ERROR_AGAIN, DOCA_ERROR_IO_FAILED  only if SOFTDOCA_MODEL_FAULT asks for them
 */
DOCA_STABLE
doca_error_t softdoca_model_task_submit(struct doca_ctx *ctx, struct doca_buf *buf);

/**
 * Take the oldest frame out of the receive queue of the Buffer's Device: it is written to the head
 * of the Buffer and becomes its data.
 *
 * @param ctx  Context
 * @param buf  Buffer with room for the frame, on a Memory that the Device may write
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  ctx or buf is NULL or not alive
 *         DOCA_ERROR_AGAIN          there is no frame
 *         DOCA_ERROR_TOO_BIG        the frame is longer than the Buffer; it stays in the queue
 *         DOCA_ERROR_NOT_PERMITTED  the Memory was registered for reading only
 *         DOCA_ERROR_NOT_SUPPORTED  the Device has no network plane
 *         DOCA_ERROR_BAD_STATE      this process was forked from that of the Context
 */
DOCA_STABLE
doca_error_t softdoca_model_receive(struct doca_ctx *ctx, struct doca_buf *buf);

/**
 * What has passed through a Device since it was opened. The log says the same at INFO when it is
 * closed.
 *
 * @param dev       Device that was opened from the Context
 * @param counters  gets the counters
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  a pointer is NULL, or dev is not the Context's
 *         DOCA_ERROR_BAD_STATE      this process was forked from that of the Context
 */
DOCA_STABLE
doca_error_t softdoca_model_counters(const struct doca_dev *dev,
                                     struct softdoca_model_device_counters *counters);

/**
 * The class of an error. Needs no Context, as softdoca_error_advice.
 *
 * @param error  code of any call of DOCA
 * @return its class; SOFTDOCA_ERROR_CLASS_RESOURCE for a number that is no code
 */
DOCA_STABLE
enum softdoca_error_class softdoca_error_classify(doca_error_t error);

/**
 * What to do about an error.
 *
 * @param error  code of any call of DOCA
 * @return one English sentence, which lives for ever
 */
DOCA_STABLE
const char *softdoca_error_advice(doca_error_t error);

#ifdef __cplusplus
}
#endif

#ifndef SOFTDOCA_MODEL_NO_NAMES

#define doca_init softdoca_model_init
#define doca_ctx_set_log_level softdoca_model_ctx_set_log_level
#define doca_ctx_destroy softdoca_model_ctx_destroy
#define doca_devinfo_get_first softdoca_model_devinfo_get_first
#define doca_dev_open softdoca_model_dev_open
#define doca_dev_close softdoca_model_dev_close
#define doca_mem_reg softdoca_model_mem_reg
#define doca_mem_unreg softdoca_model_mem_unreg
#define doca_buf_create softdoca_model_buf_create
#define doca_buf_destroy softdoca_model_buf_destroy

#ifdef __cplusplus

extern "C++" {

/** As softdoca_model_ctx_create_or_null. */
inline struct doca_ctx *doca_ctx_create()
{
    return softdoca_model_ctx_create_or_null();
}

/** As softdoca_model_ctx_create. */
inline doca_error_t doca_ctx_create(struct doca_ctx **ctx)
{
    return softdoca_model_ctx_create(ctx);
}

/** As softdoca_model_task_submit; beside the call of doca_pe.h, which takes a task. */
inline doca_error_t doca_task_submit(struct doca_ctx *ctx, struct doca_buf *buf)
{
    return softdoca_model_task_submit(ctx, buf);
}

} /* extern "C++" */

#else

/* With no argument its text is empty, and the array has one char, the NUL. */
/* clang-format off */
#define doca_ctx_create(...)                                                                       \
    _Generic((char(*)[sizeof(#__VA_ARGS__)])0,                                                     \
        char(*)[1]: softdoca_model_ctx_create_or_null,                                             \
        default: softdoca_model_ctx_create)(__VA_ARGS__)
/* clang-format on */

/* One argument leads to the name itself, which is not expanded again: the call of doca_pe.h. */
#define SOFTDOCA_MODEL_THIRD_(first_, second_, third_, ...) third_
#define doca_task_submit(...)                                                                      \
    SOFTDOCA_MODEL_THIRD_(__VA_ARGS__, softdoca_model_task_submit, doca_task_submit, 0)            \
    (__VA_ARGS__)

#endif /* __cplusplus */

#endif /* SOFTDOCA_MODEL_NO_NAMES */

#endif /* SOFTDOCA_MODEL_H_ */
