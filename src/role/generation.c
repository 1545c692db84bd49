#include "role/generation.h"

#include "base/hash.h"

#include <string.h>

#define SLOT_WORDS 4u
#define SLOT_SIZE  (SLOT_WORDS * sizeof(uint64_t))

static uint64_t check_of(const uint64_t *words)
{
	return hash_bytes(words, (SLOT_WORDS - 1) * sizeof(uint64_t));
}

static void take_slot(struct generation *out, const uint64_t *words)
{
	if (words[3] == check_of(words) && words[0] > out->sequence)
		*out = (struct generation){words[0], words[1], words[2] != 0};
}

int generation_read(struct generation *out, struct disk *disk, struct error *err)
{
	uint64_t words[2 * SLOT_WORDS] = {0};
	struct disk_file *file;
	uint64_t size;
	int status;

	*out = (struct generation){0};
	if (!disk)
		return 0;
	if (disk_open(disk, GENERATION_PATH, true, &file, err))
		return -1;
	status = disk_size(file, &size, err);
	if (!status && size > 0)
		status =
			disk_read(file, 0, words, size < sizeof(words) ? size : sizeof(words), err);
	disk_close(file);
	take_slot(out, words);
	take_slot(out, words + SLOT_WORDS);
	return status;
}

static bool is_bad(const uint64_t *words)
{
	static const uint64_t never_written[SLOT_WORDS];

	return words[3] != check_of(words) && memcmp(words, never_written, SLOT_SIZE) != 0;
}

int generation_verify(struct disk *disk, struct error *err)
{
	uint64_t words[2 * SLOT_WORDS] = {0};
	struct disk_file *file;
	uint64_t size;
	int status;

	if (disk_open(disk, GENERATION_PATH, false, &file, err))
		return -1;
	status = disk_size(file, &size, err);
	if (!status && size > 0)
		status =
			disk_read(file, 0, words, size < sizeof(words) ? size : sizeof(words), err);
	disk_close(file);
	if (status)
		return -1;
	if (size > sizeof(words) || is_bad(words) || is_bad(words + SLOT_WORDS))
		return error_set(err, ERROR_DATA, "it has a wrong checksum, or is cut off");
	return 0;
}

int generation_write(struct generation *generation, struct disk *disk, uint64_t known, bool doubt,
	struct error *err)
{
	uint64_t words[SLOT_WORDS] = {generation->sequence + 1, known, doubt};
	struct disk_piece piece = {words, sizeof(words)};
	struct disk_file *file;
	int status;

	if (!disk || (generation->known == known && generation->doubt == doubt))
		return 0;
	words[3] = check_of(words);
	if (disk_open(disk, GENERATION_PATH, true, &file, err))
		return -1;
	status = disk_write(file, words[0] % 2 * SLOT_SIZE, &piece, 1, err) || disk_sync(file, err)
			 ? -1
			 : 0;
	disk_close(file);
	if (!status)
		*generation = (struct generation){words[0], known, doubt};
	return status;
}
