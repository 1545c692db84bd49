#include "net/outbox.h"

#include "base/memory.h"
#include "base/mutant.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Small messages share a piece of this size. */
#define PIECE_MIN ((size_t)16 << 10)
#define PARTS_MAX 16

struct outbox_piece {
	struct outbox_piece *next;
	const char *bytes; /* own, or lent */
	size_t size;
	size_t sent;
	size_t capacity;	/* of own; 0: the bytes are lent */
	struct wire_loan *loan; /* NULL: they are own */
	char own[];
};

static struct outbox_piece *add_piece(struct outbox *outbox, size_t capacity)
{
	struct outbox_piece *piece = memory_alloc(sizeof(*piece) + capacity);

	*piece = (struct outbox_piece){.capacity = capacity, .bytes = piece->own};
	if (outbox->last)
		outbox->last->next = piece;
	else
		outbox->first = piece;
	outbox->last = piece;
	outbox->memory += capacity;
	return piece;
}

/* Takes the first piece out; piece_free follows once nothing depends on the outbox's state. */
static struct outbox_piece *take_first(struct outbox *outbox)
{
	struct outbox_piece *piece = outbox->first;

	outbox->first = piece->next;
	if (!outbox->first)
		outbox->last = NULL;
	outbox->size -= piece->size - piece->sent;
	outbox->memory -= piece->capacity;
	piece->next = NULL;
	return piece;
}

static void piece_free(struct outbox_piece *piece)
{
	if (piece->loan)
		piece->loan->done(piece->loan);
	free(piece);
}

void outbox_add(struct outbox *outbox, const void *bytes, size_t size)
{
	struct outbox_piece *piece = outbox->last;

	if (size == 0)
		return;
	if (!piece || piece->loan || piece->capacity - piece->size < size)
		piece = add_piece(outbox, size > PIECE_MIN ? size : PIECE_MIN);
	memcpy(piece->own + piece->size, bytes, size);
	piece->size += size;
	outbox->size += size;
}

void outbox_lend(struct outbox *outbox, const void *body, size_t size, struct wire_loan *loan)
{
	struct outbox_piece *piece = add_piece(outbox, 0);

	assert(loan);
	piece->bytes = body;
	piece->size = size;
	piece->loan = loan;
	outbox->size += size;
}

/* Counts what has left, and frees the pieces of which nothing is left. */
static void note_sent(struct outbox *outbox, size_t sent)
{
	struct outbox_piece *done = NULL, **last = &done;

	assert(sent <= outbox->size);
	while (outbox->first) {
		struct outbox_piece *piece = outbox->first;
		size_t left = piece->size - piece->sent;
		size_t of_it = sent < left ? sent : left;

		piece->sent += of_it;
		outbox->size -= of_it;
		sent -= of_it;
		if (of_it < left) {
			piece->sent += MUTANT(HOSTS_BYTE_NOT_SENT);
			outbox->size -= MUTANT(HOSTS_BYTE_NOT_SENT);
			break;
		}
		*last = take_first(outbox);
		last = &(*last)->next;
	}
	assert(sent == 0);
	/* Lenders may send more at once: by now the outbox is whole again. */
	while (done) {
		struct outbox_piece *next = done->next;

		piece_free(done);
		done = next;
	}
}

static ssize_t send_pieces(const struct outbox *outbox, int fd)
{
	const struct outbox_piece *first = outbox->first;
	struct iovec parts[PARTS_MAX];
	struct msghdr message = {.msg_iov = parts};

	if (outbox->tls)
		return tls_send(outbox->tls, first->bytes + first->sent, first->size - first->sent);
	for (const struct outbox_piece *piece = first; piece && message.msg_iovlen < PARTS_MAX;
		piece = piece->next)
		parts[message.msg_iovlen++] = (struct iovec){
			(char *)piece->bytes + piece->sent, piece->size - piece->sent};
	return sendmsg(fd, &message, MSG_NOSIGNAL);
}

int outbox_send(struct outbox *outbox, int fd)
{
	while (outbox->first) {
		ssize_t sent = send_pieces(outbox, fd);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN ? 0 : -1;
		note_sent(outbox, (size_t)sent);
	}
	return 0;
}

void outbox_release(struct outbox *outbox)
{
	while (outbox->first)
		piece_free(take_first(outbox));
	assert(outbox->size == 0 && outbox->memory == 0);
}
