#include "wire/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define JOB 0x1122334455667788u

static const struct wire_query_text queries[] = {
	{"q1", "", "SELECT sum(n) FROM t"},
	{"q2", "How many", "SELECT count(*) FROM t"},
};
static const struct wire_column columns[] = {{"id", 3, 0, 0, 3}, {"a \"total\"", 4, 11, 3, 5}};
/* Of WIRE_SECRET_SIZE bytes. */
#define SIXTEEN "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"
static const struct wire_secret secret = {{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}};

static const uint64_t table_bytes[] = {300, UINT64_MAX, 0};

static const char payload[] = "id,n\n1,10\n2,20\n";
static const char schema[] = "CREATE TABLE t (n int) WITH (files = 't.csv')";

static struct wire_bytes bytes_of(const char *text)
{
	return (struct wire_bytes){(const uint8_t *)text, (uint32_t)strlen(text)};
}

/* One of each type, with numbers that differ in every field. */
static uint32_t samples(struct wire_message *out)
{
	uint32_t count = 0;

	out[count++] = (struct wire_message){WIRE_HELLO, .hello = {WIRE_VERSION, "hush"}};
	out[count++] = (struct wire_message){
		WIRE_BATCH, .batch = {7, JOB, secret, 2, 1, 3, 2, bytes_of(payload)}};
	out[count++] = (struct wire_message){WIRE_ACK, .ack = {7, 2, 1}};
	out[count++] = (struct wire_message){
		WIRE_REQUEST, .request = {JOB, secret, schema, 1, table_bytes, 1, queries}};
	out[count++] = (struct wire_message){WIRE_RESULT, .result = {0, 1, 1, bytes_of("42\n")}};
	out[count++] = (struct wire_message){WIRE_RESULT_END, .result_end = {0}};
	out[count++] = (struct wire_message){
		WIRE_ERROR, .error = {WIRE_ERROR_JOB, ERROR_EVAL, JOB, "division by zero", {0}}};
	/* Those above stand in docs/protocol.md. */
	out[count++] = (struct wire_message){WIRE_HELLO, .hello = {0xffff, ""}};
	out[count++] = (struct wire_message){WIRE_BATCH,
		.batch = {UINT32_MAX, UINT64_MAX, secret, 255, UINT32_MAX, 0, 0, {NULL, 0}}};
	out[count++] = (struct wire_message){WIRE_END_TABLE, .end_table = {8, JOB, secret, 3, 9}};
	out[count++] = (struct wire_message){WIRE_END, .end = {10, JOB, secret}};
	out[count++] = (struct wire_message){WIRE_QUERY, .query = {11, "q11", "Sums", 2, columns}};
	out[count++] = (struct wire_message){
		WIRE_REQUEST, .request = {JOB, secret, "", 3, table_bytes, 2, queries}};
	out[count++] = (struct wire_message){WIRE_RESULTS, .results = {JOB, secret, 12, 13}};
	out[count++] = (struct wire_message){WIRE_PENDING, .pending = {JOB, 14}};
	out[count++] = (struct wire_message){WIRE_READY, .ready = {JOB, 15, 16}};
	out[count++] = (struct wire_message){WIRE_RESUME, .resume = {JOB, secret}};
	out[count++] = (struct wire_message){.type = WIRE_HEALTH};
	out[count++] = (struct wire_message){
		WIRE_ERROR, .error = {WIRE_ERROR_CONNECTION, ERROR_DATA, 0, "no", {0}}};
	out[count++] = (struct wire_message){
		WIRE_ERROR, .error = {WIRE_ERROR_JOB, ERROR_GUESS, JOB, "a row of 5 fields",
				    {1, UINT32_MAX, 3, 4, 5}}};
	out[count++] = (struct wire_message){WIRE_PROGRESS, .progress = {JOB, 16, 20, 17}};
	out[count++] = (struct wire_message){WIRE_CANCEL, .cancel = {18, JOB, secret}};
	out[count++] = (struct wire_message){WIRE_TABLE, .table = {19, "sales"}};
	out[count++] = (struct wire_message){.type = WIRE_STATUS};
	out[count++] = (struct wire_message){WIRE_JOB_STATUS, .job_status = {JOB}};
	out[count++] =
		(struct wire_message){WIRE_STATUS_TEXT, .status_text = {bytes_of("{\"jobs\":[]}")}};
	return count;
}

#define SAMPLES_MAX 32
#define DOCUMENTED  7

