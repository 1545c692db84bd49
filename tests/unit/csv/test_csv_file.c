#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "csv/decode.h"
#include "csv/file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static char folder[] = "/tmp/test_csv_file.XXXXXX";
static char path[256];

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *write_file(const char *name, const void *data, size_t size)
{
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	return path;
}

static size_t pack_gzip(const char *text, size_t size, char *out, size_t room)
{
	z_stream stream = {0};

	assert_int_equal(
		deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (unsigned char *)text;
	stream.avail_in = (uInt)size;
	stream.next_out = (unsigned char *)out;
	stream.avail_out = (uInt)room;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

/* A table of plain files about which nothing is to be found. */
static struct table_schema plain_table(bool header)
{
	struct table_schema table = {.name = "t", .dialect = csv_dialect_default()};

	table.dialect.given = CSV_GIVEN_SHAPE;
	table.dialect.header_rows = header;
	return table;
}

static size_t pack_zstd(const char *text, size_t size, char *out, size_t room)
{
	size_t packed = ZSTD_compress(out, room, text, size, 3);

	assert_false(ZSTD_isError(packed));
	return packed;
}

/* All chunks of a file one behind the other; every one is checked on the way. */
static void read_all(const char *file_path, bool header, size_t chunk_bytes, struct buf *out)
{
	struct table_schema table = plain_table(header);
	struct csv_file *file;
	struct csv_chunk chunk;
	struct error err;
	uint64_t number = 0;
	int status;

	buf_init(out, 256u << 20);
	csv_chunk_init(&chunk);
	assert_int_equal(csv_file_open(&file, file_path, &table, NULL, chunk_bytes, &err), 0);
	while ((status = csv_file_next(file, &chunk, &err)) > 0) {
		assert_int_equal(chunk.number, number++);
		assert_true(chunk.size > 0);
		assert_true(chunk.capacity >= chunk.size + CSV_SCAN_PADDING);
		assert_int_equal(chunk.plain, memchr(chunk.data, '"', chunk.size) == NULL);
		buf_append(out, chunk.data, chunk.size);
	}
	assert_int_equal(status, 0);
	assert_int_equal(csv_file_next(file, &chunk, &err), 0);
	assert_int_equal(csv_file_bytes_done(file), csv_file_bytes_total(file));
	csv_chunk_release(&chunk);
	csv_file_close(file);
}

static void check_text(const char *file_path, bool header, const char *text, size_t size)
{
	static const size_t sizes[] = {1, 64, 65, 100, 1000, 4096, 100000, 0};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf out;

		read_all(file_path, header, sizes[i], &out);
		assert_int_equal(out.size, size);
		if (size > 0)
			assert_memory_equal(out.data, text, size);
		buf_release(&out);
	}
}

static void make_rows(struct buf *text, int count, bool quoted)
{
	buf_init(text, 64u << 20);
	for (int i = 0; i < count; i++)
		buf_printf(text, quoted ? "%d,\"a, %d\nb\"\"\",x\n" : "%d,row %d,x\n", i, i);
}

static void test_plain(void **state)
{
	struct buf text;

	(void)state;
	for (int quoted = 0; quoted < 2; quoted++) {
		make_rows(&text, 3000, quoted);
		check_text(write_file("a.csv", text.data, text.size), false, text.data, text.size);
		/* The last record may lack its newline. */
		check_text(write_file("a.csv", text.data, text.size - 1), false, text.data,
			text.size - 1);
		buf_release(&text);
	}
	unlink(path);
}

static void test_packed(void **state)
{
	size_t room = 1u << 20;
	char *packed = malloc(room);
	struct buf text;
	size_t size;

	(void)state;
	make_rows(&text, 3000, true);
	size = pack_gzip(text.data, text.size, packed, room);
	check_text(write_file("a.csv.gz", packed, size), false, text.data, text.size);
	unlink(path);
	/* The first bytes say it where the name does not. */
	check_text(write_file("a.csv", packed, size), false, text.data, text.size);
	size = pack_zstd(text.data, text.size, packed, room);
	check_text(write_file("a.csv", packed, size), false, text.data, text.size);
	unlink(path);
	check_text(write_file("a.csv.zst", packed, size), false, text.data, text.size);
	unlink(path);
	free(packed);
	buf_release(&text);
}

static void test_packed_in_pieces(void **state)
{
	size_t room = 1u << 20;
	char *packed = malloc(room);
	struct buf text;
	size_t half, size;

	(void)state;
	make_rows(&text, 3000, false);
	half = text.size / 3;
	size = pack_gzip(text.data, half, packed, room);
	size += pack_gzip(text.data + half, text.size - half, packed + size, room - size);
	size += pack_gzip("", 0, packed + size, room - size);
	memset(packed + size, 0, 100);
	check_text(write_file("a.csv.gz", packed, size + 100), false, text.data, text.size);
	unlink(path);
	size = pack_zstd(text.data, half, packed, room);
	size += pack_zstd(text.data + half, text.size - half, packed + size, room - size);
	check_text(write_file("a.csv.zst", packed, size), false, text.data, text.size);
	unlink(path);
	free(packed);
	buf_release(&text);
}

/* Opens and reads to the end; returns the code of the error that came on the way. */
static enum error_code read_error(const char *file_path, struct error *err)
{
	struct table_schema table = plain_table(true);
	struct csv_file *file;
	struct csv_chunk chunk;
	int status;

	err->code = ERROR_NONE;
	err->message[0] = '\0';
	if (csv_file_open(&file, file_path, &table, NULL, 1000, err) < 0)
		return err->code;
	csv_chunk_init(&chunk);
	do
		status = csv_file_next(file, &chunk, err);
	while (status > 0);
	if (status < 0)
		assert_int_equal(csv_file_next(file, &chunk, err), -1);
	csv_chunk_release(&chunk);
	csv_file_close(file);
	return err->code;
}

static void test_damaged(void **state)
{
	size_t room = 1u << 20;
	char *packed = malloc(room);
	struct error err;
	struct buf text;
	size_t size;

	(void)state;
	make_rows(&text, 30000, false);
	size = pack_gzip(text.data, text.size, packed, room);
	for (size_t cut = 0; cut < size; cut += cut < 20 ? 1 : size / 7) {
		assert_int_equal(read_error(write_file("a.csv.gz", packed, cut), &err), ERROR_DATA);
		assert_non_null(strstr(err.message, "a.csv.gz is damaged"));
	}
	packed[size / 2] ^= 0x55;
	assert_int_equal(read_error(write_file("a.csv.gz", packed, size), &err), ERROR_DATA);
	assert_int_equal(read_error(write_file("a.csv.gz", "a,b\n1,2\n", 8), &err), ERROR_DATA);
	unlink(path);

	size = pack_zstd(text.data, text.size, packed, room);
	for (size_t cut = 0; cut < size; cut += cut < 20 ? 1 : size / 7)
		assert_int_equal(
			read_error(write_file("a.csv.zst", packed, cut), &err), ERROR_DATA);
	assert_int_equal(read_error(write_file("a.csv.zst", "a,b\n1,2\n", 8), &err), ERROR_DATA);
	unlink(path);
	free(packed);
	buf_release(&text);
}

static void test_cannot_open(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(read_error("/nonexistent/a.csv", &err), ERROR_IO);
	assert_non_null(strstr(err.message, "/nonexistent/a.csv"));
	assert_int_equal(read_error(folder, &err), ERROR_IO);
	assert_non_null(strstr(err.message, "directory"));
	assert_int_equal(read_error(write_file("a.csv", "a,b\0c\n", 6), &err), ERROR_DATA);
	assert_non_null(strstr(err.message, "not a text file"));
	unlink(path);
}

static void check_header(const char *text, uint32_t count, const char *const *names)
{
	struct table_schema table = plain_table(true);
	const struct text *header;
	struct csv_file *file;
	struct error err;
	uint32_t found;

	assert_int_equal(csv_file_open(&file, write_file("a.csv", text, strlen(text)), &table, NULL,
				 64, &err),
		0);
	header = csv_file_header(file, &found);
	assert_int_equal(found, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(header[i].size, strlen(names[i]));
		assert_memory_equal(header[i].data, names[i], header[i].size);
	}
	assert_string_equal(csv_file_path(file), path);
	csv_file_close(file);
	unlink(path);
}

static void test_header(void **state)
{
	static const char *const plain[] = {"a", "b", "c"};
	static const char *const odd[] = {"a,1", "say \"x\"", "column_3", "two lines"};

	(void)state;
	check_header("", 0, NULL);
	check_header("a,b,c\n1,2,3\n", 3, plain);
	check_header("a,b,c", 3, plain);
	check_header("a,b,c\r\n", 3, plain);
	check_header("\xef\xbb\xbf"
		     "a,\"b\",c\n",
		3, plain);
	check_header("\n\r\na,b,c\n1,2,3\n", 3, plain);
	check_header("\"a,1\",\"say \"\"x\"\"\",,\"two\nlines\"\n1,2\n", 4, odd);
}

static void test_header_is_not_data(void **state)
{
	(void)state;
	check_text(write_file("a.csv",
			   "\xef\xbb\xbf"
			   "a,b\n1,2\n",
			   11),
		true, "1,2\n", 4);
	check_text(write_file("a.csv",
			   "\xef\xbb\xbf"
			   "1,2\n",
			   7),
		false, "1,2\n", 4);
	check_text(write_file("a.csv", "a,b\n", 4), true, "", 0);
	check_text(write_file("a.csv", "", 0), true, "", 0);
	unlink(path);
}

static void test_too_many_columns(void **state)
{
	struct error err;
	char text[2 * TABLE_COLUMNS_MAX];

	(void)state;
	memset(text, ',', sizeof(text));
	assert_int_equal(read_error(write_file("a.csv", text, sizeof(text)), &err), ERROR_LIMIT);
	unlink(path);
}

static void test_lines(void **state)
{
	struct table_schema table = plain_table(true);
	static const char text[] = "a,b\n1,2\n3,4\n5,6\n";
	struct csv_file *file;
	struct error err;

	(void)state;
	assert_int_equal(csv_file_open(&file, write_file("a.csv", text, sizeof(text) - 1), &table,
				 NULL, 64, &err),
		0);
	csv_file_note_lines(file, 2, 30);
	csv_file_note_lines(file, 0, 10);
	csv_file_note_lines(file, 1, 20);
	assert_int_equal(csv_file_chunk_line(file, 0), 2);
	assert_int_equal(csv_file_chunk_line(file, 1), 12);
	assert_int_equal(csv_file_chunk_line(file, 2), 32);
	assert_int_equal(csv_file_chunk_line(file, 3), 62);
	csv_file_close(file);
	unlink(path);
}

/* Appends to a text that has room for it. */
static size_t put(char *text, size_t size, const char *more)
{
	memcpy(text + size, more, strlen(more));
	return size + strlen(more);
}

/* A record beyond the limit is skipped, one of several megabytes is not. */
static void test_giant_records(void **state)
{
	struct table_column columns[] = {{.name = "a"}, {.name = "b"}};
	struct table_schema table = plain_table(true);
	size_t giant = CSV_RECORD_MAX + 1000;
	size_t large = 5u << 20;
	char *text = malloc(giant + large + 100);
	size_t size = 0;
	uint64_t bytes = 0, oversized = 0, lines = 0;
	struct csv_file *file;
	struct csv_chunk chunk;
	struct error err;
	int status;

	(void)state;
	table.column_count = 2;
	table.columns = columns;
	size = put(text, size, "a,b\n1,\"");
	memset(text + size, '\n', large);
	size += large;
	size = put(text, size, "\"\n2,\"");
	memset(text + size, 'x', giant);
	text[size + 10] = '\n';
	size += giant;
	size = put(text, size, "\"\n3,c\n");
	csv_chunk_init(&chunk);
	assert_int_equal(
		csv_file_open(&file, write_file("a.csv", text, size), &table, NULL, 0, &err), 0);
	while ((status = csv_file_next(file, &chunk, &err)) > 0) {
		bytes += chunk.size;
		oversized += chunk.oversized;
		lines += chunk.oversized_lines;
		if (chunk.oversized)
			assert_int_equal(chunk.size, 0);
	}
	assert_int_equal(status, 0);
	assert_int_equal(oversized, 1);
	assert_int_equal(lines, 2);
	assert_int_equal(bytes, large + 5 + 4);
	csv_file_close(file);

	/* The same at the end of the file: an empty chunk carries the news. */
	assert_int_equal(
		csv_file_open(&file, write_file("a.csv", text, size - 7), &table, NULL, 0, &err),
		0);
	while ((status = csv_file_next(file, &chunk, &err)) > 0)
		oversized += chunk.oversized;
	assert_int_equal(status, 0);
	assert_int_equal(oversized, 2);
	csv_file_close(file);
	csv_chunk_release(&chunk);
	unlink(path);
	free(text);
}

struct reader {
	struct csv_file *file;
	uint64_t rows;
	uint64_t sum;
};

static void *read_chunks(void *context)
{
	static const uint32_t fields[] = {0};
	static const struct type types[] = {{TYPE_BIGINT, NUMERIC_ANY, NUMERIC_ANY}};
	static const char *const names[] = {"a"};
	struct csv_layout layout = {.field_count = 3,
		.column_count = 1,
		.fields = fields,
		.types = types,
		.names = names,
		.format = csv_format_default()};
	struct csv_decoder *decoder = csv_decoder_new(&layout, csv_isa_detect());
	struct reader *reader = context;
	struct csv_tally tally;
	struct csv_chunk chunk;
	struct error err;

	csv_chunk_init(&chunk);
	csv_tally_init(&tally, 0);
	while (csv_file_next(reader->file, &chunk, &err) > 0) {
		const struct csv_bad *bad;
		uint32_t bad_count;
		struct batch batch;

		csv_decoder_start(decoder, reader->file, &chunk, &tally);
		while (csv_decoder_next(decoder, &batch, &bad, &bad_count)) {
			for (uint32_t i = 0; i < batch.rows; i++)
				reader->sum += (uint64_t)batch.columns[0].i64[i];
		}
		csv_file_note_lines(reader->file, chunk.number, csv_decoder_lines(decoder));
	}
	reader->rows = tally.rows;
	csv_tally_release(&tally);
	csv_chunk_release(&chunk);
	csv_decoder_free(decoder);
	return NULL;
}

static void test_threads(void **state)
{
	struct table_schema table = plain_table(true);
	struct reader readers[4] = {{0}};
	pthread_t threads[4];
	uint64_t rows = 0, sum = 0;
	struct csv_file *file;
	struct error err;
	struct buf text;

	(void)state;
	table.dialect.header_rows = 0;
	make_rows(&text, 50000, true);
	assert_int_equal(csv_file_open(&file, write_file("a.csv", text.data, text.size), &table,
				 NULL, 4096, &err),
		0);
	for (int i = 0; i < 4; i++) {
		readers[i].file = file;
		assert_int_equal(pthread_create(&threads[i], NULL, read_chunks, &readers[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		rows += readers[i].rows;
		sum += readers[i].sum;
	}
	assert_int_equal(rows, 50000);
	assert_int_equal(sum, UINT64_C(50000) * 49999 / 2);
	/* Every row takes two lines. */
	assert_int_equal(csv_file_chunk_line(file, UINT64_MAX), 100001);
	csv_file_close(file);
	buf_release(&text);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_packed_in_pieces),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cannot_open),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_header_is_not_data),
		cmocka_unit_test(test_too_many_columns),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_giant_records),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
