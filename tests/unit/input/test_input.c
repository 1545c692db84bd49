/* Texts that were packed in all ways come out as they went in; what was damaged on the way does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "input/archive.h"
#include "input/encoding.h"
#include "input/input.h"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#define ROOM (4u << 20)

static char folder[] = "/tmp/test_input.XXXXXX";
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

static const char *path_of(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const char *write_file(const char *name, const void *data, size_t size)
{
	FILE *out = fopen(path_of(name), "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	return path;
}

/* --- the ways to pack ----------------------------------------------------------------------------
 */

static size_t pack_gzip(const char *text, size_t size, char *out)
{
	z_stream stream = {0};

	assert_int_equal(
		deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (unsigned char *)text;
	stream.avail_in = (uInt)size;
	stream.next_out = (unsigned char *)out;
	stream.avail_out = ROOM;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

static size_t pack_zstd(const char *text, size_t size, char *out)
{
	return ZSTD_compress(out, ROOM, text, size, 3);
}

static size_t pack_bzip2(const char *text, size_t size, char *out)
{
	unsigned packed = ROOM;

	assert_int_equal(
		BZ2_bzBuffToBuffCompress(out, &packed, (char *)text, (unsigned)size, 1, 0, 0),
		BZ_OK);
	return packed;
}

static size_t pack_xz(const char *text, size_t size, char *out)
{
	size_t packed = 0;

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text,
				 size, (uint8_t *)out, &packed, ROOM),
		LZMA_OK);
	return packed;
}

static const struct {
	const char *suffix;
	size_t (*pack)(const char *text, size_t size, char *out);
} packers[] = {
	{".gz", pack_gzip},
	{".zst", pack_zstd},
	{".bz2", pack_bzip2},
	{".xz", pack_xz},
};

#define PACKERS (sizeof(packers) / sizeof(packers[0]))

static void add_member(zip_t *zip, const char *name, const void *data, size_t size, int32_t method)
{
	zip_source_t *source = zip_source_buffer(zip, data, size, 0);
	zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);

	assert_true(index >= 0);
	assert_int_equal(zip_set_file_compression(zip, (zip_uint64_t)index, method, 0), 0);
}

static zip_t *new_zip(const char *name)
{
	zip_t *zip = zip_open(path_of(name), ZIP_CREATE | ZIP_TRUNCATE, NULL);

	assert_non_null(zip);
	return zip;
}

/* --- reading -------------------------------------------------------------------------------------
 */

/* The text, read in pieces of `piece` bytes; an error has its code. */
static enum error_code read_as(
	const char *file, const char *encoding, size_t piece, struct buf *out, struct error *err)
{
	struct input *input;
	ssize_t count;

	buf_init(out, 64u << 20);
	if (input_open(&input, file, encoding, err) < 0)
		return err->code;
	do {
		char *to = buf_reserve(out, piece);

		count = input_read(input, to, piece, err);
		out->size += count > 0 ? (size_t)count : 0;
	} while (count == (ssize_t)piece);
	if (count >= 0) {
		assert_int_equal(input_bytes_done(input), input_bytes_total(input));
		assert_int_equal(input_read(input, (char[1]){0}, 1, err), 0);
	}
	input_close(input);
	return count < 0 ? err->code : ERROR_NONE;
}

static void check_read(const char *file, const char *text, size_t size)
{
	static const size_t pieces[] = {1000, 4096, 100000, 10u << 20};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct error err;
		struct buf out;

		if (read_as(file, NULL, pieces[i], &out, &err) != ERROR_NONE)
			fail_msg("%s: %s", file, err.message);
		assert_int_equal(out.size, size);
		assert_memory_equal(out.data, text, size);
		buf_release(&out);
	}
}

static void check_fails(const char *file, enum error_code code, const char *message)
{
	struct error err;
	struct buf out;

	assert_int_equal(read_as(file, NULL, 4096, &out, &err), code);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in \"%s\"", message, err.message);
	buf_release(&out);
}

static void make_text(struct buf *text, int lines)
{
	buf_init(text, ROOM);
	for (int i = 0; i < lines; i++)
		buf_printf(text, "%d,line number %d,%x\n", i, i * 7, i * 2654435761u);
}

/* --- the tests -----------------------------------------------------------------------------------
 */

