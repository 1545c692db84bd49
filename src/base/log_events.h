/*
 * Every event that a process may log: its name, how bad it is, its fields in their order, and what
 * it means. tools/log_events.py makes the list in docs/operating.md from it; `make lint` checks it.
 *
 * A field with a question mark may be missing.
 */
#ifndef BASE_LOG_EVENTS_H
#define BASE_LOG_EVENTS_H

/* clang-format off */
#define LOG_EVENTS(EVENT) \
	/* every process */ \
	EVENT(STARTED, INFO, "pid cluster", "the process has its place, its ports and its disk") \
	EVENT(READY, INFO, "incarnation", "the node has read the control log and takes part") \
	EVENT(ENDING, INFO, "backlog? clients?", "it was asked to end and finishes what it has begun") \
	EVENT(ENDED, INFO, "", "it has ended as it was asked to") \
	EVENT(STOPPED, ERROR, "reason", "it ends because it must not go on") \
	EVENT(LOG_REOPENED, INFO, "", "after SIGHUP: from here on it writes to a new file of the old name") \
	EVENT(LOG_NOT_REOPENED, WARN, "reason", "after SIGHUP: that file cannot be opened, and it goes on with the one before") \
	/* jobs */ \
	EVENT(JOB_OPENED, INFO, "job queries tables", "a job has begun; the collector says so") \
	EVENT(JOB_DONE, INFO, "job", "all results of a job are there; the collector says so") \
	EVENT(JOB_FAILED, WARN, "job reason", "a job cannot be finished; its client gets the reason") \
	EVENT(JOB_GONE, INFO, "job", "a job was cancelled or has expired; the collector says so") \
	/* connections of clients */ \
	EVENT(LISTENING, INFO, "address gateways?", "clients can connect") \
	EVENT(CLIENT_TURNED_AWAY, INFO, "connection from? reason", "a client that may not use the cluster") \
	EVENT(AUDIT, INFO, "action job user? connection from?", "a client did something with a job: open, resume, fetch, cancel; or was refused one, or one that is not known") \
	EVENT(OPEN_TO_ALL, INFO, "", "neither token nor users: whoever reaches the gateway is served") \
	EVENT(USERS_READ, INFO, "", "the file of users has changed and is in use") \
	EVENT(USERS_BAD, WARN, "reason", "it has changed and cannot be used: the users are those from before") \
	EVENT(TLS_FILES_READ, INFO, "", "a certificate, key or authorities have changed and are in use") \
	EVENT(TLS_FILES_BAD, WARN, "reason", "they have changed and cannot be used: those from before still are") \
	EVENT(CONNECTION_CLOSED, WARN, "connection bytes? reason", "a client that broke a rule or a limit") \
	EVENT(CONNECTION_REFUSED, WARN, "reason", "a connection could not be taken") \
	EVENT(ACCEPT_FAILED, WARN, "reason", "no connection can be taken for a while") \
	EVENT(CONNECT_FAILED, WARN, "reason", "the proxy could not connect to a gateway for a client") \
	EVENT(NO_HANDOVER, WARN, "reason", "the proxy cannot hand connections over and copies bytes") \
	EVENT(PLACE_LOST, ERROR, "reason", "the file of the process in run/ was deleted and is another's now, or the cluster was ended: it ends") \
	EVENT(FEW_FILES, WARN, "limit wanted advice", "the limit on open files allows fewer connections than the cluster file") \
	EVENT(GATEWAY_UP, INFO, "address", "the proxy sends clients there") \
	EVENT(GATEWAY_TAKES_NOBODY, INFO, "address", "a gateway that is starting or ending") \
	EVENT(GATEWAY_DOWN, WARN, "address clients reason", "the proxy sends nobody there until it answers") \
	/* the broker */ \
	EVENT(BROKER_CONNECTED, INFO, "node connection epoch host port", "a connection to the broker is up") \
	EVENT(BROKER_LOST, WARN, "node connection epoch reason", "it broke and is being made again") \
	EVENT(BROKER_AWAY, WARN, "node connection attempts reason", "the broker cannot be reached; attempts go on") \
	EVENT(BROKER_BLOCKS, WARN, "node connection", "the broker takes nothing: its disk or memory is full") \
	EVENT(BROKER_UNBLOCKS, INFO, "node connection", "it takes messages again") \
	EVENT(QUEUE_LOST, WARN, "node queue", "another process reads the queue of this node") \
	EVENT(QUEUE_DIFFERS, WARN, "node queue wanted", "the queue is of another type; it is used as it is") \
	EVENT(LOG_LOST, WARN, "node offset", "the control log is not the one that was read before") \
	EVENT(DEAD_LETTER, WARN, "node queue attempts bytes", "a message that nobody could finish with is set aside") \
	EVENT(MESSAGE_FORGED, WARN, "node queue", "a message that was not made with the cluster's key is dropped") \
	EVENT(MESSAGE_TOO_LARGE, WARN, "node bytes", "a message above the limit is skipped") \
	/* what nodes read */ \
	EVENT(MESSAGE_DROPPED, WARN, "reason", "a message that makes no sense") \
	EVENT(MESSAGE_DEAD, WARN, "attempts bytes", "a message that nobody could finish with; its job fails") \
	EVENT(LOG_ENTRY_IGNORED, WARN, "offset reason", "an entry of the control log that makes no sense") \
	EVENT(LOG_DOWN, WARN, "node instead", "the broker cannot open the control log any more: another one takes its place") \
	EVENT(LOG_DOUBTED, WARN, "generation reason", "the control log lacks what this node has read: another one is asked for") \
	EVENT(LOG_BEGUN, INFO, "generation jobs", "the collector has begun a control log") \
	EVENT(LOG_COPY, INFO, "offset", "the node starts with its own copy of the control log") \
	/* the disk */ \
	EVENT(DISK_TROUBLE, WARN, "reason", "nothing is acknowledged until the disk can be written") \
	EVENT(DISK_SHORT, WARN, "", "the disk is nearly full, or disk_max nearly reached: no new jobs") \
	EVENT(RESULTS_LOST, WARN, "job reason", "results of a job that is done cannot be read any more: its client is told") \
	EVENT(RESULTS_DROPPED, WARN, "job reason", "a gateway's copy of results is damaged; it asks for another") \
	EVENT(FOLDER_LEFT, WARN, "name reason", "a folder could not be removed; the next start tries again") \
	EVENT(RESULTS_UNREADABLE, WARN, "job reason", "results on the disk could not be read; it is tried again") \
	/* watchers */ \
	EVENT(LEADS, INFO, "term", "this watcher looks after the nodes") \
	EVENT(LEADS_NO_MORE, INFO, "term", "another one does") \
	EVENT(FOLLOWS, INFO, "leader term", "which watcher leads, as this one sees it") \
	EVENT(ALONE, WARN, "", "the leader hears no node and no watcher, and starts nobody until it does") \
	EVENT(ALONE_NO_MORE, INFO, "", "it hears somebody and looks at everything anew") \
	EVENT(STRANGER_REFUSED, WARN, "times", "connections to a watcher that came from no watcher") \
	EVENT(NODE_GREEN, INFO, "node restarts detail", "a node is well") \
	EVENT(NODE_STARTING, INFO, "node restarts detail", "a node is there and not ready yet") \
	EVENT(NODE_RED, WARN, "node restarts detail", "a node says that it is not well") \
	EVENT(NODE_SILENT, WARN, "node restarts detail", "a node does not answer") \
	EVENT(NODE_GONE, WARN, "node restarts detail", "there is no process where the node should be") \
	EVENT(NODE_UNKNOWN, WARN, "node restarts detail", "nothing is known about a node yet") \
	EVENT(FIRST_START, INFO, "node term", "a node is started that has not run before") \
	EVENT(RESTART, WARN, "node reason restarts term flapping?", "a node is started again") \
	EVENT(RESTART_FAILED, ERROR, "node reason", "the command that starts a node failed") \
	EVENT(BROKER_RESTART, WARN, "pid", "the private RabbitMQ is started again") \
	EVENT(BROKER_RESTART_FAILED, ERROR, "reason", "it could not be started")
/* clang-format on */

#endif
