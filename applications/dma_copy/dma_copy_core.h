/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * A file goes from one side to the other: from the one that has it to the one that has not. They
 * agree by messages; the DPU's DMA moves the bytes, in either direction.
 *
 *   host               DPU
 *   DIRECTION   -->              who has the file, how long it is
 *               <--    DIRECTION the same from the DPU; or STATUS, if it cannot be done
 *   EXPORT      -->              the host's memory: what is to be read or written
 *                                the DPU copies
 *               <--    STATUS    how it went
 */

#ifndef APPLICATIONS_DMA_COPY_CORE_H_
#define APPLICATIONS_DMA_COPY_CORE_H_

#include "../common/comch_utils.h"

#include <doca_comch.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_FILE_PATH_LEN 127

/* What the command line says, and what is found there. */
struct dma_copy_config {
    char file_path[MAX_FILE_PATH_LEN + 1];
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE]; /* of Comch; DMA takes the first device that can */
    char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
    bool has_file;
    uint64_t file_size;
};

enum message_type {
    MESSAGE_DIRECTION = 1,
    MESSAGE_EXPORT = 2,
    MESSAGE_STATUS = 3,
};

/* Each message begins with its type. All numbers are big-endian. */
struct direction_message {
    uint32_t type;
    uint32_t has_file; /* the sender */
    uint64_t file_size;
};

struct export_message {
    uint32_t type;
    uint32_t descriptor_len;
    uint64_t addr; /* in the host's process */
    uint64_t len;
    uint8_t descriptor[]; /* of doca_mmap_export_pci */
};

struct status_message {
    uint32_t type;
    uint32_t is_success;
};

/* One side of the copy. It is the user data of the connection. */
struct dma_copy {
    const struct dma_copy_config *config;
    struct comch_cfg *comch;
    struct doca_comch_connection *connection;

    struct doca_dev *dev; /* of DMA */
    uint64_t max_size;    /* DPU: that a task can copy */
    uint64_t file_size;   /* on whichever side it is */
    char *memory;         /* the file, or room for it */
    struct doca_mmap *mmap;

    struct direction_message sent_direction; /* messages must not change while they are sent */
    struct status_message sent_status;
    struct export_message *sent_export;

    struct export_message *export; /* DPU: what has come */
    bool is_agreed;                /* DPU: the export has come; host: the final status has */
    doca_error_t result;           /* the first failure in a callback */
};

/* What each side does, from its first message to the last. */
doca_error_t dma_copy_on_host(struct dma_copy *copy);
doca_error_t dma_copy_on_dpu(struct dma_copy *copy);

/* What each side does about messages; inside doca_pe_progress. */
void dma_copy_host_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                            uint32_t msg_len, struct doca_comch_connection *connection);
void dma_copy_dpu_received(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                           uint32_t msg_len, struct doca_comch_connection *connection);

/* The type of a message; 0 if it is too short for its type, which is an error of the peer. */
uint32_t dma_copy_type_of(const void *msg, uint32_t len);

doca_error_t dma_copy_send_direction(struct dma_copy *copy);
doca_error_t dma_copy_send_status(struct dma_copy *copy, bool is_success);

/* Progress the connection until the two have agreed, or cannot. */
doca_error_t dma_copy_negotiate(struct dma_copy *copy);

/* Open the first device that can do DMA. */
doca_error_t dma_copy_open_device(struct dma_copy *copy);

/* Have memory with an mmap for file_size bytes: with the file's content, or room for it. */
doca_error_t dma_copy_load_file(struct dma_copy *copy, uint32_t access_mask);
doca_error_t dma_copy_make_room(struct dma_copy *copy, uint32_t access_mask);

/* Write what is in the memory to the file. */
doca_error_t dma_copy_save_file(const struct dma_copy *copy);

/* Give back memory, mmap and device, as far as there are any. */
doca_error_t dma_copy_release(struct dma_copy *copy);

/* The whole of a side. */
doca_error_t dma_copy_run(const struct dma_copy_config *config);

#endif /* APPLICATIONS_DMA_COPY_CORE_H_ */
