/*
 * Writes JSON without spaces. The writer sets the commas; the caller opens and closes.
 *
 *   struct json_writer json = {&buf};
 *
 *   json_open(&json, NULL, '{');
 *   json_put_text(&json, "name", "reducer.1");
 *   json_open(&json, "queries", '[');
 *   json_put_text(&json, NULL, "q1");
 *   json_close(&json, ']');
 *   json_close(&json, '}');                    {"name":"reducer.1","queries":["q1"]}
 *
 * Texts that are not UTF-8 are made so: every byte that is not becomes U+FFFD.
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include "base/buf.h"

struct json_writer {
	struct buf *out; /* borrowed; it tells when it was too small */
	bool comma;	 /* a value stands before the next one */
};

/* `key`: the name of a member of an object, in plain ASCII; NULL for an item of an array. */
void json_open(struct json_writer *json, const char *key, char bracket);
void json_close(struct json_writer *json, char bracket);
void json_put_text(struct json_writer *json, const char *key, const char *text);
void json_put_u64(struct json_writer *json, const char *key, uint64_t number);
void json_put_bool(struct json_writer *json, const char *key, bool value);
void json_put_null(struct json_writer *json, const char *key);
/* JSON that somebody else wrote. */
void json_put_raw(struct json_writer *json, const char *key, const char *text, size_t size);

/* A text alone, in quotes: for callers that set commas and spaces as people like them. */
void json_append_string(struct buf *out, const char *text, size_t size);

#endif
