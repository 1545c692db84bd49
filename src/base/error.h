/*
 * The error object that every fallible call fills once, where the error happens.
 *
 * A fallible function returns 0, or -1 after it has filled the caller's `struct error`; callers
 * pass it on untouched and whoever handles it prints it once. "Nothing yet" and "end of stream" are
 * statuses of their own, never errors.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdint.h>

#define ERROR_MESSAGE_MAX 1024

#define MUST_CHECK	       __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE, /* the command line, a pack or a schema is wrong */
	ERROR_SQL,   /* a query that does not parse, does not bind or is not supported */
	ERROR_EVAL,  /* a value broke a rule while a query ran: overflow, division by zero */
	ERROR_DATA,  /* input that may not be skipped: a missing column, a reject under --strict */
	ERROR_IO,    /* the operating system said no */
	ERROR_LIMIT, /* a documented maximum was reached */
	ERROR_INTERRUPTED, /* the user asked to stop */
	ERROR_FENCED,	   /* another process has taken our place: stop */
	ERROR_INTERNAL,	   /* a bug of ours that was noticed in time */
	ERROR_GUESS,	   /* a type was guessed wrong: widen it and start again (csv/guess.h) */
	ERROR_LOST,	   /* the cluster has lost what it had of a job: submit it again */
};

#define ERROR_CODE_LAST ERROR_LOST

/* Of ERROR_GUESS, which guess was wrong; csv/guess.h says what the numbers mean. */
struct error_guess {
	uint32_t table;
	uint32_t column;
	uint32_t kinds;
	uint32_t width;
	uint32_t fields;
};

struct error {
	enum error_code code;
	char message[ERROR_MESSAGE_MAX];
	struct error_guess guess;
	/* Where in the text of a statement, from 1, for who shows that text; 0: nowhere. */
	uint32_t line;
	uint32_t column;
	/* The same of a value that broke a rule while a query ran: a byte of that query's text, from 1. */
	uint32_t offset;
};

/* Fills `err` and returns -1, so that a caller can `return error_set(...)`. */
int error_set(struct error *err, enum error_code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts text in front of a message that is set already: "q3: " + "division by zero". Returns -1. */
int error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Text behind a message that is set already. Returns -1. */
int error_append(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* The exit status of a process that ends with `code`; the list stands in docs/cli.md. */
int error_exit_status(enum error_code code);

#endif
