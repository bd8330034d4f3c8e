/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/* What the comch_* samples share: the command line, and the life of a server or a client. */

#ifndef SAMPLES_COMCH_COMMON_H_
#define SAMPLES_COMCH_COMMON_H_

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

#include <stdbool.h>
#include <stdint.h>

#define COMCH_MAX_TEXT_LEN 4080
#define COMCH_SERVER_PCI_ADDR "03:00.0" /* of the DPU */
#define COMCH_CLIENT_PCI_ADDR "3b:00.0" /* of the host, and of its representor on the DPU */

/* What the command line says. */
struct comch_config {
    char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char rep_pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE]; /* only a server needs it */
    char text[COMCH_MAX_TEXT_LEN + 1];
};

struct comch_end;

/* What a sample does about what happens; all inside doca_pe_progress, so nothing here may wait. */
struct comch_events {
    void (*connected)(struct comch_end *end); /* of a client; a server has many connections */
    void (*received)(struct comch_end *end, struct doca_comch_connection *connection,
                     const char *text, uint32_t len); /* text has no NUL */
    void (*sent)(struct comch_end *end);
    bool has_data_path; /* the peer's consumers are of interest */
};

/* A server or a client with its progress engine. It is the user data of the context. */
struct comch_end {
    const struct comch_config *config;
    const struct comch_events *events;

    struct doca_dev *dev;
    struct doca_dev_rep *rep; /* of a server */
    struct doca_pe *pe;
    struct doca_comch_server *server; /* this or the next */
    struct doca_comch_client *client;
    struct doca_ctx *ctx; /* the same object */

    struct doca_comch_connection *connection; /* that of a client; the one that a server keeps */
    uint32_t consumer_id;                     /* the peer's newest; 0 if it had none */
    bool is_active;                           /* from its start until it is idle */
    bool is_stop_requested;
    doca_error_t result; /* the first failure in a callback */
};

struct comch_program {
    const char *name;
    const char *pci_addr; /* the default */
    doca_error_t (*run)(const struct comch_config *config);
};

/* Open a device and its representor, and start a server there. In any case comch_close follows. */
doca_error_t comch_start_server(struct comch_end *end, const char *service);

/* Open a device and start a client there. In any case comch_close follows. */
doca_error_t comch_start_client(struct comch_end *end, const char *service);

/* Send a text, which must not change until it has been sent. */
doca_error_t comch_send(struct comch_end *end, struct doca_comch_connection *connection,
                        const char *text);

/* Stop, idle in a later turn of the PE, because everything is done or because of a failure. */
void comch_stop(struct comch_end *end, doca_error_t reason);

/* One turn of the PE, and a nap if there was nothing to do. */
void comch_progress_or_nap(struct doca_pe *pe);

/* Stop what still runs, and destroy what there is. */
doca_error_t comch_close(struct comch_end *end);

/* The program: log, command line, run(); the exit code. */
int comch_main(int argc, char **argv, const struct comch_program *program);

#endif /* SAMPLES_COMCH_COMMON_H_ */
