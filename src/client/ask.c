#include "client/ask.h"

#include "base/clock.h"

#include <stdio.h>

#define PAUSE_MS 200

struct asking {
	struct net *net;
	const char *token;
	const struct wire_message *question;
	enum wire_type wanted;
	struct arena *arena;
	struct wire_message *answer;
	struct error *err;
	uint64_t connection; /* 0: none */
	bool answered;
	bool failed;  /* err says why */
	bool refused; /* with an error that another gateway need not have: err says which */
};

static void send(struct asking *asking, const struct wire_message *message)
{
	struct wire_port *port = net_port(asking->net);
	struct buf frame;

	buf_init(&frame, WIRE_FRAME_MAX);
	wire_encode(message, &frame);
	port->send(port, asking->connection, frame.data, frame.size);
	buf_release(&frame);
}

static void on_open(void *context, uint64_t connection)
{
	struct asking *asking = context;
	struct wire_message hello = {
		.type = WIRE_HELLO, .hello = {.version = WIRE_VERSION, .token = asking->token}};

	asking->connection = connection;
	if (asking->question->type != WIRE_HEALTH)
		send(asking, &hello);
	send(asking, asking->question);
}

static void on_error(struct asking *asking, const struct wire_message *message)
{
	struct wire_port *port = net_port(asking->net);

	error_set(asking->err, (enum error_code)message->error.code, "%s", message->error.text);
	if (message->error.class != WIRE_ERROR_RETRY) {
		asking->failed = true;
		return;
	}
	asking->refused = true;
	port->drop(port, asking->connection);
	asking->connection = 0;
}

static void on_message(void *context, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct asking *asking = context;
	struct wire_message message;

	if (asking->answered || asking->failed || connection != asking->connection)
		return;
	/* What it borrows from the frame must stay. */
	bytes = (const uint8_t *)arena_copy(asking->arena, bytes, size);
	if (wire_decode(bytes, size, asking->arena, &message, asking->err)) {
		asking->failed = true;
	} else if (message.type == asking->wanted) {
		*asking->answer = message;
		asking->answered = true;
	} else if (message.type == WIRE_ERROR) {
		on_error(asking, &message);
	}
}

static void on_closed(void *context, uint64_t connection, bool was_open)
{
	struct asking *asking = context;

	(void)was_open;
	(void)connection;
	asking->connection = 0;
}

int ask(const char *servers, const char *token, const struct wire_message *question,
	enum wire_type wanted, uint64_t timeout_ms, struct arena *arena,
	struct wire_message *answer, struct error *err)
{
	struct asking asking = {.token = token,
		.question = question,
		.wanted = wanted,
		.arena = arena,
		.answer = answer,
		.err = err};
	struct net_handler handler = {on_open, on_message, on_closed, &asking};
	uint64_t start_ms = clock_monotonic_ms(), tried_ms = 0;

	if (net_new(&asking.net, servers, err))
		return -1;
	net_set_handler(asking.net, &handler);
	while (!asking.answered && !asking.failed && !net_is_refused(asking.net) &&
		clock_monotonic_ms() - start_ms < timeout_ms) {
		if (asking.connection == 0 && clock_monotonic_ms() - tried_ms >= PAUSE_MS) {
			asking.connection = net_connect(asking.net);
			tried_ms = clock_monotonic_ms();
		}
		net_poll(asking.net, PAUSE_MS / 4);
	}
	if (!asking.answered && !asking.failed && !asking.refused)
		error_set(err, ERROR_IO, "no gateway answers: %s",
			*net_trouble(asking.net) ? net_trouble(asking.net) : "it says nothing");
	net_free(asking.net);
	return asking.answered ? 0 : -1;
}
