/*
 * How far a journal was synced, kept beside its folder in `<folder>.synced`, 32 bytes:
 *
 *   0   8  "tamizmrk"
 *   8   4  CRC-32C of bytes 16 to 31
 *  12   4  zero
 *  16   8  id of the journal
 *  24   8  sequence of the last record that was synced
 *
 * It is written after every sync and never synced itself, so it may be behind, but never ahead: a
 * journal that has fewer records than its mark has lost what had been safe. A mark that is not
 * there, or is torn, says nothing.
 */
#include "journal/journal_private.h"

#include "base/crc32c.h"

#include <stdio.h>
#include <string.h>

#define MARK_SIZE	32u
#define MARK_BODY	16u
#define MARK_MAGIC	"tamizmrk"
#define MARK_MAGIC_SIZE 8u

static int mark_path(char path[DISK_PATH_MAX], const char *folder, struct error *err)
{
	int size = snprintf(path, DISK_PATH_MAX, "%s" JOURNAL_MARK_SUFFIX, folder);

	if (size < 0 || (size_t)size >= DISK_PATH_MAX)
		return error_set(err, ERROR_LIMIT, "the path of %s is too long", folder);
	return 0;
}

void journal_mark_write(struct journal *journal)
{
	uint64_t words[2] = {journal->id, journal->synced_sequence};
	char bytes[MARK_SIZE] = MARK_MAGIC, path[DISK_PATH_MAX];
	struct disk_piece piece = {bytes, sizeof(bytes)};
	struct error ignored;
	uint32_t crc;

	if (!journal->is_marked)
		return;
	memcpy(bytes + MARK_BODY, words, sizeof(words));
	crc = crc32c(0, bytes + MARK_BODY, MARK_SIZE - MARK_BODY);
	memcpy(bytes + MARK_MAGIC_SIZE, &crc, sizeof(crc));
	/* Without it we know less, and nothing is wrong. */
	if (!journal->mark &&
		(mark_path(path, journal->folder, &ignored) ||
			disk_open(journal->disk, path, true, &journal->mark, &ignored)))
		journal->mark = NULL;
	if (journal->mark && disk_write(journal->mark, 0, &piece, 1, &ignored)) {
		disk_close(journal->mark);
		journal->mark = NULL;
	}
}

/* False: there is none that can be read. */
static bool mark_read(struct disk *disk, const char *folder, uint64_t words[2])
{
	char bytes[MARK_SIZE], path[DISK_PATH_MAX];
	struct disk_file *file;
	struct error ignored;
	uint32_t crc;
	uint64_t size;
	bool read;

	if (mark_path(path, folder, &ignored) || disk_open(disk, path, false, &file, &ignored))
		return false;
	read = !disk_size(file, &size, &ignored) && size >= MARK_SIZE &&
	       !disk_read(file, 0, bytes, sizeof(bytes), &ignored);
	disk_close(file);
	if (!read || memcmp(bytes, MARK_MAGIC, MARK_MAGIC_SIZE) != 0)
		return false;
	memcpy(&crc, bytes + MARK_MAGIC_SIZE, sizeof(crc));
	memcpy(words, bytes + MARK_BODY, MARK_SIZE - MARK_BODY);
	return crc == crc32c(0, bytes + MARK_BODY, MARK_SIZE - MARK_BODY);
}

int journal_mark_check(const struct journal *journal, struct error *err)
{
	uint64_t words[2];

	if (!journal->is_marked || !mark_read(journal->disk, journal->folder, words))
		return 0;
	if (words[0] == journal->id && words[1] <= journal->synced_sequence)
		return 0;
	return error_set(err, ERROR_DATA,
		"the journal %s has lost records that had been safe on disk: %llu were, and %llu "
		"are there",
		journal->folder, (unsigned long long)words[1],
		(unsigned long long)(words[0] == journal->id ? journal->synced_sequence : 0));
}

int journal_mark_remove(struct disk *disk, const char *folder, struct error *err)
{
	char path[DISK_PATH_MAX];

	return mark_path(path, folder, err) ? -1 : disk_remove(disk, path, err);
}

bool journal_is_known(struct disk *disk, const char *folder)
{
	uint64_t words[2];
	struct error ignored;
	struct buf names;
	bool found;

	buf_init(&names, JOURNAL_NAMES_MAX);
	found = !disk_list(disk, folder, &names, &ignored) && names.size > 0;
	buf_release(&names);
	return found || mark_read(disk, folder, words);
}
