#include "client/session_loop.h"

#include "base/clock.h"

/* Before that a person need not hear of it. */
#define TROUBLE_AFTER_MS 3000u

static void on_open(void *context, uint64_t connection)
{
	struct session_loop *drive = context;

	drive->reached = true;
	session_on_open(drive->session, connection, clock_monotonic_ms());
}

static void on_message(void *context, uint64_t connection, const uint8_t *bytes, size_t size)
{
	struct session_loop *drive = context;

	session_on_message(drive->session, connection, bytes, size, clock_monotonic_ms());
}

static void on_closed(void *context, uint64_t connection, bool was_open)
{
	struct session_loop *drive = context;

	session_on_closed(drive->session, was_open ? connection : 0, clock_monotonic_ms());
}

void session_loop_init(struct session_loop *drive, struct net *net, struct session *session)
{
	struct net_handler handler = {on_open, on_message, on_closed, drive};

	*drive = (struct session_loop){
		.net = net, .session = session, .started_ms = clock_monotonic_ms()};
	net_set_handler(net, &handler);
}

int session_loop_turn(struct session_loop *drive, struct error *err)
{
	uint64_t now_ms = clock_monotonic_ms();

	while (session_take_connect(drive->session, now_ms))
		net_connect(drive->net);
	net_poll(drive->net, (int)session_wait_ms(drive->session, now_ms));
	now_ms = clock_monotonic_ms();
	session_on_tick(drive->session, now_ms);
	if (!drive->reached &&
		(net_is_refused(drive->net) || now_ms - drive->started_ms > DRIVE_REACH_MS_MAX))
		return error_set(
			err, ERROR_IO, "no gateway can be reached: %s", net_trouble(drive->net));
	return 0;
}

const char *session_loop_trouble(const struct session_loop *drive)
{
	if (clock_monotonic_ms() - drive->started_ms < TROUBLE_AFTER_MS)
		return NULL;
	return drive->reached ? session_refusal(drive->session) : net_trouble(drive->net);
}
