#include "cluster/users.h"

#include "base/buf.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX     (4u << 20)
#define LOOK_MS	     1000u
#define HASH_DIGITS  (2 * SHA256_SIZE)
#define TOKEN_PREFIX "tamiz"

const char *const user_role_words[USER_ROLES + 1] = {"read", "submit", "admin", NULL};

struct users {
	const char *path;
	uint32_t count;
	uint32_t capacity;
	struct user *items;
	struct stat seen; /* of the file, as it was read */
	uint64_t looked_ms;
	uint64_t version;
};

/* --- one line ------------------------------------------------------------------------------------
 */

static bool is_name(const char *name)
{
	size_t size = strlen(name);

	if (size == 0 || size > USER_NAME_MAX)
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.@", *c))
			return false;
	return true;
}

static bool take_role(const char *word, enum user_role *role)
{
	for (int i = 0; word && i < USER_ROLES; i++)
		if (strcmp(word, user_role_words[i]) == 0) {
			*role = (enum user_role)i;
			return true;
		}
	return false;
}

static bool take_hash(const char *digits, struct sha256 *hash)
{
	if (!digits || strlen(digits) != HASH_DIGITS)
		return false;
	for (size_t i = 0; i < SHA256_SIZE; i++) {
		char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
		uint64_t byte;

		if (!digits_parse(pair, 16, UINT8_MAX, &byte))
			return false;
		hash->bytes[i] = (uint8_t)byte;
	}
	return true;
}

static uint64_t id_of(const char *name)
{
	char text[USER_NAME_MAX + 8];
	int size = snprintf(text, sizeof(text), "user %s", name);
	struct sha256 hash = sha256(text, (size_t)size);
	uint64_t id;

	memcpy(&id, hash.bytes, sizeof(id));
	return id ? id : 1;
}

/* The next word of a line, of which it cuts it off; NULL: there is none. */
static char *next_word(char **rest)
{
	char *word;

	do
		word = strsep(rest, " \t\r");
	while (word && !*word);
	return word;
}

/* False: it is none. */
static bool parse_line(char *line, struct user *user)
{
	char *name = next_word(&line), *word;
	uint64_t jobs;

	*user = (struct user){0};
	if (!name || !is_name(name) || !take_role(next_word(&line), &user->role) ||
		!take_hash(next_word(&line), &user->token_hash))
		return false;
	while ((word = next_word(&line))) {
		if (strncmp(word, "jobs=", 5) != 0 ||
			!digits_parse(word + 5, 10, UINT32_MAX, &jobs))
			return false;
		user->jobs_max = (uint32_t)jobs;
	}
	snprintf(user->name, sizeof(user->name), "%s", name);
	user->id = id_of(name);
	return true;
}

/* --- the table -----------------------------------------------------------------------------------
 */

static struct user *find_name(const struct users *users, const char *name)
{
	for (uint32_t i = 0; i < users->count; i++)
		if (strcmp(users->items[i].name, name) == 0)
			return &users->items[i];
	return NULL;
}

static int append(struct users *users, const struct user *user, struct error *err)
{
	if (users->count == USERS_MAX)
		return error_set(
			err, ERROR_LIMIT, "%s: more than %u users", users->path, USERS_MAX);
	if (find_name(users, user->name))
		return error_set(err, ERROR_USAGE, "%s: there is a user \"%s\" already",
			users->path, user->name);
	if (users->count == users->capacity) {
		users->capacity = users->capacity ? 2 * users->capacity : 16;
		users->items =
			memory_realloc(users->items, users->capacity * sizeof(*users->items));
	}
	users->items[users->count++] = *user;
	return 0;
}

static int read_lines(struct users *users, char *text, struct error *err)
{
	char *rest = text, *line;
	uint32_t number = 0;

	while ((line = strsep(&rest, "\n"))) {
		struct user user;

		number++;
		line += strspn(line, " \t\r");
		if (*line == '\0' || *line == '#')
			continue;
		if (!parse_line(line, &user))
			return error_set(err, ERROR_USAGE,
				"%s:%u: a line of users is NAME ROLE SHA256 [jobs=N]", users->path,
				number);
		if (append(users, &user, err))
			return -1;
	}
	return 0;
}

static int read_file(struct users *users, struct error *err)
{
	char *text;
	int status;

	/* Before it is read: a change meanwhile is seen later. */
	if (stat(users->path, &users->seen))
		memset(&users->seen, 0, sizeof(users->seen));
	text = file_read(users->path, FILE_MAX, NULL);
	if (!text)
		return error_set(err, ERROR_IO, "cannot read %s: %s", users->path, strerror(errno));
	status = read_lines(users, text, err);
	free(text);
	return status;
}

struct users *users_new(const char *path)
{
	struct users *users = memory_zalloc(sizeof(*users));

	users->path = path;
	users->version = 1;
	return users;
}

