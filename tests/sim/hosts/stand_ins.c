#include "sim/hosts/stand_ins.h"

#include "base/json_write.h"
#include "base/memory.h"
#include "net/fd_passing.h"
#include "net/listener.h"
#include "transport/sim.h"
#include "watch/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GUESTS_MAX     32u
#define QUESTION_MAX   1024u
#define ANSWER_MAX     4096u
#define COMMAND_MS_MIN 5u
#define COMMAND_MS     60u
#define UNREACHABLE_MS 3000u  /* up to which a command takes to give up ... */
#define HOPELESS_MS    12000u /* ... or one in HOPELESS_OF, which tries for longer */
#define HOPELESS_OF    4u
#define PASSED_US      500u
#define PASSED_MAX     64u

static const struct stand_ins *stand_ins;

void stand_ins_use(const struct stand_ins *with)
{
	stand_ins = with;
}

/* --- chance and the log --------------------------------------------------------------------------
 */

extern int __wrap_random_id(uint64_t *out, struct error *err);
extern int __real_random_id(uint64_t *out, struct error *err);
extern void __wrap_log_write(const char *component, enum log_event event, const char *text);
extern void __real_log_write(const char *component, enum log_event event, const char *text);
extern void __wrap_log_event(
	const char *component, enum log_event event, const struct log_field *fields);

int __wrap_random_id(uint64_t *out, struct error *err)
{
	if (!machine_now || !machine_now->current)
		return __real_random_id(out, err);
	*out = rng_next(&machine_now->rng) | 1;
	return 0;
}

void __wrap_log_write(const char *component, enum log_event event, const char *text)
{
	struct machine *machine = machine_now;

	if (!machine)
		__real_log_write(component, event, text);
	else if (machine->on_log && (!machine->current || !machine->current->dead))
		machine->on_log(machine->log_context, component, text);
}

void __wrap_log_event(const char *component, enum log_event event, const struct log_field *fields)
{
	char text[LOG_LINE_MAX];

	__wrap_log_write(component, event, log_format(text, sizeof(text), event, fields));
}

/* --- places and health ---------------------------------------------------------------------------
 */

struct health_guest {
	struct health *health;
	struct loop_source source; /* fd -1: free */
	char question[QUESTION_MAX];
	size_t size;
};

struct health {
	struct machine_process *process;
	struct machine_task *task;
	struct loop *loop; /* of a thread of its own */
	struct listener listener;
	struct health_guest guests[GUESTS_MAX];
	uint64_t loop_limit_ms;
	uint64_t beat_us;
	enum health_state state;
	int broker; /* -1: it has none */
	struct health *next;
};

static struct health *healths;

extern int __wrap_node_lock_take(const char *folder, const char *name, int *fd, struct error *err);
extern int __wrap_health_open(struct health **out, const char *node,
	const struct net_address *address, uint64_t loop_limit_ms, struct error *err);
extern void __wrap_health_close(struct health *health);
extern void __wrap_health_beat(struct health *health);
extern void __wrap_health_set_state(struct health *health, enum health_state state);
extern void __wrap_health_set_broker(struct health *health, bool connected);
extern void __wrap_health_publish(struct health *health, const char *json, size_t size);

/* Whoever starts a node ends the one before: there are never two. */
int __wrap_node_lock_take(const char *folder, const char *name, int *fd, struct error *err)
{
	(void)folder;
	(void)name;
	(void)err;
	*fd = -1;
	return 0;
}

static uint64_t now_us(const struct health *health)
{
	return health->process->machine->events->now_us;
}

static bool is_healthy(const struct health *health)
{
	return now_us(health) - health->beat_us <= health->loop_limit_ms * 1000 &&
	       health->broker != 0;
}

static const struct health *find_health(const struct machine_process *process)
{
	const struct health *health = healths;

	while (health && health->process != process)
		health = health->next;
	return health;
}

bool stand_in_is_ready(const struct machine_process *process)
{
	const struct health *health = find_health(process);

	return health && is_healthy(health) && health->state == HEALTH_READY;
}

uint32_t stand_in_guests(const struct machine_process *process)
{
	const struct health *health = find_health(process);
	uint32_t count = 0;

	for (uint32_t i = 0; health && i < GUESTS_MAX; i++)
		count += health->guests[i].source.fd >= 0;
	return count;
}

static void guest_close(struct health_guest *guest)
{
	if (guest->source.fd < 0)
		return;
	loop_remove(guest->health->loop, &guest->source);
	close(guest->source.fd);
	guest->source.fd = -1;
}