static void test_codecs(void **state)
{
	char *packed = malloc(ROOM);
	struct buf text;

	(void)state;
	make_text(&text, 20000);
	for (size_t i = 0; i < PACKERS; i++) {
		size_t size = packers[i].pack(text.data, text.size, packed);
		char name[32];

		snprintf(name, sizeof(name), "a.csv%s", packers[i].suffix);
		check_read(write_file(name, packed, size), text.data, text.size);
		unlink(path);
		/* The first bytes say it where the name does not. */
		check_read(write_file("a.csv", packed, size), text.data, text.size);
		unlink(path);
		snprintf(name, sizeof(name), "A.CSV%s", packers[i].suffix);
		for (char *c = name; *c; c++)
			*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
		check_read(write_file(name, packed, size), text.data, text.size);
		unlink(path);
	}
	buf_release(&text);
	free(packed);
}

/* Tools that compress with several threads write one frame after the other. */
static void test_frames(void **state)
{
	char *packed = malloc(2 * ROOM);
	struct buf text;

	(void)state;
	make_text(&text, 5000);
	for (size_t i = 0; i < PACKERS; i++) {
		size_t half = text.size / 3, size;
		char name[32];

		size = packers[i].pack(text.data, half, packed);
		size += packers[i].pack("", 0, packed + size);
		size += packers[i].pack(text.data + half, text.size - half, packed + size);
		snprintf(name, sizeof(name), "a.csv%s", packers[i].suffix);
		check_read(write_file(name, packed, size), text.data, text.size);
		if (packers[i].pack != pack_zstd) {
			memset(packed + size, 0, 16);
			check_read(write_file(name, packed, size + 16), text.data, text.size);
		}
		unlink(path);
	}
	buf_release(&text);
	free(packed);
}

static void test_damage(void **state)
{
	char *packed = malloc(ROOM);
	struct buf text;

	(void)state;
	make_text(&text, 5000);
	for (size_t i = 0; i < PACKERS; i++) {
		size_t size = packers[i].pack(text.data, text.size, packed);
		char name[32];

		snprintf(name, sizeof(name), "a.csv%s", packers[i].suffix);
		for (size_t cut = 1; cut < size; cut += size / 9)
			check_fails(write_file(name, packed, cut), ERROR_DATA, "is damaged");
		check_fails(write_file(name, packed, size - 1), ERROR_DATA,
			"is damaged: it is cut off");
		check_fails(write_file(name, "", 0), ERROR_DATA, "is damaged: it is empty");
		check_fails(write_file(name, "a,b\n1,2\n3,4\n", 12), ERROR_DATA, "is damaged");
		if (packers[i].pack != pack_zstd) { /* which has no checksum by default */
			packed[size / 2] ^= 0x10;
			check_fails(write_file(name, packed, size), ERROR_DATA, "is damaged");
		}
		unlink(path);
	}
	buf_release(&text);
	free(packed);
}

