/*
 * What lets a client speak of a job: its id, which everyone may know, and its secret, which only
 * its client does. As one text: ID-SECRET, 16 and 32 hexadecimal digits.
 *
 * A user's own jobs are remembered, so that their ids alone are enough on the same machine: in the
 * file job-keys of the folder where tamiz keeps its state, one ID-SECRET a line, which only its
 * owner can read. The oldest go when there are many. Nothing depends on it: who has the text needs
 * no file, and a file that cannot be read or written is one that has nothing.
 */
#ifndef CLIENT_JOB_KEY_H
#define CLIENT_JOB_KEY_H

#include "base/error.h"
#include "wire/message.h"

#define JOB_KEY_ID_DIGITS	16u
#define JOB_KEY_SECRET_TEXT_MAX (2 * WIRE_SECRET_SIZE + 1)
/* With its end. */
#define JOB_KEY_TEXT_MAX (JOB_KEY_ID_DIGITS + 1 + JOB_KEY_SECRET_TEXT_MAX)
/* Lines of the file: twice as many, and the older half goes. */
#define JOB_KEYS_KEPT 500u

/* A new one, by chance, and remembered. ERROR_IO. */
MUST_CHECK int job_key_draw(uint64_t *job, struct wire_secret *secret, struct error *err);

/* Both return `text`. */
const char *job_key_secret_text(
	const struct wire_secret *secret, char text[JOB_KEY_SECRET_TEXT_MAX]);
const char *job_key_text(
	uint64_t job, const struct wire_secret *secret, char text[JOB_KEY_TEXT_MAX]);

/* The digits of a secret and nothing else. */
bool job_key_parse_secret(const char *text, struct wire_secret *secret);
/*
 * ID-SECRET, or the ID of a job that is remembered. ERROR_USAGE when it is neither. An ID of which
 * nobody knows the secret has one of zeros: gateways may know that the job is gone, or never was.
 */
MUST_CHECK int job_key_parse(
	const char *text, uint64_t *job, struct wire_secret *secret, struct error *err);

#endif
