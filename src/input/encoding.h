/*
 * The encodings of texts. Inside, everything is UTF-8.
 *
 * What a file says itself (a byte order mark) or what the user says of it is believed, and a text
 * that is not so is an error. Otherwise parts of the file decide, its first 64 KB and three places
 * of a plain file behind them:
 *
 *   only ASCII, or characters in UTF-8         UTF-8, as far as is known: every line is looked at
 *   both UTF-8 and other bytes                 mixed: every line is looked at
 *   other bytes                                Windows-1252
 *
 * A line that is looked at and is not UTF-8 is Windows-1252. What a line says depends on nothing
 * but the line then, so that it is the same however the file is cut.
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

/*
 * Appends `text` in UTF-8: lines that are UTF-8 as they are, others from Windows-1252. False when
 * all of them are, and then nothing is appended.
 */
bool encoding_mend_lines(const char *text, size_t size, struct buf *out);

/*
 * Appends `text`, which is UTF-8, with characters in place of U+0080 to U+009f. Nobody writes those: they
 * are quotes and dashes of Windows-1252 that were taken for Latin-1 when the text became UTF-8. False
 * when there are none, and then nothing is appended.
 */
bool encoding_mend_controls(const char *text, size_t size, struct buf *out);

#endif
