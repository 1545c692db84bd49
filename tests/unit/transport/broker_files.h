/*
 * What a broker has written down. It says that a queue is there up to some seconds before its files
 * say so, too; killed in between, it has lost the queue, and what it had confirmed for it. A test
 * that kills a broker waits for these files, and for nothing else.
 */
#ifndef TESTS_BROKER_FILES_H
#define TESTS_BROKER_FILES_H

#include "base/memory.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BROKER_FILE_SIZE_MAX (64u << 20)

static inline bool file_mentions(const char *path, const char *text)
{
	FILE *file = fopen(path, "rb");
	char *bytes = memory_alloc(BROKER_FILE_SIZE_MAX);
	size_t size = file ? fread(bytes, 1, BROKER_FILE_SIZE_MAX, file) : 0;
	bool found = memmem(bytes, size, text, strlen(text)) != NULL;

	if (file)
		fclose(file);
	free(bytes);
	return found;
}

/* Whether some file of the broker in `folder` that matches has this text. */
static inline bool broker_files_mention(const char *folder, const char *pattern, const char *text)
{
	char path[256];
	bool found = false;
	glob_t files;

	snprintf(path, sizeof(path), "%s/data/*/%s", folder, pattern);
	if (glob(path, 0, NULL, &files) == 0) {
		for (size_t i = 0; i < files.gl_pathc && !found; i++)
			found = file_mentions(files.gl_pathv[i], text);
	}
	globfree(&files);
	return found;
}

/* All queues are in Mnesia's files; a quorum queue and a stream have a place of their own as well. */
static inline bool broker_has_queue(const char *folder, const char *name)
{
	return broker_files_mention(folder, "LATEST.LOG", name) ||
	       broker_files_mention(folder, "rabbit_durable_queue.DC?", name);
}

static inline bool broker_has_quorum_queue(const char *folder, const char *name)
{
	return broker_has_queue(folder, name) &&
	       broker_files_mention(folder, "quorum/*/names.dets", name);
}

static inline bool broker_has_stream(const char *folder, const char *name)
{
	return broker_has_queue(folder, name) &&
	       broker_files_mention(
		       folder, "coordination/*/names.dets", "rabbit_stream_coordinator");
}

#endif
