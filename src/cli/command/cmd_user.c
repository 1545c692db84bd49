/* tamiz user: who may use a cluster. */
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cluster/config.h"
#include "cluster/users.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LISTING_BYTES_MAX (4u << 20)

struct user_options {
	const char *file;
	const char *role;
	uint64_t jobs;
};

static const struct option_spec options_table[] = {
	OPTION_ROW_CLUSTER_FILE(struct user_options, file,
		"the cluster file, whose [gateway] users names the file of\nusers (default: "
		"cluster.ini)"),
	{.name = "role",
		.argument = "ROLE",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct user_options, role),
		.choices = user_role_words,
		.help = "add: submit (the default) has jobs, read looks, admin may\ndo everything"},
	{.name = "jobs",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct user_options, jobs),
		.max = 100000,
		.help = "add: open jobs at a time (default: as the cluster file\nhas them for "
			"every client)"},
};

static const char *const actions[] = {"add", "list", "remove", NULL};

const struct command_spec cmd_user_spec = {
	.name = "tamiz user",
	.operands = "add NAME | list | remove NAME",
	.summary = "Says who may use a cluster.",
	.details =
		"add prints the user's token, which is not kept: whoever has it is that user, "
		"with\n"
		"--token, TAMIZ_TOKEN or TAMIZ_TOKEN_FILE. Gateways see a change within a second.",
	.operands_min = 1,
	.operands_max = 2,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static int add(struct users *users, const struct user_options *options, const char *name,
	struct error *err)
{
	char token[USER_TOKEN_TEXT];
	enum user_role role = USER_SUBMIT;

	for (int i = 0; options->role && i < USER_ROLES; i++)
		if (strcmp(options->role, user_role_words[i]) == 0)
			role = (enum user_role)i;
	if (users_add(users, name, role, (uint32_t)options->jobs, token, err) ||
		users_save(users, err))
		return -1;
	printf("%s\n", token);
	return 0;
}

static int list(const struct users *users)
{
	struct buf text;

	buf_init(&text, LISTING_BYTES_MAX);
	for (uint32_t i = 0; users_get(users, i); i++) {
		const struct user *user = users_get(users, i);

		buf_printf(&text, "%s %s", user->name, user_role_words[user->role]);
		if (user->jobs_max)
			buf_printf(&text, " jobs=%u", user->jobs_max);
		buf_append_char(&text, '\n');
	}
	return cli_print(&text);
}

static int change(struct users *users, const struct user_options *options,
	const struct operands *operands, struct error *err)
{
	const char *action = operands->items[0];
	const char *name = operands->count > 1 ? operands->items[1] : NULL;
	bool wants_name = strcmp(action, "list") != 0;

	if (wants_name != (name != NULL))
		return error_set(err, ERROR_USAGE,
			wants_name ? "tamiz user %s needs a name" : "tamiz user %s takes no name",
			action);
	if (!wants_name)
		return list(users);
	if (strcmp(action, "add") == 0)
		return add(users, options, name, err);
	return users_remove(users, name, err) || users_save(users, err) ? -1 : 0;
}

static int open_users(struct users **users, const struct config *config, struct error *err)
{
	const char *path = config->gateway_users;

	if (!path[0])
		return error_set(err, ERROR_USAGE,
			"%s names no file of users: add a line \"users = users\" below [gateway]",
			config->path);
	if (access(path, F_OK) != 0 && errno == ENOENT) {
		*users = users_new(path);
		return 0;
	}
	return users_open(users, path, err);
}

int cmd_user(int argc, char *const *argv)
{
	struct user_options options = {.file = "cluster.ini"};
	struct config config = {0};
	struct users *users = NULL;
	struct operands operands;
	const char *nearest;
	struct error err;
	int status, known = 0;

	if (!cli_parse(&cmd_user_spec, argc, argv, &options, &operands, &status))
		return status;
	for (int i = 0; actions[i]; i++)
		known |= strcmp(actions[i], operands.items[0]) == 0;
	if (!known) {
		nearest = suggest_nearest(operands.items[0], actions);
		error_set(&err, ERROR_USAGE, "tamiz user add, list or remove, and not \"%s\"%s%s%s",
			operands.items[0], nearest ? ": did you mean \"" : "",
			nearest ? nearest : "", nearest ? "\"?" : "");
		return cli_fail(&err);
	}
	status = config_load_names(&config, options.file, &err);
	if (!status)
		status = open_users(&users, &config, &err);
	if (!status)
		status = change(users, &options, &operands, &err);
	users_free(users);
	config_release(&config);
	return status < 0 ? cli_fail(&err) : status;
}
