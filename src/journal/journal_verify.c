/* Looking at a journal without opening it for good, and dropping one that is beyond help. */
#include "journal/journal_private.h"

int journal_verify(struct disk *disk, const char *folder, bool is_marked, journal_replay_fn replay,
	void *context, struct journal_summary *out, struct error *err)
{
	struct journal_mark mark = {.state = JOURNAL_MARK_NONE};
	struct journal *journal;
	int status;

	*out = (struct journal_summary){0};
	if (journal_new(&journal, disk, folder, err) != 0)
		return -1;
	journal->only_reads = true;
	/* Before the records: whoever writes them meanwhile writes the mark after them. */
	if (is_marked)
		mark = journal_mark_read(disk, folder);
	status = journal_replay(journal, replay, context, err);
	if (status == 0)
		status = journal_mark_check(journal, &mark, err);
	out->records = journal_records(journal);
	out->bytes = journal->read_bytes;
	out->torn_bytes = journal->torn_bytes;
	out->mark = mark.state;
	journal_close(journal);
	return status;
}

int journal_drop(struct disk *disk, const char *folder, struct error *err)
{
	/* The mark first: what is removed without it would not be missed. */
	if (journal_mark_loss(disk, folder, err) != 0)
		return -1;
	return disk_remove(disk, folder, err);
}
