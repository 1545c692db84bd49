/*
 * One question to a gateway and its answer: for what needs no session.
 */
#ifndef CLIENT_ASK_H
#define CLIENT_ASK_H

#include "client/net.h"
#include "wire/message.h"

/*
 * Sends `question` to one of the servers, the next one when the first does not answer, and waits
 * for a message of type `wanted`, for `timeout_ms` in all. The answer's texts are in the arena, its
 * bytes, too. `token` is for HELLO, "" for none; HEALTH is asked without. An ERROR of the gateway
 * is ours, with its code; ERROR_IO when nobody answers.
 */
MUST_CHECK int ask(const char *servers, const char *token, const struct wire_message *question,
	enum wire_type wanted, uint64_t timeout_ms, struct arena *arena,
	struct wire_message *answer, struct error *err);

#endif