static void test_all_messages_come_back(void **state)
{
	struct wire_message messages[SAMPLES_MAX];
	uint32_t count = samples(messages);
	struct wire_message back;
	struct buf frame, again;
	struct arena arena;
	struct error err;
	size_t size;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&frame, WIRE_FRAME_MAX);
	buf_init(&again, WIRE_FRAME_MAX);
	for (uint32_t i = 0; i < count; i++) {
		buf_clear(&frame);
		buf_clear(&again);
		wire_encode(&messages[i], &frame);
		assert_false(buf_overflowed(&frame));
		assert_int_equal(
			wire_frame_size((uint8_t *)frame.data, frame.size, &size, &err), 0);
		assert_int_equal(size, frame.size);
		assert_int_equal(
			wire_decode((uint8_t *)frame.data, frame.size, &arena, &back, &err), 0);
		assert_int_equal(back.type, messages[i].type);
		wire_encode(&back, &again);
		assert_int_equal(again.size, frame.size);
		assert_memory_equal(again.data, frame.data, frame.size);
	}
	buf_release(&frame);
	buf_release(&again);
	arena_release(&arena);
}

static void test_all_types_have_a_sample(void **state)
{
	struct wire_message messages[SAMPLES_MAX];
	uint32_t count = samples(messages);

	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		bool found = false;

		for (uint32_t i = 0; i < count; i++)
			found = found || (unsigned)messages[i].type == type;
		if (wire_type_name((uint8_t)type) && !found)
			fail_msg("no sample of %s", wire_type_name((uint8_t)type));
	}
}

static void test_fields(void **state)
{
	struct wire_message messages[SAMPLES_MAX];
	struct wire_message back;
	struct buf frame;
	struct arena arena;
	struct error err;

	(void)state;
	samples(messages);
	arena_init(&arena, 4096);
	buf_init(&frame, WIRE_FRAME_MAX);
	wire_encode(&messages[1], &frame);
	assert_int_equal(wire_decode((uint8_t *)frame.data, frame.size, &arena, &back, &err), 0);
	assert_int_equal(back.batch.id, 7);
	assert_int_equal(back.batch.job, JOB);
	assert_memory_equal(back.batch.secret.bytes, SIXTEEN, WIRE_SECRET_SIZE);
	assert_int_equal(back.batch.table, 2);
	assert_int_equal(back.batch.chunk, 1);
	assert_int_equal(back.batch.total, 3);
	assert_int_equal(back.batch.rows, 2);
	assert_int_equal(back.batch.payload.size, strlen(payload));
	assert_memory_equal(back.batch.payload.data, payload, strlen(payload));
	buf_clear(&frame);
	wire_encode(&messages[12], &frame);
	assert_int_equal(wire_decode((uint8_t *)frame.data, frame.size, &arena, &back, &err), 0);
	assert_int_equal(back.request.job, JOB);
	assert_string_equal(back.request.schema, "");
	assert_int_equal(back.request.table_count, 3);
	assert_int_equal(back.request.table_bytes[1], UINT64_MAX);
	assert_int_equal(back.request.query_count, 2);
	assert_string_equal(back.request.queries[1].name, "q2");
	assert_string_equal(back.request.queries[1].title, "How many");
	assert_string_equal(back.request.queries[1].text, "SELECT count(*) FROM t");
	buf_release(&frame);
	arena_release(&arena);
}

/* Exactly the frame, with nothing readable behind it, so that a sanitizer sees a byte too far. */
static int decode_copy(const void *bytes, size_t size, struct arena *arena, struct error *err)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct wire_message back;
	int status;

	memcpy(copy, bytes, size);
	status = wire_decode(copy, size, arena, &back, err);
	free(copy);
	return status;
}

static void set_length(struct buf *frame, size_t size)
{
	for (int i = 0; i < 4; i++)
		frame->data[1 + i] = (char)((size - WIRE_HEADER_SIZE) >> 8 * (3 - i));
}