static void answer(struct health_guest *guest)
{
	static const char *const states[] = {"starting", "replaying", "ready", "ending"};
	const struct health *health = guest->health;
	struct buf body, out;
	struct json_writer json = {&body, false};

	buf_init(&body, ANSWER_MAX);
	buf_init(&out, ANSWER_MAX);
	json_open(&json, NULL, '{');
	json_put_text(&json, "state", states[health->state]);
	json_put_bool(&json, "healthy", is_healthy(health));
	if (health->broker < 0)
		json_put_null(&json, "broker");
	else
		json_put_bool(&json, "broker", health->broker);
	json_put_u64(&json, "loop_ms", (now_us(health) - health->beat_us) / 1000);
	json_close(&json, '}');
	buf_printf(&out, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n\r\n",
		is_healthy(health) ? 200 : 503, body.size);
	buf_append(&out, body.data, body.size);
	/* A few bytes on a connection where all others were read: they fit, or it is too slow. */
	if (send(guest->source.fd, out.data, out.size, MSG_NOSIGNAL) != (ssize_t)out.size)
		guest_close(guest);
	buf_release(&body);
	buf_release(&out);
}

static void on_guest(void *context, uint32_t events)
{
	struct health_guest *guest = context;
	ssize_t got = recv(guest->source.fd, guest->question + guest->size,
		sizeof(guest->question) - guest->size, 0);

	(void)events;
	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		guest_close(guest);
		return;
	}
	guest->size += (size_t)got;
	if (!memmem(guest->question, guest->size, "\r\n\r\n", 4))
		return;
	guest->size = 0;
	answer(guest);
}

static void on_guest_comes(void *context, int fd)
{
	struct health *health = context;
	struct error err;
	uint32_t i = 0;

	while (i < GUESTS_MAX && health->guests[i].source.fd >= 0)
		i++;
	if (i == GUESTS_MAX) {
		close(fd);
		return;
	}
	health->guests[i] = (struct health_guest){.health = health,
		.source = {.fd = fd, .fn = on_guest, .context = &health->guests[i]}};
	if (loop_add(health->loop, &health->guests[i].source, LOOP_READ, &err))
		guest_close(&health->guests[i]);
}

static void turn_loop(void *loop)
{
	loop_turn(loop, UINT64_MAX);
}

int __wrap_health_open(struct health **out, const char *node, const struct net_address *address,
	uint64_t loop_limit_ms, struct error *err)
{
	struct health *health = memory_zalloc(sizeof(*health));

	(void)node;
	*out = health;
	health->next = healths;
	healths = health;
	health->process = machine_now->current;
	health->loop_limit_ms = loop_limit_ms;
	health->beat_us = now_us(health);
	health->broker = -1;
	health->listener = LISTENER_CLOSED;
	for (uint32_t i = 0; i < GUESTS_MAX; i++)
		health->guests[i].source.fd = -1;
	if (loop_new(&health->loop, err))
		return -1;
	health->listener = (struct listener){.fn = on_guest_comes,
		.context = health,
		.component = "health",
		.accepts_a_turn = 8};
	if (listener_open(&health->listener, health->loop, address, err))
		return -1;
	health->task = machine_task_new(health->process, turn_loop, health->loop);
	return 0;
}

void __wrap_health_close(struct health *health)
{
	struct health **at = &healths;

	if (!health)
		return;
	while (*at != health)
		at = &(*at)->next;
	*at = health->next;
	for (uint32_t i = 0; i < GUESTS_MAX; i++)
		guest_close(&health->guests[i]);
	listener_close(&health->listener);
	loop_free(health->loop);
	if (health->task)
		machine_task_free(health->task);
	free(health);
}

void __wrap_health_beat(struct health *health)
{
	if (health)
		health->beat_us = now_us(health);
}

void __wrap_health_set_state(struct health *health, enum health_state state)
{
	if (health)
		health->state = state;
}

void __wrap_health_set_broker(struct health *health, bool connected)
{
	if (health)
		health->broker = connected;
}

void __wrap_health_publish(struct health *health, const char *json, size_t size)
{
	if (health && !health->process->dead)
		stand_ins->on_status(stand_ins->context, health->process, json, size);
}

/* --- whoever starts nodes again ------------------------------------------------------------------
 */

struct errand {
	struct driver *driver;
	uint32_t node;
	struct roster_node which;
	struct loop_timer timer;
	bool late;
	struct errand *next;
};

struct driver {
	struct loop *loop;
	struct machine_process *process;
	driver_done done;
	void *context;
	struct errand *errands;
};

extern struct driver *__wrap_driver_new(struct loop *loop, const struct config *config,
	const char *log_folder, driver_done done, void *context);
extern void __wrap_driver_free(struct driver *driver);
extern void __wrap_driver_restart(
	struct driver *driver, uint32_t node, const struct roster_node *which, const char *reason);
extern bool __wrap_driver_lives(const struct driver *driver, const struct roster_node *which);

struct driver *__wrap_driver_new(struct loop *loop, const struct config *config,
	const char *log_folder, driver_done done, void *context)
{
	struct driver *driver = memory_zalloc(sizeof(*driver));

	(void)config;
	(void)log_folder;
	*driver = (struct driver){
		.loop = loop, .process = machine_now->current, .done = done, .context = context};
	return driver;
}

