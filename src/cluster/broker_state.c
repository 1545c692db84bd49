#include "base/digits.h"
#include "base/file.h"
#include "cluster/broker_private.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *broker_path(const struct broker *broker, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", broker->folder, name) < 0)
		abort();
	return path;
}

int broker_write_file(const struct broker *broker, const char *name, const char *text, mode_t mode,
	struct error *err)
{
	char *path = broker_path(broker, name);
	int status = file_replace(path, FILE_ONE_WRITER, mode, text, strlen(text), false);

	if (status)
		error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	free(path);
	return status;
}

char *broker_read_file(const struct broker *broker, const char *name)
{
	char *path = broker_path(broker, name);
	char *text = file_read(path, BROKER_FILE_SIZE_MAX, NULL);

	free(path);
	return text;
}

char *broker_state_beside(const char *folder)
{
	char *path;

	if (asprintf(&path, "%s.state", folder) < 0)
		abort();
	return path;
}

int broker_state_write(const struct broker *broker, struct error *err)
{
	char *beside = broker_state_beside(broker->folder);
	char text[1024];
	int status;

	snprintf(text, sizeof(text),
		"name=%s\npeer=%s\npassword=%s\namqp_port=%u\ndist_port=%u\nepmd_port=%u\n"
		"has_served=%d\nvm=%d %" PRIu64 "\nepmd=%d %" PRIu64 "\n",
		broker->name, broker->peer, broker->password, broker->amqp_port, broker->dist_port,
		broker->epmd_port, broker->has_served, (int)broker->vm.pid, broker->vm.started,
		(int)broker->epmd.pid, broker->epmd.started);
	status = file_replace(beside, FILE_ONE_WRITER, 0600, text, strlen(text), false);
	if (status)
		error_set(err, ERROR_IO, "%s: %s", beside, strerror(errno));
	free(beside);
	return status ? status : broker_write_file(broker, "broker.state", text, 0600, err);
}

/* Each takes the line if it is of that key, and right. */

static void take_port(const char *line, const char *key, uint16_t *port)
{
	uint64_t number;

	if (strncmp(line, key, strlen(key)) == 0 &&
		digits_parse(line + strlen(key), 10, UINT16_MAX, &number))
		*port = (uint16_t)number;
}

static void take_child(const char *line, const char *key, struct child *child)
{
	uint64_t pid, started;

	if (strncmp(line, key, strlen(key)) != 0)
		return;
	line += strlen(key);
	if (digits_take(&line, 10, INT_MAX, &pid) && *line++ == ' ' &&
		digits_parse(line, 10, UINT64_MAX, &started))
		*child = (struct child){(pid_t)pid, started};
}

/* Lines that it does not know are skipped. Takes the text. */
static bool state_parse(struct broker *broker, char *text)
{
	char *rest = text;
	char *line;

	while (text && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "name=%63s", broker->name) == 1 ||
			sscanf(line, "peer=%63s", broker->peer) == 1 ||
			sscanf(line, "password=%32s", broker->password) == 1)
			continue;
		take_port(line, "amqp_port=", &broker->amqp_port);
		take_port(line, "dist_port=", &broker->dist_port);
		take_port(line, "epmd_port=", &broker->epmd_port);
		if (strcmp(line, "has_served=1") == 0)
			broker->has_served = true;
		take_child(line, "vm=", &broker->vm);
		take_child(line, "epmd=", &broker->epmd);
	}
	free(text);
	return broker->name[0] && broker->password[0] && broker->amqp_port && broker->dist_port &&
	       broker->epmd_port;
}

bool broker_state_read(struct broker *broker)
{
	char *beside;
	bool known;

	if (state_parse(broker, broker_read_file(broker, "broker.state")))
		return true;
	beside = broker_state_beside(broker->folder);
	known = state_parse(broker, file_read(beside, BROKER_FILE_SIZE_MAX, NULL));
	free(beside);
	return known;
}
