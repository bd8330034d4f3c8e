/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 SoftDOCA contributors */

/*
 * argp: the command line of a DOCA program.
 *
 * A program describes its parameters, argp reads them from the command line and from a JSON file,
 * and calls back once for each value. There is one parser a process.
 *
 * Order: doca_argp_init; per parameter doca_argp_param_create, doca_argp_param_set_*,
 * doca_argp_register_param; doca_argp_start, once; doca_argp_destroy. After that init is possible
 * again. A parameter needs a description, a callback, a type and a short or long name; without a
 * long name it is for the command line only. Unless said otherwise it is optional, may be given
 * once, is shown in the help and belongs to its own command only.
 *
 * Syntax: "-s value" or "--long value"; short names may have several letters, so they are never run
 * together. BOOLEAN takes no value. The word behind an option that needs a value is its value, also
 * if it begins with a dash. Commands are words of their own, behind the options of the program:
 * prog [options] get [options of get].
 *
 * Built in: -h/--help (prints the usage and ends the program with 0), -v/--version, -l/--log-level
 * and --sdk-log-level (a value of enum doca_log_level), -j/--json FILE.
 *
 * JSON file: one object with up to three sections: "doca_dpdk_flags"; "doca_general_flags" with
 * log-level and sdk-log-level; "doca_program_flags" with long names as keys and typed values,
 * arrays for parameters with multiplicity. Comments from // to the end of the line are skipped. The
 * file is delivered first, the command line second, and nothing is delivered of a line or file of
 * wrong form.
 *
 * Ownership: strings given to argp are copied. A parameter or command belongs to argp from the call
 * that registers it, even if that call fails; until then the program may end it with _destroy, and
 * doca_argp_destroy ends what is left. Devices opened for a parameter are the program's to close if
 * the parameter's callback returned DOCA_SUCCESS.
 *
 * Threads: one thread. In argp's callbacks nothing can be registered any more; doca_argp_usage, the
 * two doca_argp_get_*log_level and, before the program ends, doca_argp_destroy are allowed. Setters
 * ignore NULL and registered items. Out-parameters are written on success only.
 */

#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>
#include <doca_compat.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter, being described. */
struct doca_argp_param;

/** A command (a word such as "get") with parameters and commands of its own. */
struct doca_argp_cmd;

/**
 * Takes a value of a parameter. Runs inside doca_argp_start, in the order of the command line.
 *
 * The first argument points to the value, in the form that the type says (enum doca_argp_type),
 * valid during the call only; the second is the program_config of doca_argp_init. Anything but
 * DOCA_SUCCESS ends parsing and becomes the result of doca_argp_start.
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/**
 * Told that a command was given. Runs inside doca_argp_start. The argument is the program_config of
 * doca_argp_init. Anything but DOCA_SUCCESS ends parsing and becomes the result of doca_argp_start.
 */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/**
 * Takes the DPDK part of the command line. Runs inside doca_argp_start, after parsing succeeded;
 * its result becomes that of doca_argp_start.
 *
 * @param argc  number of words
 * @param argv  the words, the program's name first; valid until doca_argp_destroy
 */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/**
 * Checks the parameters together. Runs inside doca_argp_start, after all values were taken. The
 * argument is the program_config of doca_argp_init. Its result becomes that of doca_argp_start.
 */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/**
 * Takes a message of argp instead of stderr. Runs inside the call that has something to say.
 *
 * @param level   how much it matters
 * @param format  as for vprintf
 * @param args    its arguments, valid during the call
 */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
                                              va_list args);

/**
 * Types of parameters, and what the callback's first argument points to. A DEVICE is given as
 * "pci/0000:03:00.0[,devargs]", a DEVICE_REP as "pci/0000:03:00.0,pf0hpf[,devargs]"; "pci/" and the
 * domain may be left out, and a representor may be named by its PCI address.
 */
enum doca_argp_type {
    DOCA_ARGP_TYPE_UNKNOWN = 0,    /**< not set */
    DOCA_ARGP_TYPE_STRING = 1,     /**< char[], with NUL */
    DOCA_ARGP_TYPE_INT = 2,        /**< int, decimal, with sign */
    DOCA_ARGP_TYPE_BOOLEAN = 3,    /**< bool, true; no value on the command line */
    DOCA_ARGP_TYPE_DEVICE = 4,     /**< struct doca_argp_device_ctx */
    DOCA_ARGP_TYPE_DEVICE_REP = 5, /**< struct doca_argp_device_rep_ctx */
    DOCA_ARGP_TYPE_DOUBLE = 6,     /**< double */
};

/** A device that argp opened for a parameter. The structure lives during the callback. */
struct doca_argp_device_ctx {
    struct doca_dev *dev; /**< open, one reference of the program's */
    const char *devargs;  /**< what followed the comma; NULL if nothing did */
};

