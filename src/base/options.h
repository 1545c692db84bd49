/*
 * Command-line options from one const table: parsing, checking and --help all read it.
 *
 * A command declares a struct for its values and a table that says where in it each option lands.
 * Options may stand anywhere between the operands, as --name VALUE, --name=VALUE, -x VALUE or
 * -xVALUE; "--" ends them. Where an option is repeated the last one wins, but for lists.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/buf.h"
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTION_LIST_MAX 64
#define OPERANDS_MAX	16

enum option_kind {
	OPTION_FLAG,   /* bool: true when given */
	OPTION_TEXT,   /* const char *: not empty */
	OPTION_LIST,   /* struct option_list: may be repeated */
	OPTION_COUNT,  /* uint64_t: a plain number within min..max */
	OPTION_SIZE,   /* uint64_t: bytes, with an optional K, M, G or T (powers of 1024) */
	OPTION_CHOICE, /* const char *: one of `choices` */
};

struct option_list {
	uint32_t count;
	const char *items[OPTION_LIST_MAX];
};

struct option_spec {
	const char *name;     /* without the dashes */
	char letter;	      /* 0: there is only the long form */
	const char *argument; /* its name in the help, "N"; NULL for a flag */
	enum option_kind kind;
	size_t offset; /* of its field in the struct of values */
	const char *help;
	uint64_t min;
	uint64_t max;
	const char *const *choices; /* ends with NULL */
};

struct command_spec {
	const char *name;     /* "tamiz run" */
	const char *operands; /* "PACK", as the usage line shows it; "" for none */
	const char *summary;  /* one line */
	const char *details;  /* further lines of the help; NULL for none */
	uint32_t operands_min;
	uint32_t operands_max;
	const struct option_spec *options;
	uint32_t option_count;
};

struct operands {
	uint32_t count;
	const char *items[OPERANDS_MAX];
};

enum options_status {
	OPTIONS_ERROR = -1, /* `err` says what is wrong: ERROR_USAGE */
	OPTIONS_PARSED = 0,
	OPTIONS_HELP = 1, /* --help or -h stands among the arguments: nothing else was checked */
};

/*
 * argv[0 .. argc) are the words behind the command's name; they are borrowed by `values` and
 * `operands`. Fields of options that are not given keep what the caller put there.
 */
MUST_CHECK enum options_status options_parse(const struct command_spec *spec, int argc,
	char *const *argv, void *values, struct operands *operands, struct error *err);

/* Stores one value, as if --NAME TEXT had been given; a flag becomes true. ERROR_USAGE. */
MUST_CHECK int options_store(
	const struct option_spec *option, const char *text, void *values, struct error *err);

void options_help(const struct command_spec *spec, struct buf *out);

/* "512", "64K", "20M", "2G", "1.5G"; false when it is not a size or does not fit. */
bool options_parse_size(const char *text, uint64_t *bytes);

#endif
