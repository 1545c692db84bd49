/*
 * The encodings of texts. Inside, everything is UTF-8.
 *
 * What a file says itself (a byte order mark) or what the user says of it is believed, and a text
 * that is not so is an error. Otherwise a file is UTF-8 when the parts of it that are looked at
 * are, and Windows-1252 when they are not. A file that turns out not to be UTF-8 elsewhere is read
 * line by line: a line that is no UTF-8 is Windows-1252. In practice the two give the same, because
 * hardly any text in Windows-1252 happens to be UTF-8 as well; and what a line says depends on
 * nothing but the line, so that it is the same however the file is cut.
 */
#ifndef INPUT_ENCODING_H
#define INPUT_ENCODING_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENCODING_NAME_MAX 40

/* Windows-1252 makes three bytes of some. */
#define ENCODING_GROWTH 3

/* ERROR_USAGE for a name that neither we nor iconv know. */
MUST_CHECK int encoding_check(const char *name, struct error *err);

/*
 * Appends `text` in UTF-8: lines that are UTF-8 as they are, others from Windows-1252. The number
 * of the first such line, from 0, is *first; false when there is none, and then nothing is
 * appended.
 */
bool encoding_mend_lines(const char *text, size_t size, struct buf *out, uint64_t *first);

#endif
