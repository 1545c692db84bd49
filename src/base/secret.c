#include "base/secret.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define ARGUMENTS_MAX 16
#define NAME_MAX_SIZE 80

void secret_protect_process(void)
{
	umask(077);
	/* What cannot be had is not worth ending for: it is a second line of defence. */
	(void)prctl(PR_SET_DUMPABLE, 0);
}

/* NAME_FILE. NULL when it is not set. */
static const char *file_of(const char *name)
{
	char variable[NAME_MAX_SIZE];
	int size = snprintf(variable, sizeof(variable), "%s_FILE", name);

	return size > 0 && (size_t)size < sizeof(variable) ? getenv(variable) : NULL;
}

bool secret_is_given(const char *name)
{
	return getenv(name) || file_of(name);
}

char *secret_get(const char *name, struct error *err)
{
	const char *value = getenv(name), *path = file_of(name);
	size_t size;
	char *text;

	if (value)
		return memory_strdup(value);
	if (!path) {
		error_set(
			err, ERROR_USAGE, "the environment has no %s, and no %s_FILE", name, name);
		return NULL;
	}
	text = file_read(path, SECRET_BYTES_MAX, &size);
	if (!text) {
		error_set(err, ERROR_IO, "%s_FILE: %s: %s", name, path, strerror(errno));
		return NULL;
	}
	if (memchr(text, '\0', size)) {
		error_set(err, ERROR_USAGE, "%s_FILE: %s is not a text file", name, path);
		free(text);
		return NULL;
	}
	text[strcspn(text, "\r\n")] = '\0';
	return text;
}

const char *secret_take_argument(const char *word)
{
	/* Kept where tools that look for leaks find them. */
	static char *taken[ARGUMENTS_MAX];
	static size_t count;

	if (!word || count == ARGUMENTS_MAX)
		return word;
	taken[count] = memory_strdup(word);
	/* Words of main() are the process's own to change. */
	memset((char *)word, 'x', strlen(word));
	return taken[count++];
}
