/*
 * Three RabbitMQs that form one cluster, for tests/cluster/quorum.
 *
 * usage: three_brokers FOLDER
 *
 * Prints the URL of each in a line, then reads commands and answers each with "done": "kill N" is
 * a SIGKILL, "start N" starts it again and waits until it is ready. When there are no more, all are
 * stopped; and when this process dies they do, too.
 */
#include "base/digits.h"
#include "cluster/broker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BROKERS	 3u
#define LINE_MAX 64

static struct broker *brokers[BROKERS];

static int start_brokers(const char *folder, struct error *err)
{
	for (uint32_t i = 0; i < BROKERS; i++) {
		char name[16], path[4096];
		const struct broker_options options = {
			.name = name, .join = i ? brokers[0] : NULL, .dies_with_parent = true};

		snprintf(name, sizeof(name), "node%u", i);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (broker_start(&brokers[i], path, &options, err) ||
			broker_wait_ready(brokers[i], 0, err))
			return -1;
		printf("%s\n", broker_url(brokers[i]));
	}
	return fflush(stdout);
}

/* Whether the line is the command and the number of a broker. */
static bool is_command(const char *line, const char *command, uint64_t *i)
{
	size_t size = strlen(command);

	if (strncmp(line, command, size) != 0)
		return false;
	line += size;
	return digits_take(&line, 10, BROKERS - 1, i) && strcmp(line, "\n") == 0;
}

static int obey(const char *line, struct error *err)
{
	uint64_t i;

	if (is_command(line, "kill ", &i)) {
		broker_kill(brokers[i]);
		return 0;
	}
	if (is_command(line, "start ", &i))
		return broker_restart(brokers[i], err) || broker_wait_ready(brokers[i], 0, err);
	return error_set(err, ERROR_USAGE, "neither kill nor start: %s", line);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	char line[LINE_MAX];
	int status = argc == 2 ? start_brokers(argv[1], &err)
			       : error_set(&err, ERROR_USAGE, "usage: three_brokers FOLDER");

	while (!status && fgets(line, sizeof(line), stdin)) {
		status = obey(line, &err);
		if (!status)
			printf("done\n");
		fflush(stdout);
	}
	if (status)
		fprintf(stderr, "three_brokers: %s\n", err.message);
	for (uint32_t i = BROKERS; i-- > 0;)
		if (brokers[i])
			broker_stop(brokers[i]);
	return status ? 1 : 0;
}