static void test_archive(void **state)
{
	static const int32_t methods[] = {ZIP_CM_DEFLATE, ZIP_CM_STORE, ZIP_CM_BZIP2};
	char *packed = malloc(ROOM);
	struct archive_list list;
	struct arena arena;
	struct error err;
	struct buf text;
	zip_t *zip;
	size_t size;

	(void)state;
	arena_init(&arena, 4096);
	make_text(&text, 20000);
	size = pack_gzip(text.data, text.size, packed);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		char member[300];

		zip = new_zip("a.ZIP");
		add_member(zip, "orders.csv", text.data, text.size, methods[i]);
		zip_dir_add(zip, "deep", 0);
		add_member(zip, "deep/\xc3\xa9t\xc3\xa9.csv", text.data, 1000, methods[i]);
		add_member(zip, "empty.csv", "", 0, methods[i]);
		add_member(zip, "b.csv.gz", packed, size, methods[i]);
		assert_int_equal(zip_close(zip), 0);
		assert_int_equal(archive_list(path, &arena, &list, &err), 0);
		assert_int_equal(list.count, 4);
		assert_string_equal(list.members[0].name, "orders.csv");
		assert_string_equal(list.members[1].name, "deep/\xc3\xa9t\xc3\xa9.csv");
		assert_true(list.members[0].bytes > 0 && list.members[0].bytes <= text.size);
		snprintf(member, sizeof(member), "%s/orders.csv", path);
		assert_int_equal(archive_prefix(member), strlen(path));
		check_read(member, text.data, text.size);
		snprintf(member, sizeof(member), "%s/deep/\xc3\xa9t\xc3\xa9.csv", path);
		check_read(member, text.data, 1000);
		snprintf(member, sizeof(member), "%s/empty.csv", path);
		check_read(member, "", 0);
		snprintf(member, sizeof(member), "%s/b.csv.gz", path);
		check_read(member, text.data, text.size);
		snprintf(member, sizeof(member), "%s/none.csv", path);
		check_fails(member, ERROR_IO, "No such file");
	}
	assert_int_equal(archive_prefix(path), 0);
	assert_int_equal(archive_prefix("/nowhere/a.zip/b.csv"), 0);
	unlink(path);
	assert_int_equal(
		archive_list(write_file("b.zip", "PK\3\4 not really", 15), &arena, &list, &err),
		-1);
	assert_int_equal(err.code, ERROR_DATA);
	unlink(path);
	assert_int_equal(archive_list(path, &arena, &list, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	arena_release(&arena);
	buf_release(&text);
	free(packed);
}

/* Some byte of a deflated member is another one: its checksum tells. */
static void test_archive_damage(void **state)
{
	char member[300], bytes[ROOM / 8];
	struct buf text;
	size_t size;
	zip_t *zip;
	FILE *file;

	(void)state;
	make_text(&text, 2000);
	zip = new_zip("a.zip");
	add_member(zip, "a.csv", text.data, text.size, ZIP_CM_DEFLATE);
	assert_int_equal(zip_close(zip), 0);
	file = fopen(path, "rb");
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	bytes[size / 2] ^= 0x21;
	write_file("a.zip", bytes, size);
	snprintf(member, sizeof(member), "%s/a.csv", path);
	check_fails(member, ERROR_DATA, "is damaged");
	unlink(path);
	zip = new_zip("a.zip");
	add_member(zip, "a.csv", text.data, text.size, ZIP_CM_DEFLATE);
	assert_int_equal(zip_file_set_encryption(zip, 0, ZIP_EM_AES_256, "secret"), 0);
	assert_int_equal(zip_close(zip), 0);
	check_fails(member, ERROR_DATA, "is encrypted");
	unlink(path);
	buf_release(&text);
}

static void check_as(const char *name, const char *bytes, size_t size, const char *encoding,
	const char *text, const char *found)
{
	struct input *input;
	struct error err;
	bool guessed;
	struct buf out;

	write_file(name, bytes, size);
	if (read_as(path, encoding, 1000, &out, &err) != ERROR_NONE)
		fail_msg("%s", err.message);
	assert_int_equal(out.size, strlen(text));
	assert_memory_equal(out.data, text, out.size);
	buf_release(&out);
	assert_int_equal(input_open(&input, path, encoding, &err), 0);
	assert_string_equal(input_encoding(input, &guessed), found);
	input_close(input);
	unlink(path);
}

static void test_encodings(void **state)
{
	const char *jose = "name\nJos\xc3\xa9 \xe2\x82\xac\n";
	char *packed = malloc(ROOM);
	size_t size;

	(void)state;
	check_as("a.csv", jose, strlen(jose), NULL, jose, "UTF-8");
	check_as("a.csv", "\xef\xbb\xbfname\nJos\xc3\xa9 \xe2\x82\xac\n", 18, NULL, jose, "UTF-8");
	check_as("a.csv", "\xef\xbb\xbfname\nJos\xc3\xa9 \xe2\x82\xac\n", 18, "utf-8", jose,
		"utf-8");
	check_as("a.csv", "name\nJos\xe9 \x80\n", 12, NULL, jose, "Windows-1252");
	check_as("a.csv", "name\nJos\xe9 \x80\n", 12, "cp1252", jose, "cp1252");
	check_as("a.csv", "name\nJos\xe9 \xa4\n", 12, "iso-8859-15", jose, "iso-8859-15");
	check_as("a.csv", "\xff\xfen\0a\0m\0e\0\n\0J\0o\0s\0\xe9\0 \0\xac\x20\n\0", 26, NULL, jose,
		"UTF-16LE");
	check_as("a.csv", "\xfe\xff\0n\0a\0m\0e\0\n\0J\0o\0s\0\xe9\0 \x20\xac\0\n", 26, NULL, jose,
		"UTF-16BE");
	check_as("a.csv", "\xff\xfen\0a\0m\0e\0\n\0J\0o\0s\0\xe9\0 \0\xac\x20\n\0", 26, "utf-16",
		jose, "utf-16");
	check_as("a.csv", "n\0a\0m\0e\0\n\0J\0o\0s\0\xe9\0 \0\xac\x20\n\0", 24, "utf-16le", jose,
		"utf-16le");
	check_as("a.csv", "\x81\x8d\x8f\x90\x9d", 5, "cp1252",
		"\xc2\x81\xc2\x8d\xc2\x8f\xc2\x90\xc2\x9d", "cp1252");
	write_file("a.csv", "\x81\x8d\x8f\x90\x9d", 5);
	check_fails(path, ERROR_DATA, "neither UTF-8 nor Windows-1252");
	unlink(path);
	check_as("a.csv", "", 0, NULL, "", "UTF-8");
	/* Packed as well. */
	size = pack_gzip("\xff\xfen\0a\0m\0e\0\n\0J\0o\0s\0\xe9\0 \0\xac\x20\n\0", 26, packed);
	check_as("a.csv.gz", packed, size, NULL, jose, "UTF-16LE");
	size = pack_gzip("name\nJos\xe9 \x80\n", 12, packed);
	check_as("a.csv.gz", packed, size, NULL, jose, "Windows-1252");
	free(packed);
}

/* Long enough for all buffers, with characters across their edges. */
static void test_long_encodings(void **state)
{
	struct buf utf8, latin, wide;

	(void)state;
	buf_init(&utf8, ROOM);
	buf_init(&latin, ROOM);
	buf_init(&wide, ROOM);
	buf_append(&wide, "\xff\xfe", 2);
	for (int i = 0; i < 100003; i++) {
		int c = i % 11 == 0 ? 0xe9 : i % 97 == 0 ? '\n' : 'a' + i % 26;

		if (c == 0xe9)
			buf_append_text(&utf8, "\xc3\xa9");
		else
			buf_append_char(&utf8, (char)c);
		buf_append_char(&latin, (char)c);
		buf_append(&wide, (char[]){(char)c, 0}, 2);
	}
	check_read(write_file("a.csv", utf8.data, utf8.size), utf8.data, utf8.size);
	check_read(write_file("a.csv", latin.data, latin.size), utf8.data, utf8.size);
	check_read(write_file("a.csv", wide.data, wide.size), utf8.data, utf8.size);
	/* Half a character at the end. */
	check_fails(write_file("a.csv", wide.data, wide.size - 1), ERROR_DATA, "is not UTF-16LE");
	unlink(path);
	buf_release(&utf8);
	buf_release(&latin);
	buf_release(&wide);
}

/* What is found in the parts that are looked at, and what follows from it. */
static void check_guess(const struct buf *text, const char *encoding, bool needs_check)
{
	struct input *input;
	struct error err;
	bool guessed;

	write_file("a.csv", text->data, text->size);
	assert_int_equal(input_open(&input, path, NULL, &err), 0);
	assert_string_equal(input_encoding(input, &guessed), encoding);
	assert_true(guessed);
	assert_int_equal(input_needs_check(input), needs_check);
	assert_int_equal(input_may_mend(input), true);
	input_close(input);
	unlink(path);
}

static void test_guesses(void **state)
{
	struct buf text;

	(void)state;
	make_text(&text, 50000);
	check_guess(&text, "UTF-8", true);
	/* The end of a file is always looked at. */
	text.data[text.size - 2] = (char)0xe9;
	check_guess(&text, "Windows-1252", false);
	text.data[text.size - 2] = 'e';
	/* Its middle only here and there. */
	text.data[text.size / 2] = (char)0xe9;
	check_guess(&text, "UTF-8", true);
	text.data[text.size / 2] = 'e';
	memcpy(text.data + 3, "\xc3\xa9", 2);
	check_guess(&text, "UTF-8", true);
	/* However much of it is UTF-8, every line is looked at. */
	for (int i = 0; i < 32; i++)
		memcpy(text.data + 1000 + 2 * i, "\xc3\xa9", 2);
	check_guess(&text, "UTF-8", true);
	text.data[4000] = (char)0xe9;
	check_guess(&text, "mixed", true);
	for (int i = 0; i < 160; i++)
		text.data[2000 + 2 * i] = (char)0xe9;
	check_guess(&text, "Windows-1252", false);
	buf_release(&text);
}

static void test_lines(void **state)
{
	const char *text = "Jos\xe9 \xc3\n\n\xc3\xa9\xe2\x82\xac\n\x80\nplain\n\xe9";
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	assert_true(encoding_mend_lines(text, strlen(text), &out));
	buf_append_char(&out, '\0');
	assert_string_equal(out.data, "Jos\xc3\xa9 \xc3\x83\n\n\xc3\xa9\xe2\x82\xac\n\xe2\x82\xac\n"
				      "plain\n\xc3\xa9");
	buf_clear(&out);
	assert_false(encoding_mend_lines("a\n\xc3\xa9\n", 5, &out));
	assert_int_equal(out.size, 0);
	buf_release(&out);
	write_file("a.csv", text, strlen(text));
	assert_int_equal(input_line_not_utf8(path), 1);
	write_file("a.csv", text + 6, strlen(text) - 6);
	assert_int_equal(input_line_not_utf8(path), 4);
	write_file("a.csv", text + 6, 8);
	assert_int_equal(input_line_not_utf8(path), 0);
	unlink(path);
}

static void test_refused(void **state)
{
	struct error err;
	struct buf out;

	(void)state;
	check_fails(write_file("a.csv", "a\0b\n", 4), ERROR_DATA, "is not a text file");
	check_fails(write_file("a.csv", "PAR1\25\4\25\0\25", 9), ERROR_DATA, "but a Parquet file");
	check_fails(write_file("a.csv", "PK\3\4\24\0\0\0xl/workbook.xml", 23), ERROR_DATA,
		"but an Excel workbook: save its sheets as CSV");
	check_fails(write_file("a.csv", "\1\2\3\4\5\6\7\0DUCK@\0", 14), ERROR_DATA,
		"but a DuckDB database");
	check_fails(write_file("a.csv", "a\0,\0b\0\n\0", 8), ERROR_DATA, "--encoding utf-16le");
	check_fails(write_file("a.csv", "\0a\0,\0b\0\n", 8), ERROR_DATA, "--encoding utf-16be");
	write_file("a.csv", "a\nb\n\xa4\n", 6);
	assert_int_equal(read_as(path, "utf-7//TRANSLIT", 10, &out, &err), ERROR_USAGE);
	assert_int_equal(read_as(path, "klingon", 10, &out, &err), ERROR_USAGE);
	assert_non_null(strstr(err.message, "there is no encoding \"klingon\""));
	assert_int_equal(read_as(path, "euc-jp", 10, &out, &err), ERROR_DATA);
	assert_non_null(strstr(err.message, "line 3 is not euc-jp"));
	buf_release(&out);
	unlink(path);
	check_fails(path, ERROR_IO, "cannot open");
	check_fails(folder, ERROR_IO, "it is a directory");
}

/* Opened and half read; then `change` happens to it, and the rest is read. */
static void check_change(const char *name, const void *bytes, size_t size,
	void (*change)(const char *path), const char *expected)
{
	char *data = malloc(ROOM);
	struct input *input;
	struct error err = {0};
	ssize_t count;

	write_file(name, bytes, size);
	assert_int_equal(input_open(&input, path, NULL, &err), 0);
	assert_int_equal(input_read(input, data, 1000, &err), 1000);
	if (change)
		change(path);
	do {
		count = input_read(input, data, ROOM, &err);
	} while (count == (ssize_t)ROOM);
	if (expected) {
		assert_int_equal(count, -1);
		assert_int_equal(err.code, ERROR_DATA);
		assert_non_null(strstr(err.message, "changed while it was read"));
		assert_non_null(strstr(err.message, expected));
	} else {
		assert_true(count >= 0);
	}
	input_close(input);
	unlink(path);
	free(data);
}

static void append_line(const char *of)
{
	FILE *file = fopen(of, "ab");

	assert_non_null(file);
	fputs("one more\n", file);
	assert_int_equal(fclose(file), 0);
}

static void cut_off(const char *of)
{
	assert_int_equal(truncate(of, 100000), 0);
}

static void write_over(const char *of)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1000000000}};

	assert_int_equal(utimensat(AT_FDCWD, of, times, 0), 0);
}

