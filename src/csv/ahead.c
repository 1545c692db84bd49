/* Text of a file in order that is unpacked before its turn: pieces, first in and first out. */
#include "csv/file_private.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (256u << 10)

struct ahead_piece {
	struct ahead_piece *next;
	size_t begin;
	size_t end;
	char data[PIECE_BYTES];
};

size_t ahead_take(struct ahead_text *ahead, char *data, size_t size)
{
	size_t done = 0;

	while (done < size && ahead->first) {
		struct ahead_piece *piece = ahead->first;
		size_t held = piece->end - piece->begin;
		size_t part = held < size - done ? held : size - done;

		memcpy(data + done, piece->data + piece->begin, part);
		piece->begin += part;
		done += part;
		if (piece->begin < piece->end)
			break;
		ahead->first = piece->next;
		free(piece);
		atomic_fetch_sub(&ahead->held, sizeof(*piece));
	}
	return done;
}

void ahead_release(struct ahead_text *ahead)
{
	while (ahead->first) {
		struct ahead_piece *next = ahead->first->next;

		free(ahead->first);
		ahead->first = next;
	}
}

/* Under the file's lock. */
static void add_piece(struct csv_file *file)
{
	struct ahead_text *ahead = &file->ahead;
	struct ahead_piece *piece = memory_alloc(sizeof(*piece)), **last = &ahead->first;
	ssize_t got = input_read(file->input, piece->data, PIECE_BYTES, &ahead->error);

	if (got <= 0) {
		/* Whoever reads so far is told. */
		ahead->failed = got < 0;
		ahead->ended = true;
		free(piece);
		return;
	}
	piece->next = NULL;
	piece->begin = 0;
	piece->end = (size_t)got;
	if (ahead->first)
		last = &ahead->last->next;
	*last = ahead->last = piece;
	ahead->ended = (size_t)got < PIECE_BYTES;
	atomic_fetch_add(&ahead->held, sizeof(*piece));
}

bool csv_file_unpack_ahead(struct csv_file *file)
{
	bool any = false;

	if (input_is_seekable(file->input) || pthread_mutex_trylock(&file->lock))
		return false;
	if (!file->failed && !file->ahead.ended) {
		add_piece(file);
		any = true;
	}
	pthread_mutex_unlock(&file->lock);
	return any;
}

size_t csv_file_ahead_bytes(struct csv_file *file)
{
	return atomic_load(&file->ahead.held);
}

bool csv_file_is_busy(struct csv_file *file)
{
	if (file->blocks)
		return false;
	if (pthread_mutex_trylock(&file->lock))
		return true;
	pthread_mutex_unlock(&file->lock);
	return false;
}
