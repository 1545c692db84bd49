/*
 * libzip finds the files of an archive and gives their bytes as they lie there; what is deflated,
 * which is nearly everything, is unpacked by the same decoder as gzip.
 */
#include "input/archive_private.h"

#include "base/library.h"
#include "base/memory.h"
#include "input/codec_private.h"

#include <isa-l/crc.h>
#include <zip.h>

/* -- The library, which is loaded with the first archive -- */

#ifndef LIBRARY_SONAME
#define LIBRARY_SONAME "libzip.so"
#endif

#define ZIP_CALLS(CALL)                \
	CALL(zip_discard)              \
	CALL(zip_error_fini)           \
	CALL(zip_error_init_with_code) \
	CALL(zip_error_strerror)       \
	CALL(zip_fclose)               \
	CALL(zip_file_strerror)        \
	CALL(zip_fopen_index)          \
	CALL(zip_fread)                \
	CALL(zip_get_num_entries)      \
	CALL(zip_open)                 \
	CALL(zip_stat)                 \
	CALL(zip_stat_index)           \
	CALL(zip_strerror)

static struct zip_calls {
	ZIP_CALLS(LIBRARY_POINTER)
} libzip;

#define ZIP_CALL(name) LIBRARY_CALL(struct zip_calls, name)
static const struct library_call zip_calls[] = {ZIP_CALLS(ZIP_CALL)};
static struct library zip_library = LIBRARY(LIBRARY_SONAME, zip_calls, &libzip);

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define SUFFIX	    ".zip"
#define SUFFIX_SIZE (sizeof(SUFFIX) - 1)

/* A file of an archive, packed or not as libzip was asked. */
struct member_stream {
	struct stream stream; /* first */
	const char *path;
	zip_t *archive;
	zip_file_t *file;
	_Atomic uint64_t *bytes_done;
};

/* What is unpacked here must have the length and the checksum that the archive says. */
struct check_stream {
	struct stream stream; /* first */
	struct stream *text;
	const char *path;
	uint64_t size_left;
	uint32_t checksum;
	uint32_t wanted;
};

bool archive_is_name(const char *name)
{
	size_t size = strlen(name);

	return size > SUFFIX_SIZE && strcasecmp(name + size - SUFFIX_SIZE, SUFFIX) == 0;
}

size_t archive_prefix(const char *path)
{
	size_t found = 0;

	for (const char *at = strchr(path, '/'); at && !found; at = strchr(at + 1, '/')) {
		size_t size = (size_t)(at - path);
		struct stat info;
		char *prefix;

		if (size <= SUFFIX_SIZE || at[1] == '\0' ||
			strncasecmp(at - SUFFIX_SIZE, SUFFIX, SUFFIX_SIZE) != 0)
			continue;
		prefix = memory_strdup(path);
		prefix[size] = '\0';
		if (stat(prefix, &info) == 0 && S_ISREG(info.st_mode))
			found = size;
		free(prefix);
	}
	return found;
}

/* --- opening -------------------------------------------------------------------------------------
 */

static int open_archive(zip_t **out, const char *path, struct error *err)
{
	int code = 0;

	if (library_load(&zip_library, err))
		return -1;
	*out = libzip.zip_open(path, ZIP_RDONLY, &code);
	if (*out)
		return 0;
	if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS || code == ZIP_ER_EOF)
		return stream_damaged(path, "it is not a zip archive", err);
	{
		zip_error_t error;
		int status;

		libzip.zip_error_init_with_code(&error, code);
		status = error_set(err, ERROR_IO, "cannot open %s: %s", path,
			libzip.zip_error_strerror(&error));
		libzip.zip_error_fini(&error);
		return status;
	}
}

int archive_list(const char *path, struct arena *arena, struct archive_list *out, struct error *err)
{
	zip_int64_t count;
	zip_t *archive;
	int status = 0;

	memset(out, 0, sizeof(*out));
	if (open_archive(&archive, path, err) < 0)
		return -1;
	count = libzip.zip_get_num_entries(archive, 0);
	if (count > ARCHIVE_MEMBERS_MAX)
		status = error_set(
			err, ERROR_LIMIT, "%s has more than %d files", path, ARCHIVE_MEMBERS_MAX);
	else
		out->members =
			arena_zalloc(arena, ((size_t)count + 1) * sizeof(struct archive_member));
	for (zip_int64_t i = 0; status == 0 && i < count; i++) {
		zip_stat_t info;
		size_t size;

		if (libzip.zip_stat_index(archive, (zip_uint64_t)i, 0, &info) < 0)
			status = stream_damaged(path, libzip.zip_strerror(archive), err);
		else if ((size = strlen(info.name)) > 0 && info.name[size - 1] != '/')
			out->members[out->count++] = (struct archive_member){
				arena_strndup(arena, info.name, size), info.comp_size};
	}
	libzip.zip_discard(archive);
	return status;
}