static void replace(const char *of)
{
	char other[300];
	struct stat status;
	struct timespec times[2];

	assert_int_equal(stat(of, &status), 0);
	times[0] = status.st_atim;
	times[1] = status.st_mtim;
	snprintf(other, sizeof(other), "%s.new", of);
	append_line(other);
	assert_int_equal(utimensat(AT_FDCWD, other, times, 0), 0);
	assert_int_equal(rename(other, of), 0);
}

static void test_changed_files(void **state)
{
	static char text[300000];
	char *packed = malloc(ROOM);
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 100 == 99 ? '\n' : (char)('a' + (i * i) % 23);
	size = pack_gzip(text, sizeof(text), packed);
	check_change("a.csv", text, sizeof(text), NULL, NULL);
	check_change("a.csv", text, sizeof(text), append_line, "its size has changed");
	check_change("a.csv", text, sizeof(text), cut_off, "its size has changed");
	check_change("a.csv", text, sizeof(text), write_over, "written to it");
	check_change("a.csv", text, sizeof(text), replace, "another file");
	check_change("a.csv.gz", packed, size, NULL, NULL);
	check_change("a.csv.gz", packed, size, write_over, "written to it");
	free(packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codecs),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_archive),
		cmocka_unit_test(test_archive_damage),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_long_encodings),
		cmocka_unit_test(test_guesses),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_changed_files),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
