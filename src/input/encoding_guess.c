/*
 * Whether bytes that are not UTF-8 can be text of Western Europe, for which Windows-1252 is right.
 *
 * There the letters beyond ASCII stand alone among others. In Russian, Greek, Hebrew or Chinese all letters are such
 * bytes, one beside the other. In Central Europe some of them are what Windows-1252 has signs for, which then stand in the
 * middle of words, or letters that no Western language has side by side.
 */
#include "input/encoding_private.h"

#include <ctype.h>

#define LETTERS_MIN	 6  /* fewer say nothing */
#define SIGNS_AMONG_MIN	 6  /* bytes beyond ASCII: a few may be mistakes */
#define SIGNS_SHARE	 20 /* one of so many bytes beyond ASCII */
#define RUN_MIN		 4  /* letters beyond ASCII in a row: no Western word has them */
#define THORNS_MIN	 2
#define PAIRS_PERCENT	 90
#define BESIDE_NUMERATOR 2 /* of three letters */

#define KINDS_MIN   8 /* of signs, in a text of which */
#define KINDS_SHARE 3 /* one byte of so many is one */

/* From 0xc0 on all but two are letters. */
static bool is_letter(unsigned char c)
{
	return c >= 0xc0 && c != 0xd7 && c != 0xf7;
}

/* What Windows-1252 has for it is a sign that does not stand between letters: not an apostrophe or a dash. */
static bool is_sign(unsigned char c)
{
	return c > 0xa0 && c < 0xc0 && c != 0xaa && c != 0xad && c != 0xb4 && c != 0xb7 &&
	       c != 0xba;
}

static bool is_lower(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || c >= 0xdf;
}

void encoding_weigh_letters(struct encoding_evidence *evidence, const char *part, size_t size)
{
	const unsigned char *text = (const unsigned char *)part;
	size_t run = 0, letters = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char before = i > 0 ? text[i - 1] : ' ', c = text[i];
		unsigned char behind = i + 1 < size ? text[i + 1] : ' ';

		letters = c > 0xa0 ? letters + 1 : 0;
		if (letters >= RUN_MIN)
			evidence->in_runs += letters == RUN_MIN ? RUN_MIN : 1;
		if (c < 0x80) {
			evidence->paired += run % 2 == 0 ? run : 0;
			run = 0;
			continue;
		}
		run++;
		evidence->high++;
		evidence->bytes[c - 0x80]++;
		if (c > 0xa0) {
			evidence->letters++;
			evidence->beside += before > 0xa0 || behind > 0xa0;
		}
		/* "Pi<sign>a", and not "m3", "20 %", or a question in Spanish. */
		if (is_sign(c) && is_lower(behind) && (isalpha(before) || is_letter(before)))
			evidence->signs++;
	}
	evidence->paired += run % 2 == 0 ? run : 0;
}

static bool has(const struct encoding_evidence *evidence, const char *bytes)
{
	for (; *bytes; bytes++)
		if (evidence->bytes[(unsigned char)*bytes - 0x80] == 0)
			return false;
	return true;
}

static bool has_none(const struct encoding_evidence *evidence, const char *bytes)
{
	for (; *bytes; bytes++)
		if (evidence->bytes[(unsigned char)*bytes - 0x80] > 0)
			return false;
	return true;
}

/* Signs of all kinds: halves of characters of China or Japan. */
static bool has_many_signs(const struct encoding_evidence *evidence)
{
	uint64_t signs = 0;
	uint32_t kinds = 0;

	for (uint32_t c = 0xa1; c < 0xc0; c++) {
		signs += is_sign((unsigned char)c) ? evidence->bytes[c - 0x80] : 0;
		kinds += is_sign((unsigned char)c) && evidence->bytes[c - 0x80] > 0;
	}
	return kinds >= KINDS_MIN && signs * KINDS_SHARE >= evidence->high;
}

const char *encoding_not_western(const struct encoding_evidence *evidence)
{
	bool signs = evidence->signs > 0 && evidence->high >= SIGNS_AMONG_MIN &&
		     evidence->signs * SIGNS_SHARE >= evidence->high;
	/* Czech: r and e with hooks. As Western letters: o with a stroke, i with a grave accent. */
	bool czech = has(evidence, "\xf8\xec") && has_none(evidence, "\xe5\xe6\xe7\xf1\xe3");
	/* Hungarian: long o and u. As Western letters: o with a tilde, u with a circumflex. */
	bool hungarian = has(evidence, "\xf5\xfb") && has_none(evidence, "\xe3\xe7\xea\xe8\xe0");

	/* Turkish, Lithuanian, Latvian: thorns without the vowels that Icelandic has around them. */
	bool thorns = evidence->bytes[0xfe - 0x80] + evidence->bytes[0xde - 0x80] >= THORNS_MIN &&
		      has_none(evidence, "\xe1\xed\xfa\xe6");

	if ((evidence->letters >= LETTERS_MIN &&
		    3 * evidence->beside >= BESIDE_NUMERATOR * evidence->letters) ||
		(evidence->in_runs > 0 && 2 * evidence->in_runs >= evidence->letters))
		return 100 * evidence->paired >= PAIRS_PERCENT * evidence->high
			       ? "gbk, big5, euc-kr, euc-jp or windows-1251"
			       : "windows-1251, koi8-r, windows-1253 or gbk";
	if (has_many_signs(evidence))
		return "big5, euc-jp, gbk or euc-kr";
	if (thorns)
		return "windows-1254 or windows-1257";
	if (signs || czech || hungarian)
		return "windows-1250 or iso-8859-2";
	return NULL;
}