int users_open(struct users **out, const char *path, struct error *err)
{
	*out = users_new(path);
	if (read_file(*out, err) == 0)
		return 0;
	users_free(*out);
	*out = NULL;
	return -1;
}

void users_free(struct users *users)
{
	if (!users)
		return;
	free(users->items);
	free(users);
}

static bool is_same_file(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_size == other->st_size &&
	       one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
	       one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

int users_refresh(struct users *users, uint64_t now_ms, bool *changed, struct error *err)
{
	struct users fresh = {.path = users->path};
	struct stat info;

	*changed = false;
	if (now_ms - users->looked_ms < LOOK_MS)
		return 0;
	users->looked_ms = now_ms;
	if (stat(users->path, &info))
		memset(&info, 0, sizeof(info));
	if (is_same_file(&info, &users->seen))
		return 0;
	users->seen = info;
	if (read_file(&fresh, err)) {
		free(fresh.items);
		return -1;
	}
	free(users->items);
	users->items = fresh.items;
	users->count = fresh.count;
	users->capacity = fresh.capacity;
	users->seen = fresh.seen;
	users->version++;
	*changed = true;
	return 0;
}

uint64_t users_version(const struct users *users)
{
	return users->version;
}

const struct user *users_find(const struct users *users, const struct sha256 *token_hash)
{
	const struct user *found = NULL;

	/* All of them, also behind the right one. */
	for (uint32_t i = 0; i < users->count; i++)
		if (same_in_constant_time(
			    users->items[i].token_hash.bytes, token_hash->bytes, SHA256_SIZE))
			found = &users->items[i];
	return found;
}

const struct user *users_get(const struct users *users, uint32_t index)
{
	return index < users->count ? &users->items[index] : NULL;
}

/* --- changes -------------------------------------------------------------------------------------
 */

int users_add(struct users *users, const char *name, enum user_role role, uint32_t jobs_max,
	char token[USER_TOKEN_TEXT], struct error *err)
{
	struct user user = {.role = role, .jobs_max = jobs_max};
	uint8_t bytes[32];
	size_t used = strlen(TOKEN_PREFIX);

	if (!is_name(name))
		return error_set(err, ERROR_USAGE,
			"\"%.40s\" is no name of a user: up to %u letters, digits and - _ . @",
			name, USER_NAME_MAX);
	if (random_bytes(bytes, sizeof(bytes)))
		return error_set(err, ERROR_IO, "no random numbers: %s", strerror(errno));
	memcpy(token, TOKEN_PREFIX, used);
	for (size_t i = 0; i < sizeof(bytes); i++, used += 2)
		snprintf(token + used, USER_TOKEN_TEXT - used, "%02x", bytes[i]);
	snprintf(user.name, sizeof(user.name), "%s", name);
	user.id = id_of(name);
	user.token_hash = sha256(token, strlen(token));
	return append(users, &user, err);
}

int users_remove(struct users *users, const char *name, struct error *err)
{
	struct user *user = find_name(users, name);

	if (!user)
		return error_set(
			err, ERROR_USAGE, "%s: there is no user \"%.40s\"", users->path, name);
	memmove(user, user + 1,
		(size_t)(users->items + --users->count - user) * sizeof(*users->items));
	return 0;
}

/* Nodes may run as another user, whose group then owns the folder. */
static void share_with_folder(int fd, const char *path)
{
	char folder[PATH_MAX];
	struct stat info;

	snprintf(folder, sizeof(folder), "%s", path);
	if (stat(dirname(folder), &info) == 0)
		(void)!fchown(fd, (uid_t)-1, info.st_gid);
}

int users_save(const struct users *users, struct error *err)
{
	struct file_replacement file = {.fd = -1};
	struct buf text;
	int status;

	buf_init(&text, FILE_MAX);
	buf_append_text(&text, "# Users of a cluster: NAME ROLE SHA256-OF-TOKEN [jobs=N]. tamiz "
			       "user writes it.\n");
	for (uint32_t i = 0; i < users->count; i++) {
		const struct user *user = &users->items[i];

		buf_printf(&text, "%s %s ", user->name, user_role_words[user->role]);
		for (size_t b = 0; b < SHA256_SIZE; b++)
			buf_printf(&text, "%02x", user->token_hash.bytes[b]);
		if (user->jobs_max)
			buf_printf(&text, " jobs=%u", user->jobs_max);
		buf_append_char(&text, '\n');
	}
	status = file_replacement_open(&file, users->path, FILE_MANY_WRITERS, 0640);
	if (!status) {
		share_with_folder(file.fd, users->path);
		status = buf_overflowed(&text) || file_write_all(file.fd, text.data, text.size) ||
			 file_replacement_commit(&file, true);
	}
	if (status)
		error_set(err, ERROR_IO, "cannot write %s: %s", users->path, strerror(errno));
	file_replacement_release(&file);
	buf_release(&text);
	return status ? -1 : 0;
}