/* --- reading -------------------------------------------------------------------------------------
 */

static ssize_t member_read(struct stream *stream, char *data, size_t size, struct error *err)
{
	struct member_stream *member = (struct member_stream *)stream;
	size_t done = 0;

	while (done < size) {
		zip_int64_t count = libzip.zip_fread(member->file, data + done, size - done);

		if (count < 0)
			return stream_damaged(
				member->path, libzip.zip_file_strerror(member->file), err);
		if (count == 0)
			break;
		done += (size_t)count;
		atomic_fetch_add_explicit(
			member->bytes_done, (uint64_t)count, memory_order_relaxed);
	}
	return (ssize_t)done;
}

static void member_free(struct stream *stream)
{
	struct member_stream *member = (struct member_stream *)stream;

	if (member->file)
		libzip.zip_fclose(member->file);
	libzip.zip_discard(member->archive);
	free(member);
}

static const struct stream_ops member_ops = {member_read, member_free};

static ssize_t check_read(struct stream *stream, char *data, size_t size, struct error *err)
{
	struct check_stream *check = (struct check_stream *)stream;
	ssize_t count = stream_read(check->text, data, size, err);

	if (count < 0)
		return -1;
	if ((uint64_t)count > check->size_left)
		return stream_damaged(check->path, "it is longer than its archive says", err);
	check->size_left -= (uint64_t)count;
	check->checksum = crc32_gzip_refl(check->checksum, (unsigned char *)data, (uint64_t)count);
	if ((size_t)count < size && check->size_left > 0)
		return stream_damaged(check->path, "it is cut off", err);
	if (check->size_left == 0 && check->checksum != check->wanted)
		return stream_damaged(check->path, "its checksum is wrong", err);
	return count;
}

static void check_free(struct stream *stream)
{
	struct check_stream *check = (struct check_stream *)stream;

	stream_free(check->text);
	free(check);
}

static const struct stream_ops check_ops = {check_read, check_free};

static int unpack_here(
	struct stream **stream, const char *path, const zip_stat_t *info, struct error *err)
{
	struct check_stream *check;
	struct stream *text;

	if (codec_stream_new(&text, *stream, &codec_deflate, path, err) < 0) {
		*stream = NULL;
		return -1;
	}
	check = memory_zalloc(sizeof(*check));
	check->stream.ops = &check_ops;
	check->text = text;
	check->path = path;
	check->size_left = info->size;
	check->wanted = info->crc;
	*stream = &check->stream;
	return 0;
}

static int find_member(
	struct member_stream *member, const char *name, zip_stat_t *info, struct error *err)
{
	const zip_uint64_t needed = ZIP_STAT_INDEX | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
				    ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;

	if (libzip.zip_stat(member->archive, name, 0, info) < 0)
		return error_set(err, ERROR_IO, "cannot open %s: %s", member->path,
			libzip.zip_strerror(member->archive));
	if ((info->valid & needed) != needed)
		return stream_damaged(member->path, "its archive does not say how long it is", err);
	if ((info->valid & ZIP_STAT_ENCRYPTION_METHOD) && info->encryption_method != ZIP_EM_NONE)
		return error_set(err, ERROR_DATA,
			"%s is encrypted: unpack it with its password first", member->path);
	member->file = libzip.zip_fopen_index(member->archive, info->index,
		info->comp_method == ZIP_CM_DEFLATE ? ZIP_FL_COMPRESSED : 0);
	if (!member->file)
		return error_set(err, ERROR_DATA, "cannot read %s: %s", member->path,
			libzip.zip_strerror(member->archive));
	return 0;
}

int archive_open(struct stream **out, const char *path, size_t prefix, _Atomic uint64_t *bytes_done,
	uint64_t *bytes_total, struct error *err)
{
	struct member_stream *member = memory_zalloc(sizeof(*member));
	struct stream *stream = &member->stream;
	char *archive = memory_strdup(path);
	zip_stat_t info;
	int status;

	archive[prefix] = '\0';
	status = open_archive(&member->archive, archive, err);
	free(archive);
	if (status < 0) {
		free(member);
		return -1;
	}
	member->stream.ops = &member_ops;
	member->path = path;
	member->bytes_done = bytes_done;
	status = find_member(member, path + prefix + 1, &info, err);
	if (status == 0) {
		bool packed = info.comp_method == ZIP_CM_DEFLATE;

		/* What libzip unpacks is counted behind it. */
		*bytes_total = packed ? info.comp_size : info.size;
		if (packed)
			status = unpack_here(&stream, path, &info, err);
	}
	if (status < 0)
		stream_free(stream);
	else
		*out = stream;
	return status;
}
