/*
 * A node's own copy of the control log, on its disk. A start reads it at the speed of a disk and
 * asks the broker only for what came after it: RabbitMQ hands out some thousand entries a second,
 * and a cluster that has run for weeks has written millions.
 *
 * The copy is a journal (journal/journal.h) in the folder "log-<generation>", 8 hexadecimal digits.
 * A record is one of
 *
 *   entry    01, offset u64, the entry's bytes
 *   gone     02, as many as follow of: job u64, expired u8
 *   node     03, node u32, incarnation u64, starts u64
 *   short    04: what follows up to the mark is a short form
 *   mark     05, offset u64, hash u64: the last entry that it stands for
 *
 * What is over is made short when there is much of it: the next generation has the names of the
 * jobs that are gone, the nodes as they were before the oldest job that is not, and after that all
 * entries that still matter, in their order. It is complete before the last generation is removed.
 *
 * Nothing depends on the copy: the log is the truth, and what the copy lacks comes from there. So
 * it is synced now and then, a disk that refuses it ends it for this life of the node, and one that
 * cannot be read, or is of another log, is removed. It must only never have a gap.
 */
#ifndef ROLE_LOG_COPY_H
#define ROLE_LOG_COPY_H

#include "flow/ledger.h"
#include "journal/journal.h"
#include "transport/transport.h"

/* From here on it is made short when two thirds of it are over. */
#define LOG_COPY_SHORTEN_BYTES_DEFAULT (4u << 20)

struct log_copy;

/*
 * Reads what there is into a new ledger, with the clock at `now_ms`; *ledger is the caller's. Never
 * fails: a copy that cannot be read is an empty one. `shorten_bytes` 0: the default.
 */
struct log_copy *log_copy_open(
	struct disk *disk, uint64_t shorten_bytes, uint64_t now_ms, struct ledger **ledger);
/*
 * Whether `name` is a folder of a copy; reads it, without changing anything, into a new ledger, which
 * is the caller's also after an error. *is_whole: a start would use it. One that is not, and is no
 * error, was in the making.
 */
bool log_copy_is_folder(const char *name);
MUST_CHECK int log_copy_verify(struct disk *disk, const char *name, struct ledger **ledger,
	struct journal_summary *summary, bool *is_whole, struct error *err);
/* Without a sync. NULL is allowed. */
void log_copy_close(struct log_copy *copy);

/* The last entry that it has; NULL: none. */
const struct transport_mark *log_copy_mark(const struct log_copy *copy);
/* The next entry of the log. */
void log_copy_add(struct log_copy *copy, uint64_t offset, const void *bytes, size_t size);
/* Syncs and shortens, if it is time. `ledger` has read as far as the copy. */
void log_copy_on_tick(struct log_copy *copy, const struct ledger *ledger, uint64_t now_ms);
/* It is of another log: removes it, and copies no more. */
void log_copy_discard(struct log_copy *copy);

#endif
