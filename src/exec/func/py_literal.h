/*
 * Python literals in fields of text, as people get them who write a list of lists to CSV:
 *
 *   ['Drama', "Kerri O'Kane", None, 3]              py_list: its items
 *   [{'id': 18, 'name': 'Drama'}, {'id': 53, ...}]  py_pluck: one key of each dictionary
 *
 * Lists and tuples of strings, numbers, True, False, None, and lists, tuples, dictionaries and sets
 * of these, down to PY_DEPTH_MAX levels. Strings have either quote, the prefixes u, r and b, and
 * Python's escapes; neighbours are joined, raw newlines are allowed, and \N{...} and triple quotes
 * are not known. Anything else, or anything before or behind it, is no list.
 *
 * One pass; strings without escapes are not copied, so items point into the text they came from.
 */
#ifndef EXEC_PY_LITERAL_H
#define EXEC_PY_LITERAL_H

#include "base/arena.h"
#include "exec/func/text_vector.h"

#define PY_DEPTH_MAX 100

/*
 * Fills `items` with those of the list in `text`: strings as they are, None as a NULL item, numbers
 * and truths as they are written, and so are whole containers. False for what is not a list.
 * Strings with escapes go to the arena, which grows by less than the text has bytes.
 */
bool py_list(struct text text, struct text_vector *items, struct arena *arena);
/*
 * Fills `items` with the values that the dictionaries in the list have for `key`, in the same form.
 * Elements that are no dictionary or lack the key give no item; of equal keys the last counts.
 */
bool py_pluck(struct text text, struct text key, struct text_vector *items, struct arena *arena);

#endif