/** A representor that argp opened for a parameter. The structure lives during the callback. */
struct doca_argp_device_rep_ctx {
    struct doca_argp_device_ctx dev_ctx; /**< the device of the representor, open */
    struct doca_dev_rep *dev_rep;        /**< open, to be closed before the device */
};

/**
 * Opens a device for a parameter instead of argp. Runs inside doca_argp_start, once for each
 * device. Anything but DOCA_SUCCESS ends parsing and becomes the result of doca_argp_start.
 *
 * @param devinfo  the device, valid during the call
 * @param usr_ctx  what doca_argp_register_dev_open_callback was given
 * @param dev      gets the open device
 */
typedef doca_error_t (*doca_argp_dev_open_cb_t)(struct doca_devinfo *devinfo, void *usr_ctx,
                                                struct doca_dev **dev);

/**
 * Print the usage to stdout, as -h does, without ending the program. Any time after init, also in
 * argp's callbacks; the thread of the parser.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/**
 * Begin: afterwards parameters can be made and registered. The thread of the parser.
 *
 * @param program_name    name for the usage, or NULL: the last part of argv[0]
 * @param program_config  handed to all callbacks as it is, may be NULL; stays the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  program_name is empty
 *         DOCA_ERROR_BAD_STATE      argp is initialised
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/**
 * Let the program accept a parameter. argp owns it from now on, whatever the result. After init,
 * before start; the thread of the parser.
 *
 * @param input_param  described parameter; must not be used afterwards
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE   the pointer is NULL; a name is taken, built in, or begins with
 *                                    a dash or holds a blank or '='; there is no such type
 *         DOCA_ERROR_BAD_STATE       argp is not initialised or has started, or the parameter is
 *                                    registered
 *         DOCA_ERROR_INITIALIZATION  description, callback, type or both names are missing
 *         DOCA_ERROR_NO_MEMORY       an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/**
 * Let the program accept a command. argp owns it, with all it holds, from now on, whatever the
 * result. After init, before start; the thread of the parser.
 *
 * @param input_cmd  described command; must not be used afterwards
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE   the pointer is NULL, or the name is taken or begins with a
 *                                    dash
 *         DOCA_ERROR_BAD_STATE       argp is not initialised or has started, or the command is
 *                                    registered
 *         DOCA_ERROR_INITIALIZATION  name or description is missing
 *         DOCA_ERROR_NO_MEMORY       an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/**
 * Have -v/--version call a function, which usually prints the version, calls doca_argp_destroy and
 * ends the program. Without it argp prints the versions and ends the program with 0. After init,
 * before start; the thread of the parser.
 *
 * @param callback  called with a pointer to true and the program_config
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised or has started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/**
 * Have the parameters checked together at the end of doca_argp_start. After init, before start; the
 * thread of the parser.
 *
 * @param callback  the check
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised or has started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/**
 * Have argp's messages taken by a function instead of written to stderr. After init; the thread of
 * the parser.
 *
 * @param callback  takes the messages
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised
 *         DOCA_ERROR_ALREADY_EXIST  a callback is set
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/**
 * Have argp's messages written to stderr again. After init; the thread of the parser.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_BAD_STATE  argp is not initialised, or no callback is set
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/**
 * Read the command line and the JSON file, if one is given, and call back for each value. Then
 * mandatory parameters are checked, and the DPDK and validation callbacks run.
 *
 * Once between init and destroy, but again after a failure; the thread of the parser. -h, and -v
 * without a callback, end the program. On an error a message and the usage are printed (stderr) and
 * the call returns.
 *
 * @param argc  number of words, at least 1
 * @param argv  the words; stay the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_BAD_STATE      argp is not initialised or has started
 *         DOCA_ERROR_NOT_SUPPORTED  an option, command or JSON key is unknown
 *         DOCA_ERROR_INVALID_VALUE  argc or argv is bad; a value is missing or not of its type; a
 *                                   mandatory parameter is missing; one is given twice that may not
 *                                   be; one that stands alone has company; there is no such log
 *                                   level
 *         DOCA_ERROR_NOT_FOUND      the device or representor of a parameter does not exist here
 *         DOCA_ERROR_IO_FAILED      the JSON file cannot be read or parsed
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 *         any other                 what a callback returned, or why a device did not open
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/**
 * End argp and everything registered. After init; also in a callback of argp that then ends the
 * program; the thread of the parser.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_BAD_STATE  argp is not initialised
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/**
 * Say that the command line is "prog [DPDK options] -- [options]". After init, before start; at
 * other times nothing happens. The thread of the parser.
 *
 * @param callback  takes the DPDK part
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/**
 * Make a parameter. The caller registers it, or ends it with doca_argp_param_destroy. After init;
 * the thread of the parser.
 *
 * @param param  gets the parameter
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/**
 * Set the name behind one dash. Before registration; the thread of the parser.
 *
 * @param param  parameter
 * @param name   one or more letters, without the dash; copied
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/**
 * Set the name behind two dashes, also the key in JSON. Before registration; the thread of the
 * parser.
 *
 * @param param  parameter
 * @param name   the name, without the dashes; copied
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/**
 * Set what the usage shows behind the names, such as "<path>". Before registration; the thread of
 * the parser.
 *
 * @param param      parameter
 * @param arguments  the text; copied
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/**
 * Set what the usage says of the parameter. Before registration; the thread of the parser.
 *
 * @param param        parameter
 * @param description  the text; copied
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/**
 * Set who takes the value. Before registration; the thread of the parser.
 *
 * @param param     parameter
 * @param callback  takes the value
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/**
 * Set the type of the value. Before registration; the thread of the parser.
 *
 * @param param  parameter
 * @param type   the type
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/**
 * Make it an error if the parameter is not given. Before registration; the thread of the parser.
 *
 * @param param  parameter
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/**
 * Take the parameter from the command line only: in JSON it is skipped with a warning. Before
 * registration; the thread of the parser.
 *
 * @param param  parameter
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/**
 * Let the parameter be given more than once, with one callback each. Before registration; the
 * thread of the parser.
 *
 * @param param  parameter
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/**
 * Make it an error if any other parameter is given with this one. Before registration; the thread
 * of the parser.
 *
 * @param param  parameter
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/**
 * Accept the parameter also behind commands inside its own. Before registration; the thread of the
 * parser.
 *
 * @param param  parameter
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/**
 * Leave the parameter out of the usage. Before registration; the thread of the parser.
 *
 * @param param  parameter
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/**
 * End a parameter that was not registered. The thread of the parser.
 *
 * @param param  parameter that is still the program's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised, or the parameter is registered
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/**
 * Make a command. The caller registers it, or ends it with doca_argp_cmd_destroy. After init; the
 * thread of the parser.
 *
 * @param cmd  gets the command
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised
 *         DOCA_ERROR_NO_MEMORY      an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/**
 * Set the word that the command is given by. Before registration; the thread of the parser.
 *
 * @param cmd   command
 * @param name  the word; copied
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/**
 * Set what the usage says of the command. Before registration; the thread of the parser.
 *
 * @param cmd          command
 * @param description  the text; copied
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/**
 * Set who is told that the command was given. Optional. Before registration; the thread of the
 * parser.
 *
 * @param cmd       command
 * @param callback  the function
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/**
 * Leave the command out of the usage. Before registration; the thread of the parser.
 *
 * @param cmd  command
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/**
 * Let a command accept a parameter. Its names may be those of the program, of other commands and of
 * built-in options, which they then hide. The command owns it from now on, whatever the result.
 * Before the command is registered; the thread of the parser.
 *
 * @param cmd          command that is not registered
 * @param input_param  described parameter; must not be used afterwards
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE   a pointer is NULL; the command has the name, or that begins
 *                                    with a dash or holds a blank or '='; there is no such type
 *         DOCA_ERROR_BAD_STATE       the command or the parameter is registered
 *         DOCA_ERROR_INITIALIZATION  description, callback, type or both names are missing
 *         DOCA_ERROR_NO_MEMORY       an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
                                          struct doca_argp_param *input_param);

/**
 * Put a command inside another. The outer one owns it from now on, whatever the result. Before the
 * outer one is registered; the thread of the parser.
 *
 * @param cmd        outer command, not registered
 * @param input_cmd  inner command, described; must not be used afterwards
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE   a pointer is NULL, the outer command has the name, or that
 *                                    begins with a dash
 *         DOCA_ERROR_BAD_STATE       one of them is registered
 *         DOCA_ERROR_INITIALIZATION  name or description is missing
 *         DOCA_ERROR_NO_MEMORY       an allocation failed
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/**
 * End a command that was not registered, with all it holds. The thread of the parser.
 *
 * @param cmd  command that is still the program's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised, or the command is registered
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/**
 * The log level that -l/--log-level gave; without it the global lower limit of doca_log.h. Any
 * time, also in callbacks; the thread of the parser.
 *
 * @param log_level  gets a value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/**
 * The log level that --sdk-log-level gave; without it the global SDK limit of doca_log.h. Any time,
 * also in callbacks; the thread of the parser.
 *
 * @param log_level  gets a value of enum doca_log_level
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  the pointer is NULL
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

/**
 * Have devices of parameters opened by a function instead of doca_dev_open. After init, before
 * start; the thread of the parser.
 *
 * @param callback  opens a device
 * @param usr_ctx   handed to the callback, may be NULL; stays the caller's
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_INVALID_VALUE  callback is NULL
 *         DOCA_ERROR_BAD_STATE      argp is not initialised or has started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_dev_open_callback(doca_argp_dev_open_cb_t callback, void *usr_ctx);

/**
 * Skip unknown keys of the JSON file instead of refusing it. After init, before start; the thread
 * of the parser.
 *
 * @return DOCA_SUCCESS;
 *         DOCA_ERROR_BAD_STATE  argp is not initialised or has started
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_pedantic_config_parsing(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
