/*
 * Who may use a cluster, and how: a file with a line for each user, which gateways read again when it changes.
 *
 *   NAME ROLE SHA256 [jobs=N]
 *
 * SHA256 is that of the user's token, in hexadecimal digits; the token itself, 256 bits by chance, is shown once, when the
 * user is added, and nowhere kept. (That many bits need no slow hash: nobody tries them all.) Empty lines, and lines that
 * begin with "#", are skipped.
 */
#ifndef CLUSTER_USERS_H
#define CLUSTER_USERS_H

#include "base/error.h"
#include "base/sha256.h"

#include <stdbool.h>
#include <stdint.h>

#define USERS_MAX     10000u
#define USER_NAME_MAX 32u
/* "tamiz", 64 digits, the end. */
#define USER_TOKEN_TEXT (5 + 64 + 1)

enum user_role {
	USER_READ,   /* looks: the cluster, all jobs, results of those whose secret is shown */
	USER_SUBMIT, /* has jobs, and sees no others */
	USER_ADMIN,  /* submits, sees and cancels all */
};

#define USER_ROLES 3
extern const char *const user_role_words[USER_ROLES + 1];

struct user {
	char name[USER_NAME_MAX + 1];
	enum user_role role;
	struct sha256 token_hash;
	uint32_t jobs_max; /* open at a time; 0: as for everyone */
	uint64_t id;	   /* made of the name: whose the jobs are; never 0 */
};

struct users;

/* ERROR_IO when the file cannot be read, ERROR_USAGE with the line that is wrong. `path` is borrowed. */
MUST_CHECK int users_open(struct users **out, const char *path, struct error *err);
/* One that has nobody, for a file that is yet to be. */
struct users *users_new(const char *path);
/* NULL is allowed. */
void users_free(struct users *users);
/*
 * Reads the file again if it has changed; looks once a second. -1 when it is wrong: everything is as before, and the same
 * file is not told again.
 */
MUST_CHECK int users_refresh(
	struct users *users, uint64_t now_ms, bool *changed, struct error *err);
/* Counts changes. */
uint64_t users_version(const struct users *users);

/* By the hash of a token, in a time that does not depend on how much of it is right. NULL: nobody. */
const struct user *users_find(const struct users *users, const struct sha256 *token_hash);
/* In the order of the file; NULL behind the last. */
const struct user *users_get(const struct users *users, uint32_t index);

/* A new one, and its token: ERROR_USAGE when there is one of the name, or the name will not do. */
MUST_CHECK int users_add(struct users *users, const char *name, enum user_role role,
	uint32_t jobs_max, char token[USER_TOKEN_TEXT], struct error *err);
/* ERROR_USAGE when there is none. */
MUST_CHECK int users_remove(struct users *users, const char *name, struct error *err);
/* Whole or not at all, for its owner and its folder's group alone. */
MUST_CHECK int users_save(const struct users *users, struct error *err);

#endif