/* Cut at every byte, both with the length that was written and with one that fits. */
static void test_cut_short(void **state)
{
	struct wire_message messages[SAMPLES_MAX];
	uint32_t count = samples(messages);
	struct buf frame;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	buf_init(&frame, WIRE_FRAME_MAX);
	for (uint32_t i = 0; i < count; i++) {
		size_t whole;

		buf_clear(&frame);
		wire_encode(&messages[i], &frame);
		whole = frame.size;
		for (size_t size = 0; size < whole; size++)
			assert_int_equal(decode_copy(frame.data, size, &arena, &err), -1);
		/* These may have any payload. */
		if (messages[i].type == WIRE_BATCH || messages[i].type == WIRE_STATUS_TEXT)
			continue;
		for (size_t size = WIRE_HEADER_SIZE; size < whole; size++) {
			set_length(&frame, size);
			assert_int_equal(decode_copy(frame.data, size, &arena, &err), -1);
			assert_int_equal(err.code, ERROR_DATA);
		}
		buf_append_char(&frame, 'x');
		set_length(&frame, frame.size);
		assert_int_equal(decode_copy(frame.data, frame.size, &arena, &err), -1);
		assert_int_equal(err.code, ERROR_DATA);
	}
	buf_release(&frame);
	arena_release(&arena);
}

static void refuse(const char *bytes, size_t size, const char *message)
{
	struct arena arena;
	struct error err;

	arena_init(&arena, 4096);
	assert_int_equal(decode_copy(bytes, size, &arena, &err), -1);
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.message, message);
	arena_release(&arena);
}

#define REFUSE(bytes, message) refuse(bytes, sizeof(bytes) - 1, message)

static void test_wrong_values(void **state)
{
	(void)state;
	REFUSE("\x77\0\0\0\0", "a message of the unknown type 0x77");
	REFUSE("\x0c\0\0\0\x18\0\0\0\0\0\0\0\0" SIXTEEN, "a RESUME message with job = 0");
	REFUSE("\x03\0\0\0\x1c\0\0\0\0\0\0\0\0\0\0\0\1" SIXTEEN, "a END message with id = 0");
	REFUSE("\x20\0\0\0\x08\0\1\0\0\0\2h\0", "a HELLO message with a zero byte in its token");
	REFUSE("\x20\0\0\0\x06\0\1\xff\xff\xff\xff",
		"a HELLO message with a token of 4294967295 bytes; there may be 1024");
	REFUSE("\x21\0\0\0\x22\5\1\0\0\0\0\0\0\0\0\0\0\0\0" SIXTEEN "\0\0\0\0",
		"an ERROR message of the unknown class 5");
	REFUSE("\x21\0\0\0\x22\1\x20\0\0\0\0\0\0\0\0\0\0\0\0" SIXTEEN "\0\0\0\0",
		"an ERROR message of the unknown code 32");
	REFUSE("\x07\0\0\0\x0e\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff",
		"a query with more than 2048 columns");
	REFUSE("\x05\0\0\0\x10\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0\0", "chunk 2 of 1 of a result");
	REFUSE("\x05\0\0\0\x11\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0x",
		"a RESULT message whose length is not that of its frame");
	REFUSE("\x01\0\0\0\x29\0\0\0\1\0\0\0\0\0\0\0\1" SIXTEEN "\0\0\0\0\5\0\0\0\4\0\0\0\0",
		"chunk 5 of 4");
	REFUSE("\x08\0\0\0\x20\0\0\0\0\0\0\0\1" SIXTEEN "\0\0\0\0\0\0\0\0",
		"a request with 0 queries; there may be 1 to 64");
	REFUSE("\x08\0\0\0\x20\0\0\0\0\0\0\0\1" SIXTEEN "\0\0\0\0\1\1\0\0",
		"a request with more than 256 tables");
}

static void test_frame_size(void **state)
{
	static const uint8_t batch[] = {WIRE_BATCH, 0x04, 0xff, 0xff, 0xfb};
	static const uint8_t batch_too_long[] = {WIRE_BATCH, 0x04, 0xff, 0xff, 0xfc};
	static const uint8_t ack[] = {WIRE_ACK, 0, 0, 0x1f, 0xfb};
	static const uint8_t ack_too_long[] = {WIRE_ACK, 0, 0, 0x1f, 0xfc};
	struct error err;
	size_t size;

	(void)state;
	for (size_t have = 0; have < sizeof(batch); have++) {
		assert_int_equal(wire_frame_size(batch, have, &size, &err), 0);
		assert_int_equal(size, 0);
	}
	assert_int_equal(wire_frame_size(batch, sizeof(batch), &size, &err), 0);
	assert_int_equal(size, WIRE_FRAME_MAX);
	assert_int_equal(wire_frame_size(batch_too_long, sizeof(batch), &size, &err), -1);
	assert_string_equal(
		err.message, "a BATCH message of 83886081 bytes; there may be 83886080");
	assert_int_equal(wire_frame_size(ack, sizeof(ack), &size, &err), 0);
	assert_int_equal(size, WIRE_FRAME_SMALL_MAX);
	assert_int_equal(wire_frame_size(ack_too_long, sizeof(ack), &size, &err), -1);
	assert_int_equal(wire_frame_size((const uint8_t *)"GET /", 1, &size, &err), -1);
	assert_int_equal(err.code, ERROR_DATA);
}

