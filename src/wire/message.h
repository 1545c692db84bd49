/*
 * The messages between a client and a gateway; docs/protocol.md says who sends which and when.
 *
 * A frame is a type (1 byte), the length of what follows (4 bytes) and that many bytes of value.
 * Numbers are big-endian. A text is its length (4 bytes) and its bytes, without a zero among them.
 */
#ifndef WIRE_MESSAGE_H
#define WIRE_MESSAGE_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

#define WIRE_VERSION	 3
#define WIRE_HEADER_SIZE 5
/* Of a whole frame. Only BATCH, REQUEST, RESULT, QUERY and STATUS_TEXT may be so large ... */
#define WIRE_FRAME_MAX (80u << 20)
/* ... and all others come to this at most. */
#define WIRE_FRAME_SMALL_MAX (8u << 10)

#define WIRE_SECRET_SIZE 16u
#define WIRE_TOKEN_MAX	 1024u
#define WIRE_NAME_MAX	 1024u
#define WIRE_ERROR_MAX	 4096u
#define WIRE_SQL_MAX	 (1u << 20)
#define WIRE_TABLES_MAX	 256u
#define WIRE_QUERIES_MAX 64u
#define WIRE_COLUMNS_MAX 2048u
/*
 * RESULT messages that answer one RESULTS: so many, or fewer when their data comes to so many bytes
 * before; the client asks for more.
 */
#define WIRE_RESULTS_MAX   16u
#define WIRE_RESULTS_BYTES (1u << 20)

enum wire_type {
	WIRE_BATCH = 0x01,
	WIRE_END_TABLE = 0x02,
	WIRE_END = 0x03,
	WIRE_ACK = 0x04,
	WIRE_RESULT = 0x05,
	WIRE_RESULT_END = 0x06,
	WIRE_QUERY = 0x07,
	WIRE_REQUEST = 0x08,
	WIRE_RESULTS = 0x09,
	WIRE_PENDING = 0x0a,
	WIRE_READY = 0x0b,
	WIRE_RESUME = 0x0c,
	WIRE_HEALTH = 0x0d,
	WIRE_HELLO = 0x20,
	WIRE_ERROR = 0x21,
	WIRE_PROGRESS = 0x22,
	WIRE_CANCEL = 0x23,
	WIRE_TABLE = 0x24,
	WIRE_STATUS = 0x25,
	WIRE_STATUS_TEXT = 0x26,
	WIRE_JOB_STATUS = 0x27,
};

/* What an error spoils, and so what the client does about it. */
enum wire_error_class {
	WIRE_ERROR_RETRY = 1,	   /* nothing: connect again and repeat what was not answered */
	WIRE_ERROR_JOB = 2,	   /* the job, for good */
	WIRE_ERROR_CONNECTION = 3, /* this connection; repeating the same bytes will not help */
	WIRE_ERROR_LOST = 4, /* the job, through no fault of its own: it may be submitted again */
};

struct wire_query_text {
	const char *name;
	const char *title; /* "" for none */
	const char *text;
};

/*
 * A column of a result. Kind, precision and scale are those of struct type, the latter plus one;
 * `meant` is the kind of plan_query's `meant`.
 */
struct wire_column {
	const char *name;
	uint8_t kind;
	uint8_t precision;
	uint8_t scale;
	uint8_t meant;
};

/* ACK: nobody counted the rows. */
#define WIRE_ROWS_UNKNOWN UINT32_MAX

struct wire_bytes {
	const uint8_t *data;
	uint32_t size;
};

/* Drawn by whoever opens a job, and shown with every message about it. */
struct wire_secret {
	uint8_t bytes[WIRE_SECRET_SIZE];
};

/*
 * Texts are terminated. In a message that was decoded they and the arrays live in the arena, and
 * payload and data are borrowed from the frame.
 */
