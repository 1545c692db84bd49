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
 * there, or is torn, says nothing; an empty one was just being made.
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

static void mark_encode(char bytes[MARK_SIZE], uint64_t id, uint64_t sequence)
{
	uint64_t words[2] = {id, sequence};
	uint32_t crc;

	memset(bytes, 0, MARK_SIZE);
	memcpy(bytes, MARK_MAGIC, MARK_MAGIC_SIZE);
	memcpy(bytes + MARK_BODY, words, sizeof(words));
	crc = crc32c(0, bytes + MARK_BODY, MARK_SIZE - MARK_BODY);
	memcpy(bytes + MARK_MAGIC_SIZE, &crc, sizeof(crc));
}

void journal_mark_write(struct journal *journal)
{
	char bytes[MARK_SIZE], path[DISK_PATH_MAX];
	struct disk_piece piece = {bytes, sizeof(bytes)};
	struct error ignored;

	if (!journal->is_marked)
		return;
	mark_encode(bytes, journal->id, journal->synced_sequence);
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

int journal_mark_loss(struct disk *disk, const char *folder, struct error *err)
{
	struct journal_mark before = journal_mark_read(disk, folder);
	char bytes[MARK_SIZE], path[DISK_PATH_MAX];
	struct disk_piece piece = {bytes, sizeof(bytes)};
	struct disk_file *file;
	int status;

	/* No journal has the id 0. */
	mark_encode(bytes, 0,
		before.state == JOURNAL_MARK_GOOD && before.sequence > 0 ? before.sequence : 1);
	if (mark_path(path, folder, err) || disk_open(disk, path, true, &file, err))
		return -1;
	status = disk_write(file, 0, &piece, 1, err) || disk_sync(file, err) ? -1 : 0;
	disk_close(file);
	return status;
}

static bool mark_decode(const char bytes[MARK_SIZE], struct journal_mark *mark)
{
	uint64_t words[2];
	uint32_t crc;

	memcpy(&crc, bytes + MARK_MAGIC_SIZE, sizeof(crc));
	memcpy(words, bytes + MARK_BODY, sizeof(words));
	mark->id = words[0];
	mark->sequence = words[1];
	return memcmp(bytes, MARK_MAGIC, MARK_MAGIC_SIZE) == 0 &&
	       crc == crc32c(0, bytes + MARK_BODY, MARK_SIZE - MARK_BODY);
}

struct journal_mark journal_mark_read(struct disk *disk, const char *folder)
{
	struct journal_mark mark = {.state = JOURNAL_MARK_NONE};
	char bytes[MARK_SIZE], path[DISK_PATH_MAX];
	struct disk_file *file;
	struct error ignored;
	uint64_t size;
	int status;

	if (mark_path(path, folder, &ignored) || disk_open(disk, path, false, &file, &ignored))
		return mark;
	status = disk_size(file, &size, &ignored);
	if (status || size > 0)
		mark.state = !status && size >= MARK_SIZE &&
					     !disk_read(file, 0, bytes, sizeof(bytes), &ignored) &&
					     mark_decode(bytes, &mark)
				     ? JOURNAL_MARK_GOOD
				     : JOURNAL_MARK_BAD;
	disk_close(file);
	return mark;
}

int journal_mark_check(
	const struct journal *journal, const struct journal_mark *mark, struct error *err)
{
	bool is_ours = mark->id == journal->id;

	if (mark->state != JOURNAL_MARK_GOOD ||
		(is_ours && mark->sequence <= journal->synced_sequence))
		return 0;
	return error_set(err, ERROR_DATA,
		"the journal %s has lost records that had been safe on disk: %llu were, and %llu "
		"are there",
		journal->folder, (unsigned long long)mark->sequence,
		(unsigned long long)(is_ours ? journal->synced_sequence : 0));
}

int journal_mark_remove(struct disk *disk, const char *folder, struct error *err)
{
	char path[DISK_PATH_MAX];

	return mark_path(path, folder, err) ? -1 : disk_remove(disk, path, err);
}

bool journal_is_known(struct disk *disk, const char *folder)
{
	struct error ignored;
	struct buf names;
	bool found;

	buf_init(&names, JOURNAL_NAMES_MAX);
	found = !disk_list(disk, folder, &names, &ignored) && names.size > 0;
	buf_release(&names);
	return found || journal_mark_read(disk, folder).state == JOURNAL_MARK_GOOD;
}
