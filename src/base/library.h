/*
 * Libraries that only some processes need. What the linker is told of is loaded and relocated at every start: librabbitmq,
 * libmicrohttpd and libzip bring OpenSSL and GnuTLS along, and three quarters of the time that `tamiz sql` took to start.
 *
 * Who uses one of them has its functions in a table of pointers, made by a list of their names:
 *
 *   #define ZIP_CALLS(CALL) CALL(zip_open) CALL(zip_fread)
 *
 *   static struct zip_calls { ZIP_CALLS(LIBRARY_POINTER) } libzip;
 *   #define ZIP_CALL(name) LIBRARY_CALL(struct zip_calls, name)
 *   static const struct library_call zip_calls[] = {ZIP_CALLS(ZIP_CALL)};
 *   static struct library zip = LIBRARY(LIBRARY_SONAME, zip_calls, &libzip);
 *
 * and calls libzip.zip_open() once library_load(&zip, err) has returned 0. The Makefile gives LIBRARY_SONAME to that file.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct library_call {
	const char *name;
	size_t offset; /* in the table */
};

struct library {
	const char *soname;
	uint32_t call_count;
	const struct library_call *calls;
	void *table;
	pthread_mutex_t lock;
	bool loaded;
};

#define LIBRARY_POINTER(name)	  __typeof__(name) *name;
#define LIBRARY_CALL(table, name) {#name, offsetof(table, name)},
#define LIBRARY(soname, calls, table)                                                              \
	{                                                                                          \
		soname, sizeof(calls) / sizeof(*(calls)), calls, table, PTHREAD_MUTEX_INITIALIZER, \
			false                                                                      \
	}

/* Any thread; the second time it costs nothing. ERROR_IO when it cannot be had. It is never unloaded. */
MUST_CHECK int library_load(struct library *library, struct error *err);

#endif
