/*
 * What the files of the group operator share.
 *
 *   op_group.c    rows to states, states to results
 *   group_disk.c  what does not fit into memory
 */
#ifndef EXEC_GROUP_PRIVATE_H
#define EXEC_GROUP_PRIVATE_H

#include "exec/agg/aggregate.h"
#include "exec/op/operator.h"
#include "exec/table/group_parts.h"
#include "exec/table/group_table.h"

struct group_disk;

/* Where keys and states stand in a batch: in the input of a final group, and on a disk. */
enum group_form {
	GROUP_FORM_INPUT,
	GROUP_FORM_DISK, /* the keys, then the states of those that have some; no others */
	GROUP_FORMS,
};

struct group_layout {
	uint32_t column_count;
	uint32_t *keys;
	uint32_t *states; /* by aggregate: its first one; PLAN_NONE: it has none */
};

struct op_group {
	struct op op;
	const struct plan_group *plan;
	struct group_table table;
	struct aggregates aggregates;
	/*
	 * Per aggregate: the numbers of groups with the arguments seen, for DISTINCT. Without keys where
	 * unused. A group's number is in its row then, behind the states.
	 */
	struct group_table *seen;
	uint32_t number_offset;
	struct group_layout *layouts; /* see enum group_form */
	bool wide_states;	      /* some aggregate has many words for a group */
	uint64_t filled_rows;	      /* partial: rows taken since the table was empty */
	uint64_t pass_rows;	      /* partial: rows still to pass */
	struct group_parts *parts;    /* final: all its rows, once they are set aside; else NULL */
	size_t parts_bytes_max;
	bool parts_refused; /* final: there are rows that cannot be set aside */
	struct memory_account account;
	struct group_disk *disk; /* final, complete: groups that were written out; else NULL */
	const struct type *key_types;
	uint32_t column_count; /* of the output */
	struct column *columns;
	struct arena arena; /* output columns */
	uint8_t *rows[BATCH_ROWS_MAX];
	uint8_t *taken_rows[BATCH_ROWS_MAX];
	uint16_t taken[BATCH_ROWS_MAX];
	uint16_t identity[BATCH_ROWS_MAX];
	uint16_t created[BATCH_ROWS_MAX];
};

/* Rows of the table for the selected rows of a batch: group->rows. */
MUST_CHECK int group_find(
	struct op_group *group, const struct batch *batch, const uint32_t *keys, struct error *err);
/* Merges the states of the rows that were found. */
MUST_CHECK int group_fold_states(
	struct op_group *group, const struct batch *batch, enum group_form form, struct error *err);
/* Those of one aggregate: `input` has values that the groups in its rows may have seen before. */
MUST_CHECK int group_fold_distinct(struct op_group *group, uint32_t which,
	const struct batch *batch, struct aggregate_input *input, struct error *err);

typedef int (*states_taker)(struct op_group *group, const struct batch *batch, struct error *err);
/* Gives the table's groups to `take`, as states. */
MUST_CHECK int group_take_states(
	struct op_group *group, enum group_form form, states_taker take, struct error *err);
/* Groups the rows of a part that was set aside; it is empty then. */
MUST_CHECK int group_fold_part(struct op_group *group, uint32_t part, struct error *err);
MUST_CHECK int group_emit_table(struct op_group *group, bool last, struct error *err);
/* The table is empty, and has the memory of an empty one. */
void group_renew_table(struct op_group *group);

/* group_disk.c. Whether the states of an aggregate go to a disk. */
bool group_disk_has_states(const struct aggregate *aggregate);
/* After every batch: what is too much goes to a disk, or is ERROR_LIMIT. */
MUST_CHECK int group_check_memory(struct op_group *group, struct error *err);
/* The input has ended, and there is a disk: emits all groups. */
MUST_CHECK int group_finish_disk(struct op_group *group, struct error *err);
void group_disk_free(struct op_group *group, struct group_disk *disk);

#endif
