/*
 * Machines in one process: hosts with addresses, processes with descriptors, and the network
 * between them, on virtual time and by one seed. The code above it is the product's, down to its
 * event loop: the linker hands every call of the system that net/ makes to calls.c (--wrap, see the
 * Makefile), and that one hands those of simulated processes to this file.
 *
 * A process has tasks, as a real one has threads; each task turns an event loop. epoll_wait never
 * waits here: it tells the machine for how long the task would, and the task's next turn comes then,
 * or when one of its descriptors gets ready. Nothing runs but from the events of sim_events.
 *
 * The network is TCP as its users see it. Bytes of one direction arrive in order, after delays, in
 * pieces of any size; connections among each other in any order. Between two hosts that are cut
 * nothing arrives, and nobody is told. When the cut ends, what was sent comes after a while; what
 * was not acknowledged for TCP_USER_TIMEOUT ends the sender's side. A process that ends closes its
 * sockets; a host that vanishes does not, and who writes to it when it is back is told so.
 */
#ifndef SIM_HOSTS_MACHINE_H
#define SIM_HOSTS_MACHINE_H

#include "base/buf.h"
#include "base/log.h"
#include "base/rng.h"
#include "transport/sim_events.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define MACHINE_HOSTS_MAX     32u
#define MACHINE_FILES_MAX     4096u
#define MACHINE_PROCESS_NAME  32
#define MACHINE_FD_BASE	      100000 /* no real descriptor is as high */
#define MACHINE_TASKS_MAX     2u
#define MACHINE_SEGMENT_BYTES 16384u

struct machine;
struct machine_process;
struct machine_file;

/* One turn of an event loop: it calls epoll_wait once. */
typedef void (*machine_turn)(void *context);

struct machine_task {
	struct machine_process *process; /* NULL: the place is free */
	machine_turn turn;
	void *context;
	bool stuck;   /* it stands still, the others of its process do not */
	bool due;     /* a turn was due while it could not have one */
	bool soon;    /* its next turn comes at once */
	bool again;   /* of this turn: something happened, and the loop has to be asked anew */
	uint32_t row; /* of such turns */
	uint64_t wait_ms;
	uint64_t wake; /* events of an older number are void */
};

struct machine_process {
	struct machine *machine;
	char name[MACHINE_PROCESS_NAME];
	uint32_t host;
	bool paused;
	bool dead; /* its descriptors are closed; its memory is about to be freed */
	struct machine_task tasks[MACHINE_TASKS_MAX];
	struct machine_process *next;
};

struct machine_faults {
	uint64_t delay_us;     /* up to which bytes take */
	uint32_t window_bytes; /* that one direction of a connection holds */
	uint32_t pipe_bytes;
	uint32_t piece_ppm;    /* of reads and writes: they move less than they could */
	uint32_t no_files_ppm; /* of new descriptors: there is none */
	uint32_t break_ppm;    /* of segments: their connection is reset instead */
};

struct machine_counts {
	uint64_t connections;
	uint64_t refused;
	uint64_t resets;
	uint64_t timeouts;
	uint64_t stalls; /* of bytes, by a cut */
	uint64_t no_files;
	uint64_t pieces;
	uint64_t passed; /* descriptors, from process to process */
	uint64_t spliced;
	uint64_t turns;
};

/* A descriptor. Several may name the same file. */
struct machine_slot {
	struct machine_process *process; /* NULL: free */
	struct machine_file *file;	 /* NULL: its process is dead and has not closed it yet */
};

struct machine {
	struct sim_events *events;
	struct rng rng;
	struct machine_faults faults;
	struct machine_counts counts;
	struct machine_process *processes;
	struct machine_process *current; /* whose code runs; NULL: nobody's */
	struct machine_task *current_task;
	struct machine_slot slots[MACHINE_FILES_MAX];
	struct machine_file *listeners;
	struct machine_stream *streams; /* directions of all connections */
	uint64_t file_number;
	bool silent; /* what is closed now vanishes */
	bool cut[MACHINE_HOSTS_MAX][MACHINE_HOSTS_MAX];
	uint64_t healed_us[MACHINE_HOSTS_MAX][MACHINE_HOSTS_MAX]; /* the end of the last cut */
	uint64_t cut_us[MACHINE_HOSTS_MAX][MACHINE_HOSTS_MAX];	  /* the begin of the last cut */
	char problem[256]; /* "": none; what no process may ever do */
	/* What processes say; NULL: nobody listens. */
	void (*on_log)(void *context, const char *name, const char *line);
	void *log_context;
};

/* The one that calls.c asks; there is one at a time. NULL: all calls are the system's. */
extern struct machine *machine_now;

void machine_init(struct machine *machine, struct sim_events *events, uint64_t seed);
/* All processes have ended by then. */
void machine_release(struct machine *machine);
/* The first problem stays. */
void machine_complain(struct machine *machine, const char *format, ...) PRINTF_LIKE(2, 3);

/* --- processes ---------------------------------------------------------------------------------*/

struct machine_process *machine_process_new(
	struct machine *machine, uint32_t host, const char *name);
/* A task of the process; its first turn comes soon. */
struct machine_task *machine_task_new(
	struct machine_process *process, machine_turn turn, void *context);
void machine_task_free(struct machine_task *task);
/* Something was changed from outside of its loop: it has to look. */
void machine_task_wake(struct machine_task *task);

/* Code that runs between them is the process's. May be nested: returns who it was before. */
struct machine_process *machine_enter(struct machine_process *process);
void machine_leave(struct machine_process *before);

