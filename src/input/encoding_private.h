#ifndef INPUT_ENCODING_PRIVATE_H
#define INPUT_ENCODING_PRIVATE_H

#include "input/encoding.h"
#include "input/stream_private.h"

/* How the bytes of a file become UTF-8. */
struct encoding {
	char name[ENCODING_NAME_MAX + 1]; /* for people, and for iconv */
	bool is_utf8;			  /* nothing is to be done but to look whether it is */
	bool is_mixed;			  /* UTF-8 and lines that are not, which are mended */
	bool is_windows_1252;		  /* not iconv's, which has no characters for five bytes */
	bool has_controls;		  /* as encoding_mend_controls mends them */
	bool is_guess;			  /* neither the file nor the user says so */
	uint32_t mark_size;		  /* bytes to skip at the start */
};

/* What was seen in parts of a text. */
struct encoding_evidence {
	uint64_t characters; /* in UTF-8, beyond ASCII */
	uint64_t controls;   /* of them, U+0080 to U+009f */
	uint64_t faults;     /* bytes that are part of none */
	uint64_t strange;    /* of them, those that Windows-1252 has no character for */

	/* Of parts that are not UTF-8 (encoding_guess.c). */
	uint64_t high;	     /* bytes beyond ASCII */
	uint64_t paired;     /* of them, in rows of an even number */
	uint64_t letters;    /* those that are letters or signs in Windows-1252 */
	uint64_t beside;     /* of these, those with another one beside them */
	uint64_t in_runs;    /* of the letters, those in rows of four or more */
	uint64_t signs;	     /* that stand in the middle of words */
	uint64_t bytes[128]; /* how often each, from 0x80 on */
};

/* By its name. ERROR_USAGE for one that nobody knows. */
MUST_CHECK int encoding_find(struct encoding *out, const char *name, struct error *err);

/* By the first bytes of a file: a byte order mark. False when there is none. */
bool encoding_of_mark(struct encoding *out, const char *start, size_t size);

/*
 * Adds what a part of a text shows. It may begin and end in the middle of a character, where it is
 * not the start or the end of the text.
 */
void encoding_weigh(struct encoding_evidence *evidence, const char *part, size_t size,
	bool at_start, bool at_end);

/* Counts what encoding_not_western asks for. */
void encoding_weigh_letters(struct encoding_evidence *evidence, const char *part, size_t size);

/* What a text that is not UTF-8 seems to be, when it is clear that Windows-1252 makes no words of it; NULL: it may. */
const char *encoding_not_western(const struct encoding_evidence *evidence);

/*
 * A stream of UTF-8 from one of another encoding, behind its mark. Takes `bytes`, also when it
 * fails. `path` is borrowed; `encoding` is copied.
 */
MUST_CHECK int encoding_stream_new(struct stream **out, struct stream *bytes,
	const struct encoding *encoding, const char *path, struct error *err);

#endif
