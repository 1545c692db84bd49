/*
 * Every number that a node tells at /metrics. Code and docs/metrics.md are made from here:
 * TAMIZ_WRITE_PAGE=1 build/tests/unit/base/test_metrics writes the page.
 *
 *   METRIC(id, kind, unit, nodes, name, label, help)
 *
 * kind    COUNTER, GAUGE or HISTOGRAM
 * unit    COUNT or BYTES: as they are; SECONDS: counted in microseconds, told in seconds
 * nodes   who tells it, by first letters: proxy, gateway, filter, reducer, collector, watcher
 * name    without "tamiz_", as Prometheus wants it: a counter ends in _total, and a unit stands in it
 * label   which of those with the same name, or ""; these stand together, and the first has the help
 */
#ifndef BASE_METRIC_TABLE_H
#define BASE_METRIC_TABLE_H

/* clang-format off */
#define METRICS(METRIC) \
	/* every node */ \
	METRIC(NODE_HEALTHY, GAUGE, COUNT, "pgfrcw", "node_healthy", "", "1 while GET /health says 200") \
	METRIC(NODE_READY, GAUGE, COUNT, "pgfrcw", "node_ready", "", "1 while GET /ready says 200") \
	METRIC(START_TIME, GAUGE, SECONDS, "pgfrcw", "process_start_time_seconds", "", "when the process began, since 1970; a restart changes it") \
	METRIC(CPU, COUNTER, SECONDS, "pgfrcw", "process_cpu_seconds_total", "", "processor time of the process") \
	METRIC(RESIDENT, GAUGE, BYTES, "pgfrcw", "process_resident_memory_bytes", "", "memory of the process") \
	METRIC(OPEN_FILES, GAUGE, COUNT, "pgfrcw", "process_open_fds", "", "files and connections that are open") \
	METRIC(FILES_MAX, GAUGE, COUNT, "pgfrcw", "process_max_fds", "", "how many there may be") \
	METRIC(LOOP_TURN, HISTOGRAM, SECONDS, "pgfrcw", "loop_turn_seconds", "", "a turn of the event loop, without its wait: what else comes has to wait so long") \
	METRIC(LOG_INFO, COUNTER, COUNT, "pgfrcw", "log_lines_total", "level=\"info\"", "lines of the log") \
	METRIC(LOG_WARN, COUNTER, COUNT, "pgfrcw", "log_lines_total", "level=\"warn\"", "") \
	METRIC(LOG_ERROR, COUNTER, COUNT, "pgfrcw", "log_lines_total", "level=\"error\"", "") \
	/* the broker */ \
	METRIC(BROKER_CONNECTED, GAUGE, COUNT, "gfrc", "broker_connected", "", "1 while the node has its connections to the broker") \
	METRIC(BROKER_CONNECTS, COUNTER, COUNT, "gfrc", "broker_connects_total", "", "connections to the broker that were made; each node has two") \
	METRIC(BROKER_LOSSES, COUNTER, COUNT, "gfrc", "broker_losses_total", "", "connections to the broker that broke") \
	METRIC(BROKER_BLOCKED, GAUGE, COUNT, "gfrc", "broker_blocked_connections", "", "connections on which the broker takes nothing: its disk or memory is full") \
	METRIC(PUBLISHED_MESSAGES, COUNTER, COUNT, "gfrc", "broker_published_messages_total", "", "messages given to the broker, those that were sent again too") \
	METRIC(PUBLISHED_BYTES, COUNTER, BYTES, "gfrc", "broker_published_bytes_total", "", "their bytes") \
	METRIC(CONFIRM, HISTOGRAM, SECONDS, "gfrc", "broker_confirm_seconds", "", "from giving a message to the broker until it confirms it") \
	METRIC(UNCONFIRMED, GAUGE, BYTES, "gfrc", "broker_unconfirmed_bytes", "", "on their way to the broker, and not confirmed yet") \
	METRIC(DELIVERED_MESSAGES, COUNTER, COUNT, "gfrc", "broker_delivered_messages_total", "", "messages that came from the queue of the node") \
	METRIC(DELIVERED_BYTES, COUNTER, BYTES, "gfrc", "broker_delivered_bytes_total", "", "their bytes") \
	METRIC(REDELIVERED_MESSAGES, COUNTER, COUNT, "gfrc", "broker_redelivered_messages_total", "", "those among them that had been delivered before") \
	METRIC(LOG_ENTRIES, COUNTER, COUNT, "gfrc", "control_log_entries_total", "", "entries of the control log that came from the broker") \
	/* clients */ \
	METRIC(CLIENTS, GAUGE, COUNT, "pg", "client_connections", "", "connections of clients that are open; of a proxy, those whose bytes it copies") \
	METRIC(CLIENTS_OPENED, COUNTER, COUNT, "pg", "client_connections_opened_total", "", "connections of clients that were taken") \
	METRIC(CLIENTS_REFUSED, COUNTER, COUNT, "pg", "client_connections_refused_total", "", "connections for which there was no place") \
	METRIC(CLIENTS_EXPELLED, COUNTER, COUNT, "g", "client_connections_expelled_total", "", "connections that broke a rule or a limit") \
	METRIC(HANDED_OVER, COUNTER, COUNT, "p", "proxy_handed_over_total", "", "connections that were given to a gateway of the same machine") \
	METRIC(GATEWAYS_UP, GAUGE, COUNT, "p", "proxy_gateways_up", "", "gateways that get clients") \
	/* chunks: what clients send */ \
	METRIC(RECEIVED_CHUNKS, COUNTER, COUNT, "g", "received_chunks_total", "", "chunks of tables from clients") \
	METRIC(RECEIVED_BYTES, COUNTER, BYTES, "g", "received_bytes_total", "", "their bytes of CSV") \
	METRIC(RECEIVED_ROWS, COUNTER, COUNT, "g", "received_rows_total", "", "their rows, those that could not be read too") \
	METRIC(REJECTED_ROWS, COUNTER, COUNT, "g", "rejected_rows_total", "", "rows that could not be read") \
	METRIC(CHUNK, HISTOGRAM, SECONDS, "g", "chunk_seconds", "", "from a chunk's arrival until its client hears that nothing can lose it any more") \
	METRIC(RESULT_BYTES, COUNTER, BYTES, "g", "result_bytes_total", "", "bytes of results that were sent to clients") \
	METRIC(MAPPED_CHUNKS, COUNTER, COUNT, "gf", "mapped_chunks_total", "", "chunks that were read and made into packets, or counted for filters") \
	METRIC(MAPPED_ROWS, COUNTER, COUNT, "gf", "mapped_rows_total", "", "their rows") \
	/* packets: what reducers and the collector fold */ \
	METRIC(PACKETS_ABSORBED, COUNTER, COUNT, "rc", "packets_absorbed_total", "", "packets that were new, and went into a journal") \
	METRIC(PACKETS_REPEATED, COUNTER, COUNT, "rc", "packets_repeated_total", "", "packets that had been absorbed before") \
	METRIC(PACKETS_FOLDED, COUNTER, COUNT, "rc", "packets_folded_total", "", "packets that folds have taken in: one for each fold that it is for, and after a restart those of a journal again") \
	METRIC(WORK, HISTOGRAM, SECONDS, "grc", "work_seconds", "", "a piece of work beside the event loop: a chunk that is mapped, or packets for a fold") \
	METRIC(WORK_WAIT, HISTOGRAM, SECONDS, "grc", "work_wait_seconds", "", "for how long it had waited for its turn: the lag of folds") \
	METRIC(WORK_WAITING, GAUGE, COUNT, "grc", "work_waiting", "", "pieces of work that wait for their turn") \
	METRIC(WORK_RUNNING, GAUGE, COUNT, "grc", "work_running", "", "pieces of work that are under way") \
	/* disk and memory */ \
	METRIC(DISK_SYNC, HISTOGRAM, SECONDS, "grc", "disk_sync_seconds", "", "a sync of a journal or of results") \
	METRIC(DISK_WRITTEN, COUNTER, BYTES, "grc", "disk_written_bytes_total", "", "bytes written to journals, results and temporary files") \
	METRIC(DISK_READ, COUNTER, BYTES, "grc", "disk_read_bytes_total", "", "bytes read back from them") \
	METRIC(DISK_FREE, GAUGE, BYTES, "grc", "disk_free_bytes", "", "what is free where the node keeps its folder") \
	METRIC(DISK_SIZE, GAUGE, BYTES, "grc", "disk_size_bytes", "", "how large that file system is") \
	METRIC(MEMORY_FRAMES, GAUGE, BYTES, "g", "memory_bytes", "purpose=\"frames\"", "memory, by what it is for") \
	METRIC(MEMORY_PACKETS, GAUGE, BYTES, "rc", "memory_bytes", "purpose=\"packets\"", "memory, by what it is for") \
	METRIC(MEMORY_FOLDS, GAUGE, BYTES, "rc", "memory_bytes", "purpose=\"folds\"", "memory, by what it is for") \
	METRIC(MEMORY_FOLDS_MAX, GAUGE, BYTES, "rc", "memory_folds_max_bytes", "", "what folds may hold of it: memory in the cluster file") \
	METRIC(TEMP_WRITTEN, COUNTER, BYTES, "rc", "temporary_written_bytes_total", "", "bytes, compressed, that folds had no memory for and wrote to temporary files") \
	METRIC(TEMP_HELD, GAUGE, BYTES, "rc", "temporary_bytes", "", "bytes that are in temporary files now") \
	/* jobs */ \
	METRIC(JOBS_RECEIVING, GAUGE, COUNT, "c", "jobs", "state=\"receiving\"", "jobs that the cluster knows; failed ones until they expire") \
	METRIC(JOBS_WORKING, GAUGE, COUNT, "c", "jobs", "state=\"working\"", "") \
	METRIC(JOBS_DONE, GAUGE, COUNT, "c", "jobs", "state=\"done\"", "") \
	METRIC(JOBS_FAILED, GAUGE, COUNT, "c", "jobs", "state=\"failed\"", "") \
	METRIC(ENDED_DONE, COUNTER, COUNT, "c", "jobs_ended_total", "as=\"done\"", "jobs that ended while the collector ran") \
	METRIC(ENDED_FAILED, COUNTER, COUNT, "c", "jobs_ended_total", "as=\"failed\"", "") \
	METRIC(OPENED, COUNTER, COUNT, "c", "jobs_opened_total", "", "jobs that were opened while the collector ran") \
	METRIC(GONE, COUNTER, COUNT, "c", "jobs_gone_total", "", "jobs that were cancelled, or have expired") \
	/* watchers */ \
	METRIC(LEADS, GAUGE, COUNT, "w", "watcher_leads", "", "1 for the watcher that looks after the nodes") \
	METRIC(TERM, GAUGE, COUNT, "w", "watcher_term", "", "counts elections, over all watchers") \
	METRIC(ELECTIONS, COUNTER, COUNT, "w", "watcher_elections_total", "", "elections that this watcher has won") \
	METRIC(RESTARTS, COUNTER, COUNT, "w", "node_restarts_total", "", "nodes that this watcher has started again") \
	METRIC(NODES_GREEN, GAUGE, COUNT, "w", "watched_nodes", "state=\"green\"", "nodes by their state, as the watcher that leads sees them") \
	METRIC(NODES_STARTING, GAUGE, COUNT, "w", "watched_nodes", "state=\"starting\"", "") \
	METRIC(NODES_RED, GAUGE, COUNT, "w", "watched_nodes", "state=\"red\"", "") \
	METRIC(NODES_SILENT, GAUGE, COUNT, "w", "watched_nodes", "state=\"silent\"", "") \
	METRIC(NODES_GONE, GAUGE, COUNT, "w", "watched_nodes", "state=\"gone\"", "") \
	METRIC(NODES_UNKNOWN, GAUGE, COUNT, "w", "watched_nodes", "state=\"unknown\"", "")
/* clang-format on */

#endif