void __wrap_driver_free(struct driver *driver)
{
	if (!driver)
		return;
	while (driver->errands) {
		struct errand *errand = driver->errands;

		driver->errands = errand->next;
		loop_timer_cancel(driver->loop, &errand->timer);
		free(errand);
	}
	free(driver);
}

static void errand_end(struct errand *errand, const char *why)
{
	struct driver *driver = errand->driver;
	struct errand **at = &driver->errands;
	uint32_t node = errand->node;

	while (*at != errand)
		at = &(*at)->next;
	*at = errand->next;
	free(errand);
	driver->done(driver->context, node, why);
}

static void on_errand(void *context)
{
	struct errand *errand = context;
	struct driver *driver = errand->driver;

	if (errand->late)
		errand_end(errand, "the restart command was killed");
	else if (stand_ins->on_restart(stand_ins->context, driver->process, &errand->which))
		errand_end(errand, NULL);
	else {
		struct rng *rng = &driver->process->machine->rng;

		errand->late = true;
		loop_timer_set(driver->loop, &errand->timer,
			1 + rng_below(rng, rng_below(rng, HOPELESS_OF) == 0 ? HOPELESS_MS
									    : UNREACHABLE_MS));
	}
}

void __wrap_driver_restart(
	struct driver *driver, uint32_t node, const struct roster_node *which, const char *reason)
{
	struct errand *errand = memory_zalloc(sizeof(*errand));

	stand_ins->on_order(stand_ins->context, driver->process, which, reason);
	*errand = (struct errand){.driver = driver,
		.node = node,
		.which = *which,
		.timer = {.fn = on_errand, .context = errand},
		.next = driver->errands};
	driver->errands = errand;
	loop_timer_set(driver->loop, &errand->timer,
		COMMAND_MS_MIN + rng_below(&driver->process->machine->rng, COMMAND_MS));
}

/* They are on other hosts. */
bool __wrap_driver_lives(const struct driver *driver, const struct roster_node *which)
{
	(void)driver;
	(void)which;
	return false;
}

/* --- descriptors for a process of the same host --------------------------------------------------
 */

struct fd_passing {
	struct machine_process *process;
	char name[NET_ADDRESS_TEXT];
	fd_passing_taken taken;
	void *context;
	int given[PASSED_MAX]; /* and not taken yet, the oldest first */
	uint32_t count;
	struct fd_passing *next;
};

static struct fd_passing *takers;

extern int __wrap_fd_passing_listen(struct fd_passing **out, struct loop *loop,
	const char *component, const char *name, fd_passing_taken taken, void *context,
	struct error *err);
extern void __wrap_fd_passing_free(struct fd_passing *passing);
extern bool __wrap_fd_passing_give(int *link, const char *name, int fd);

int __wrap_fd_passing_listen(struct fd_passing **out, struct loop *loop, const char *component,
	const char *name, fd_passing_taken taken, void *context, struct error *err)
{
	struct fd_passing *passing = memory_zalloc(sizeof(*passing));

	(void)loop;
	(void)component;
	(void)err;
	passing->process = machine_now->current;
	snprintf(passing->name, sizeof(passing->name), "%s", name);
	passing->taken = taken;
	passing->context = context;
	passing->next = takers;
	takers = passing;
	*out = passing;
	return 0;
}

void __wrap_fd_passing_free(struct fd_passing *passing)
{
	struct fd_passing **at = &takers;

	if (!passing)
		return;
	while (*at != passing)
		at = &(*at)->next;
	*at = passing->next;
	sim_events_cancel(passing->process->machine->events, passing);
	for (uint32_t i = 0; i < passing->count; i++)
		close(passing->given[i]);
	free(passing);
}

static void on_passed(void *context, uint64_t argument)
{
	struct fd_passing *passing = context;
	struct machine_process *before;
	int fd = passing->given[0];

	(void)argument;
	if (passing->process->paused) {
		sim_events_add(passing->process->machine->events, PASSED_US, on_passed, passing, 0);
		return;
	}
	memmove(passing->given, passing->given + 1, --passing->count * sizeof(int));
	before = machine_enter(passing->process);
	passing->taken(passing->context, fd);
	machine_leave(before);
	for (uint32_t i = 0; i < MACHINE_TASKS_MAX; i++)
		if (passing->process->tasks[i].process)
			machine_task_wake(&passing->process->tasks[i]);
}

bool __wrap_fd_passing_give(int *link, const char *name, int fd)
{
	struct machine *machine = machine_now;
	struct fd_passing *passing = takers;

	(void)link;
	while (passing && (passing->process->host != machine->current->host ||
				  strcmp(passing->name, name) != 0))
		passing = passing->next;
	if (!passing || passing->process->dead || passing->count == PASSED_MAX)
		return false;
	fd = machine_pass(fd, passing->process);
	if (fd < 0)
		return false;
	passing->given[passing->count++] = fd;
	sim_events_add(
		machine->events, 1 + rng_below(&machine->rng, PASSED_US), on_passed, passing, 0);
	return true;
}