struct wire_message {
	enum wire_type type;
	union {
		struct {
			uint16_t version;
			const char *token; /* "" for none */
		} hello;
		struct {
			uint64_t job;
			struct wire_secret secret;
			const char *schema; /* CREATE TABLE statements */
			uint32_t table_count;
			const uint64_t *table_bytes; /* in the order of the schema; 0: unknown */
			uint32_t query_count;	     /* at least one */
			const struct wire_query_text *queries;
		} request;
		struct {
			uint32_t query;
			const char *name;
			const char *title; /* "" for none */
			uint32_t column_count;
			const struct wire_column *columns;
		} query;
		struct {
			uint32_t id; /* not 0 */
			uint64_t job;
			struct wire_secret secret;
			uint8_t table;	/* as TABLE numbers it */
			uint32_t chunk; /* from 1 */
			uint32_t total; /* chunks of the table; 0: not known yet */
			uint32_t rows;	/* 0: not counted */
			/* The header line, for formats that have one, and whole records. */
			struct wire_bytes payload;
		} batch;
		struct {
			uint32_t id; /* not 0 */
			uint64_t job;
			struct wire_secret secret;
			uint8_t table;
			uint32_t total;
		} end_table;
		struct {
			uint32_t id; /* not 0 */
			uint64_t job;
			struct wire_secret secret;
		} end;
		struct {
			uint32_t id;	  /* 0: the request */
			uint32_t rows;	  /* records of the chunk, or WIRE_ROWS_UNKNOWN */
			uint32_t rejects; /* of these, what could not be read */
		} ack;
		struct {
			uint64_t job;
			struct wire_secret secret;
			uint32_t query;
			uint32_t first_chunk; /* from 1 */
		} results;
		struct {
			uint64_t job;
			uint32_t query;
		} pending;
		struct {
			uint64_t job;
			uint32_t query;
			uint32_t chunks;
		} ready;
		struct {
			uint32_t query;
			uint32_t chunk; /* 1 .. total */
			uint32_t total;
			struct wire_bytes data;
		} result;
		struct {
			uint32_t query;
		} result_end;
		struct {
			uint64_t job;
			struct wire_secret secret;
		} resume;
		struct {
			uint8_t class; /* enum wire_error_class */
			uint8_t code;  /* enum error_code, not ERROR_NONE */
			uint64_t job;  /* 0: none */
			const char *text;
			struct error_guess guess; /* all 0 unless the code is ERROR_GUESS */
		} error;
		struct {
			uint64_t job;
			uint32_t streams_closed;
			uint32_t streams; /* of the job */
			uint32_t queries_done;
		} progress;
		struct {
			uint32_t id; /* not 0 */
			uint64_t job;
			struct wire_secret secret;
		} cancel;
		struct {
			uint8_t table;
			const char *name;
		} table;
		struct {
			uint64_t job;
		} job_status;
		struct {
			struct wire_bytes json;
		} status_text;
	};
};

/* "BATCH"; NULL for an unknown type. */
const char *wire_type_name(uint8_t type);

/*
 * Appends the frame. A message above a limit of this file leaves `out` as it was, but overflowed.
 */
void wire_encode(const struct wire_message *message, struct buf *out);

/* The same without the payload of a BATCH, which is to follow: so that it need not be copied. */
void wire_encode_head(const struct wire_message *batch, struct buf *out);

/*
 * The size of the frame that starts at `bytes`, of which `size` are there so far; 0 while the
 * header is not. Less than that many bytes may be there: read on. ERROR_DATA for an unknown type
 * or a length that its messages cannot have: what follows cannot be understood.
 */
MUST_CHECK int wire_frame_size(
	const uint8_t *bytes, size_t size, size_t *frame_size, struct error *err);

/* One whole frame and nothing behind it. ERROR_DATA when it is not what this file says. */
MUST_CHECK int wire_decode(const uint8_t *bytes, size_t size, struct arena *arena,
	struct wire_message *out, struct error *err);

#endif