static void test_head_and_payload_are_the_frame(void **state)
{
	struct wire_message messages[SAMPLES_MAX];
	struct buf whole, parts;

	(void)state;
	samples(messages);
	buf_init(&whole, WIRE_FRAME_MAX);
	buf_init(&parts, WIRE_FRAME_MAX);
	wire_encode(&messages[1], &whole);
	wire_encode_head(&messages[1], &parts);
	buf_append_text(&parts, payload);
	assert_int_equal(whole.size, parts.size);
	assert_memory_equal(whole.data, parts.data, whole.size);
	buf_clear(&parts);
	messages[1].batch.payload.size = WIRE_FRAME_MAX;
	wire_encode_head(&messages[1], &parts);
	assert_true(buf_overflowed(&parts));
	buf_release(&whole);
	buf_release(&parts);
}

static void test_limits_when_encoding(void **state)
{
	struct wire_message message = {.type = WIRE_HELLO};
	char *text = malloc(WIRE_SQL_MAX + 2);
	struct buf frame;

	(void)state;
	memset(text, 'x', WIRE_SQL_MAX + 1);
	text[WIRE_SQL_MAX + 1] = 0;
	buf_init(&frame, WIRE_FRAME_MAX);
	buf_append_text(&frame, "before");
	message.hello.token = text + WIRE_SQL_MAX - WIRE_TOKEN_MAX;
	wire_encode(&message, &frame);
	assert_true(buf_overflowed(&frame));
	assert_int_equal(frame.size, 6);
	buf_clear(&frame);
	message.hello.token++;
	wire_encode(&message, &frame);
	assert_false(buf_overflowed(&frame));
	buf_clear(&frame);
	message = (struct wire_message){
		WIRE_REQUEST, .request = {JOB, secret, text, 0, NULL, 1, queries}};
	wire_encode(&message, &frame);
	assert_true(buf_overflowed(&frame));
	buf_clear(&frame);
	message.request.schema = text + 1;
	message.request.table_count = WIRE_TABLES_MAX + 1;
	wire_encode(&message, &frame);
	assert_true(buf_overflowed(&frame));
	buf_release(&frame);
	free(text);
}

static char *read_documentation(void)
{
	FILE *file = fopen("docs/protocol.md", "r");
	char *text = calloc(1, 1 << 16);

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 1000);
	fclose(file);
	return text;
}

/* Every run of blanks and newlines becomes one blank. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool blank = *from == ' ' || *from == '\n';

		if (!blank)
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = 0;
}

static void test_documented_bytes(void **state)
{
	struct wire_message messages[SAMPLES_MAX];
	char *text = read_documentation();
	struct buf frame, hex;

	(void)state;
	samples(messages);
	squeeze(text);
	buf_init(&frame, WIRE_FRAME_MAX);
	buf_init(&hex, WIRE_FRAME_MAX);
	for (uint32_t i = 0; i < DOCUMENTED; i++) {
		buf_clear(&frame);
		buf_clear(&hex);
		wire_encode(&messages[i], &frame);
		for (size_t at = 0; at < frame.size; at++)
			buf_printf(&hex, " %02x", (unsigned char)frame.data[at]);
		buf_append_char(&hex, 0);
		if (!strstr(text, hex.data))
			fail_msg("docs/protocol.md lacks %s:%s",
				wire_type_name((uint8_t)messages[i].type), hex.data);
	}
	buf_release(&frame);
	buf_release(&hex);
	free(text);
}

static void test_documented_types(void **state)
{
	char *text = read_documentation();

	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		const char *name = wire_type_name((uint8_t)type);
		char row[64];

		if (!name)
			continue;
		snprintf(row, sizeof(row), "\n| 0x%02X | %s | ", type, name);
		if (!strstr(text, row))
			fail_msg("docs/protocol.md lacks the row%s", row);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_messages_come_back),
		cmocka_unit_test(test_all_types_have_a_sample),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_wrong_values),
		cmocka_unit_test(test_frame_size),
		cmocka_unit_test(test_limits_when_encoding),
		cmocka_unit_test(test_head_and_payload_are_the_frame),
		cmocka_unit_test(test_documented_bytes),
		cmocka_unit_test(test_documented_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
