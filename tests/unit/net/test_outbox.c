/* The outbox and the frame reader, at the two ends of a pair of sockets. */
#include "base/memory.h"
#include "net/frame_reader.h"
#include "net/outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define BODY_SIZE ((size_t)3 << 20)

struct lent {
	struct wire_loan loan; /* first */
	struct outbox *outbox; /* more is sent on this one when the loan is done; NULL: nothing */
	int fd;
	int done;
};

static void on_done(struct wire_loan *loan)
{
	struct lent *lent = (struct lent *)loan;
	static const uint8_t health[WIRE_HEADER_SIZE] = {WIRE_HEALTH};

	lent->done++;
	if (!lent->outbox)
		return;
	outbox_add(lent->outbox, health, sizeof(health));
	assert_int_equal(outbox_send(lent->outbox, lent->fd), 0);
}

static void open_pair(int fds[2])
{
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
}

static void close_pair(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* A header that promises `size` bytes of value. */
static void make_header(uint8_t header[WIRE_HEADER_SIZE], uint8_t type, uint32_t size)
{
	header[0] = type;
	for (int i = 0; i < 4; i++)
		header[1 + i] = (uint8_t)(size >> (24 - 8 * i));
}

static uint8_t *make_body(void)
{
	uint8_t *body = memory_alloc(BODY_SIZE);

	for (size_t i = 0; i < BODY_SIZE; i++)
		body[i] = (uint8_t)(i * 2654435761u >> 13);
	return body;
}

/* Sends what there is, receives it, and has every whole frame counted. */
static uint32_t exchange(
	struct outbox *outbox, struct frame_reader *reader, const int fds[2], struct frame *large)
{
	enum frame_progress progress = FRAME_SOME;
	uint32_t count = 0;
	struct error err;

	while (outbox->size > 0 || progress != FRAME_NOTHING) {
		assert_int_equal(outbox_send(outbox, fds[0]), 0);
		progress = frame_reader_receive(reader, fds[1], &err);
		assert_true(progress != FRAME_END && progress != FRAME_BAD);
		if (progress == FRAME_WHOLE) {
			struct frame frame = frame_reader_take(reader);

			count++;
			if (frame.size > WIRE_HEADER_SIZE)
				*large = frame;
		}
	}
	return count;
}

/* Copied and lent pieces come out in order, however little the socket takes at a time. */
static void test_order(void **state)
{
	struct lent lent = {.loan = {on_done}};
	struct frame_pool pool = {0};
	struct frame_reader reader = {.pool = &pool};
	struct outbox outbox = {0};
	struct frame large = {0};
	uint8_t header[WIRE_HEADER_SIZE];
	uint8_t *body = make_body();
	int fds[2];

	(void)state;
	open_pair(fds);
	make_header(header, WIRE_HEALTH, 0);
	for (int i = 0; i < 10000; i++)
		outbox_add(&outbox, header, sizeof(header));
	make_header(header, WIRE_BATCH, BODY_SIZE);
	outbox_add(&outbox, header, sizeof(header));
	outbox_lend(&outbox, body, BODY_SIZE, &lent.loan);
	make_header(header, WIRE_HEALTH, 0);
	outbox_add(&outbox, header, sizeof(header));
	assert_int_equal(outbox.size, 10002 * WIRE_HEADER_SIZE + BODY_SIZE);
	assert_in_range(outbox.memory, 10002 * WIRE_HEADER_SIZE, 128u << 10);
	assert_int_equal(exchange(&outbox, &reader, fds, &large), 10002);
	assert_int_equal(lent.done, 1);
	assert_int_equal(outbox.memory, 0);
	assert_int_equal(large.size, WIRE_HEADER_SIZE + BODY_SIZE);
	assert_memory_equal(large.bytes + WIRE_HEADER_SIZE, body, BODY_SIZE);
	frame_release(&large, &pool);
	assert_int_equal(pool.memory, 0);
	frame_pool_release(&pool);
	close_pair(fds);
	free(body);
}

/* A lender that sends at once when it has its bytes back does not disturb what is under way. */
static void test_lender_sends_more(void **state)
{
	struct frame_pool pool = {0};
	struct frame_reader reader = {.pool = &pool};
	struct outbox outbox = {0};
	struct frame large = {0};
	struct lent lent = {.loan = {on_done}, .outbox = &outbox};
	uint8_t header[WIRE_HEADER_SIZE];
	uint8_t *body = make_body();
	int fds[2];

	(void)state;
	open_pair(fds);
	lent.fd = fds[0];
	make_header(header, WIRE_BATCH, 1000);
	outbox_add(&outbox, header, sizeof(header));
	outbox_lend(&outbox, body, 1000, &lent.loan);
	make_header(header, WIRE_HEALTH, 0);
	outbox_add(&outbox, header, sizeof(header));
	assert_int_equal(exchange(&outbox, &reader, fds, &large), 3);
	assert_int_equal(lent.done, 1);
	assert_int_equal(large.size, WIRE_HEADER_SIZE + 1000);
	frame_release(&large, &pool);
	frame_pool_release(&pool);
	close_pair(fds);
	free(body);
}

/* Loans come back also when nothing was sent, and a broken connection is told. */
static void test_broken(void **state)
{
	struct lent lent = {.loan = {on_done}};
	struct outbox outbox = {0};
	int fds[2];

	(void)state;
	open_pair(fds);
	outbox_add(&outbox, "abc", 3);
	outbox_lend(&outbox, "defg", 4, &lent.loan);
	close(fds[1]);
	assert_int_equal(outbox_send(&outbox, fds[0]), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(outbox.size, 7);
	assert_int_equal(lent.done, 0);
	outbox_release(&outbox);
	assert_int_equal(lent.done, 1);
	close(fds[0]);
}

/* What a header promises takes no memory before it comes; its end and nonsense are told. */
static void test_reader(void **state)
{
	struct frame_pool pool = {0};
	struct frame_reader reader = {.pool = &pool};
	uint8_t header[WIRE_HEADER_SIZE];
	struct error err;
	int fds[2];

	(void)state;
	open_pair(fds);
	assert_int_equal(frame_reader_receive(&reader, fds[1], &err), FRAME_NOTHING);
	make_header(header, WIRE_BATCH, BODY_SIZE);
	assert_int_equal(send(fds[0], header, 3, 0), 3);
	assert_int_equal(frame_reader_receive(&reader, fds[1], &err), FRAME_SOME);
	assert_int_equal(send(fds[0], header + 3, 2, 0), 2);
	assert_int_equal(frame_reader_receive(&reader, fds[1], &err), FRAME_HEADER);
	assert_int_equal(reader.size, WIRE_HEADER_SIZE + BODY_SIZE);
	assert_int_equal(pool.memory, 0);
	assert_int_equal(frame_reader_receive(&reader, fds[1], &err), FRAME_NOTHING);
	assert_in_range(pool.memory, 1, FRAME_BUFFER_FIRST);
	frame_reader_reset(&reader);
	assert_int_equal(pool.memory, 0);
	assert_int_equal(send(fds[0], "GET /", 5, 0), 5);
	assert_int_equal(frame_reader_receive(&reader, fds[1], &err), FRAME_BAD);
	frame_reader_reset(&reader);
	close(fds[0]);
	assert_int_equal(frame_reader_receive(&reader, fds[1], &err), FRAME_END);
	assert_int_equal(errno, 0);
	frame_pool_release(&pool);
	close(fds[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lender_sends_more),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_reader),
	};

	return cmocka_run_group_tests_name("net/outbox", tests, NULL, NULL);
}