/*
 * All its connections end now; with `silent` without a word, as when its host loses power. From now
 * on its calls do nothing. What it has in memory is then freed by its own code, which closes every
 * descriptor that it had, and machine_process_free complains of those it has forgotten.
 */
void machine_process_kill(struct machine_process *process, bool silent);
void machine_process_free(struct machine_process *process);
/* SIGSTOP and SIGCONT. */
void machine_process_pause(struct machine_process *process, bool paused);
void machine_task_stick(struct machine_task *task, bool stuck);
/* Sockets that are open, listeners left out. */
uint32_t machine_process_sockets(const struct machine_process *process);

/* --- the network -------------------------------------------------------------------------------*/

/* Nothing passes between the two hosts, or does again. */
void machine_cut(struct machine *machine, uint32_t a, uint32_t b, bool cut);
bool machine_is_cut(const struct machine *machine, uint32_t a, uint32_t b);
/* Since when they have been connected without a pause. */
uint64_t machine_connected_since_us(const struct machine *machine, uint32_t a, uint32_t b);
/* 10.0.0.(host + 1) */
void machine_host_text(uint32_t host, char text[16]);

/* --- what calls.c needs: as the system's calls, with errno ---------------------------------------*/

bool machine_owns(int fd);
int machine_socket(void);
int machine_bind(int fd, const struct sockaddr *address);
int machine_listen(int fd);
int machine_accept(int fd);
int machine_connect(int fd, const struct sockaddr *address);
int machine_socket_error(int fd);
void machine_set_user_timeout(int fd, uint32_t ms);
ssize_t machine_send(int fd, const void *bytes, size_t size);
ssize_t machine_recv(int fd, void *bytes, size_t size);
int machine_shutdown(int fd);
int machine_close(int fd);
int machine_dup(int fd);
int machine_pipe(int ends[2]);
ssize_t machine_splice(int from, int to, size_t size);
int machine_epoll_create(void);
int machine_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event);
int machine_epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms);
/* The descriptor is another process's from now on; the giver's is closed. Its new number, or -1. */
int machine_pass(int fd, struct machine_process *to);

/* --- between the files of the machine ------------------------------------------------------------*/

enum machine_file_kind {
	FILE_SOCKET, /* not bound or connected yet */
	FILE_LISTENER,
	FILE_STREAM, /* one end of a connection */
	FILE_PIPE_READ,
	FILE_PIPE_WRITE,
	FILE_EPOLL,
};

/* Bytes, or the end, on their way. */
struct machine_segment {
	struct machine_segment *next;
	size_t size;
	bool end;
	bool reset;
	uint8_t bytes[];
};

/* One direction of a connection. */
struct machine_stream {
	struct machine *machine;
	struct machine_stream *next, *previous; /* in the machine's list */
	struct machine_stream *other;		/* the other direction */
	uint32_t from_host, to_host;
	struct machine_file *from; /* NULL: closed, or its host has forgotten it */
	struct machine_file *to;   /* NULL: likewise, or not accepted by the other host yet */
	uint16_t to_port;	   /* where a connection is asked for */
	struct machine_segment *first, **last;
	size_t flight; /* bytes in them */
	uint64_t last_us;
	uint64_t
		stalled_us; /* since when the first segment waits for a cut to end; 0: it does not */
	uint64_t stall;	    /* events of an older number are void */
	uint32_t missed;    /* segments that should have arrived meanwhile */
	bool asks;	    /* the next segment is the request to connect */
};

struct machine_pipe {
	struct buf bytes;
	uint64_t origin; /* the socket whose bytes it holds */
	struct machine_file *read, *write;
};

struct machine_interest {
	struct machine_interest *next;
	int fd;
	struct machine_file *file;
	uint32_t events;
	epoll_data_t data;
};

struct machine_file {
	enum machine_file_kind kind;
	struct machine *machine;
	struct machine_process *process;
	uint64_t number; /* never used again */
	uint32_t refs;
	struct machine_file *epoll; /* that waits for it; NULL: none */
	/* Listeners, and sockets that are to become one. */
	uint16_t port;
	struct machine_file *next;   /* of all listeners */
	struct machine_file *queue;  /* connections to be accepted, the oldest first ... */
	struct machine_file *queued; /* ... by this */
	/* Ends of connections. */
	struct machine_stream *in, *out; /* NULL: it is over */
	bool connecting;
	struct buf received;
	size_t taken; /* of received */
	bool ended;   /* the other side has said that nothing more comes */
	bool shut;    /* we have */
	int error;
	uint64_t user_timeout_us;
	uint64_t
		partner; /* the socket that its bytes go to and come from, through a pipe; 0: none */
	/* Pipes. */
	struct machine_pipe *pipe;
	/* Epoll. */
	struct machine_interest *interests;
	struct machine_task *task;
};

struct machine_file *machine_file_new(struct machine *machine, enum machine_file_kind kind);
/* A descriptor of the current process; -1 with EMFILE. */
int machine_fd_new(struct machine_file *file);
struct machine_file *machine_file_of(int fd);
void machine_file_unref(struct machine_file *file);
/* Whoever waits for it is told. */
void machine_file_changed(struct machine_file *file);
uint32_t machine_file_ready(const struct machine_file *file);
/* The end of a connection is given up by its process, or, `silent`, by its host. */
void machine_stream_close(struct machine_file *file, bool silent);
void machine_streams_healed(struct machine *machine, uint32_t a, uint32_t b);
size_t machine_some(struct machine *machine, size_t size);

#endif
