/*
 * A pattern of numbers in its parts: what to_char (to_char_number.c) and to_number (to_number.c)
 * share.
 */
#ifndef EXEC_NUMBER_PATTERN_PRIVATE_H
#define EXEC_NUMBER_PATTERN_PRIVATE_H

#include "exec/func/to_char.h"

enum mark {
	MARK_LITERAL,
	MARK_DIGIT,    /* 9 */
	MARK_ZERO,     /* 0 */
	MARK_POINT,    /* . D */
	MARK_COMMA,    /* , */
	MARK_GROUP,    /* G: the same, but that to_number takes it for what it stands for */
	MARK_MINUS,    /* MI */
	MARK_PLUS,     /* PL */
	MARK_SIGN,     /* SG */
	MARK_ORDINAL,  /* TH */
	MARK_CURRENCY, /* L: a blank */
	MARK_ROMAN,    /* RN */
	/* These say how to print and print nothing themselves. */
	MARK_ANCHORED, /* S: the sign, next to the number */
	MARK_BRACKETS, /* PR */
	MARK_FILL,     /* FM */
	MARK_SHIFT,    /* V: the places behind it multiply */
	MARK_EXPONENT, /* EEEE */
	MARK_UNSUPPORTED,
};

struct number_item {
	enum mark mark;
	bool lower; /* th, rn */
	struct text literal;
};

enum anchor {
	ANCHOR_NONE,
	ANCHOR_FRONT,
	ANCHOR_BACK,
};

struct number_pattern {
	uint32_t before; /* places before the point, those behind V included */
	uint32_t after;
	uint32_t shift;	     /* places behind V */
	uint32_t zero_first; /* the place of the first 0 before the point; UINT32_MAX without one */
	uint32_t zero_last;  /* how many places there are up to the last 0 */
	bool point;
	bool fill;
	bool brackets;
	bool minus_apart; /* MI or SG: the sign is not part of the number */
	bool plus_apart;  /* PL or SG */
	bool shifted;	  /* there is a V */
	bool exponent;
	bool roman;
	enum anchor anchor;
	uint32_t anchor_before; /* places before an S */
	uint32_t count;
	struct number_item items[];
};

#endif
