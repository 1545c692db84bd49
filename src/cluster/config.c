#include "cluster/config.h"

#include "base/digits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/secret.h"
#include "base/suggest.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (8u << 10)
#define TIME_COUNT_MAX	  UINT64_C(9999999999) /* of any unit, it fits in 64 bits */
#define PROPERTIES_MAX	  128
#define VALUE_MAX	  4096
#define WHY_SIZE	  256

static const char *const kind_words[NODE_KINDS] = {
	[NODE_GATEWAY] = "gateway",
	[NODE_REDUCER] = "reducer",
	[NODE_COLLECTOR] = "collector",
	[NODE_FILTER] = "filter",
	[NODE_PROXY] = "proxy",
	[NODE_WATCHER] = "watcher",
};

struct parse {
	bool keeps_names; /* ${NAME} stays as it is */
	struct config *config;
	const char *next; /* the rest of the text */
	int line;
	int given[PROPERTIES_MAX]; /* the line that gave the property; 0: none */
	bool failed;
	struct error *err;
};

/* --- values --------------------------------------------------------------------------------------
 */

bool config_time_parse(const char *text, uint64_t *ms)
{
	static const struct {
		const char *unit;
		uint64_t ms;
	} units[] = {
		{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}, {"", 1000}};
	uint64_t value;

	if (!digits_take(&text, 10, TIME_COUNT_MAX, &value))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(text, units[i].unit) == 0) {
			*ms = value * units[i].ms;
			return true;
		}
	return false;
}

/* --- errors --------------------------------------------------------------------------------------
 */

static int wrong(struct parse *parse, const struct config_property *property, const char *value,
	const char *why)
{
	parse->failed = true;
	/* A URL has a password in it. */
	if (property->kind == CONFIG_URL || property->kind == CONFIG_SECRET)
		return error_set(parse->err, ERROR_USAGE, "%s:%d: [%s] %s: %s", parse->config->path,
			parse->line, property->section, property->key, why);
	return error_set(parse->err, ERROR_USAGE, "%s:%d: [%s] %s = %s: %s", parse->config->path,
		parse->line, property->section, property->key, value, why);
}

static void amount(const struct config_property *property, uint64_t value, char *text, size_t size)
{
	static const struct {
		uint64_t unit;
		const char *name;
	} sizes[] = {{1ull << 30, "G"}, {1u << 20, "M"}, {1u << 10, "K"}},
	  times[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}};
	const char *name = property->kind == CONFIG_TIME ? "ms" : "";

	for (size_t i = 0; i < 3 && property->kind == CONFIG_SIZE; i++)
		if (value >= sizes[i].unit && value % sizes[i].unit == 0) {
			value /= sizes[i].unit;
			name = sizes[i].name;
			break;
		}
	for (size_t i = 0; i < 4 && property->kind == CONFIG_TIME; i++)
		if (value >= times[i].unit && value % times[i].unit == 0) {
			value /= times[i].unit;
			name = times[i].name;
			break;
		}
	snprintf(text, size, "%lu%s", (unsigned long)value, name);
}

static int outside(struct parse *parse, const struct config_property *property, const char *value)
{
	char why[WHY_SIZE], least[32], most[32];

	amount(property, property->min, least, sizeof(least));
	amount(property, property->max, most, sizeof(most));
	snprintf(why, sizeof(why), "must be from %s to %s", least, most);
	return wrong(parse, property, value, why);
}

/* "unknown key "x" in [gateway]: did you mean "y"?" */
static int unknown(struct parse *parse, const char *section, const char *key)
{
	const char *names[PROPERTIES_MAX + 1], *nearest;
	bool known = false;
	size_t count = 0;

	for (size_t i = 0; i < config_property_count; i++)
		known = known || strcmp(config_properties[i].section, section) == 0;
	for (size_t i = 0; i < config_property_count; i++) {
		const struct config_property *property = &config_properties[i];

		if (!known || strcmp(property->section, section) == 0)
			names[count++] = known ? property->key : property->section;
	}
	names[count] = NULL;
	nearest = suggest_nearest(known ? key : section, names);
	parse->failed = true;
	if (!known && !section[0])
		return error_set(parse->err, ERROR_USAGE,
			"%s:%d: \"%s\" stands before the first [section]", parse->config->path,
			parse->line, key);
	if (!known && !nearest)
		return error_set(parse->err, ERROR_USAGE,
			"%s:%d: unknown section [%s]: there are cluster, broker, gateway, tls, "
			"console, proxy, "
			"reducer, collector, filter and watcher",
			parse->config->path, parse->line, section);
	if (!known)
		return error_set(parse->err, ERROR_USAGE,
			"%s:%d: unknown section [%s]: did you mean [%s]?", parse->config->path,
			parse->line, section, nearest);
	if (!nearest)
		return error_set(parse->err, ERROR_USAGE, "%s:%d: unknown key \"%s\" in [%s]",
			parse->config->path, parse->line, key, section);
	return error_set(parse->err, ERROR_USAGE,
		"%s:%d: unknown key \"%s\" in [%s]: did you mean \"%s\"?", parse->config->path,
		parse->line, key, section, nearest);
}

/* --- one property --------------------------------------------------------------------------------
 */

/* As a password stands in a URL. */
static void append_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-._~", *text))
			buf_append_char(out, *text);
		else
			buf_printf(out, "%%%02X", (unsigned char)*text);
	}
}

/* Replaces each ${NAME}; NULL and the reason when there is no such variable. */
static const char *substitute(struct parse *parse, const struct config_property *property,
	const char *value, char why[WHY_SIZE])
{
	const char *result = NULL;
	struct buf out;

	if (parse->keeps_names)
		return arena_strdup(&parse->config->arena, value);
	buf_init(&out, VALUE_MAX);
	while (*value) {
		const char *start = strstr(value, "${");
		const char *end = start ? strchr(start, '}') : NULL;
		char name[64] = "", *found;
		struct error err;

		if (!start) {
			buf_append_text(&out, value);
			break;
		}
		if (!end || end - start - 2 >= (long)sizeof(name) || end == start + 2) {
			snprintf(why, WHY_SIZE, "a \"${\" without a name and a \"}\"");
			goto out;
		}
		memcpy(name, start + 2, (size_t)(end - start - 2));
		found = secret_get(name, &err);
		if (!found) {
			snprintf(why, WHY_SIZE, "%.*s", WHY_SIZE - 1, err.message);
			goto out;
		}
		buf_append(&out, value, (size_t)(start - value));
		/* A variable that is the whole value is taken as it is. */
		if (property->kind == CONFIG_SECRET || (out.size == 0 && end[1] == '\0'))
			buf_append_text(&out, found);
		else
			append_escaped(&out, found);
		free(found);
		value = end + 1;
	}
	snprintf(why, WHY_SIZE, "is too long");
	if (!buf_overflowed(&out))
		result = arena_strndup(&parse->config->arena, out.data, out.size);
out:
	buf_release(&out);
	return result;
}

static int take_url(struct parse *parse, const struct config_property *property, const char *value,
	const char **out)
{
	const char *url, *before = *out;
	char why[WHY_SIZE];

	url = substitute(parse, property, value, why);
	if (!url)
		return wrong(parse, property, value, why);
	if (parse->keeps_names && strstr(url, "${"))
		;
	else if (strncmp(url, "amqp://", 7) != 0 && strncmp(url, "amqps://", 8) != 0)
		return wrong(parse, property, value,
			"must be amqp://USER:PASSWORD@HOST:PORT/VHOST or amqps://...");
	*out = before ? arena_printf(&parse->config->arena, "%s,%s", before, url) : url;
	return 0;
}

static int take_secret(struct parse *parse, const struct config_property *property,
	const char *value, const char **out)
{
	char why[WHY_SIZE];

	*out = substitute(parse, property, value, why);
	if (!*out)
		return wrong(parse, property, value, why);
	if (strlen(*out) > property->max) {
		snprintf(why, sizeof(why), "has more than %lu bytes", (unsigned long)property->max);
		return wrong(parse, property, value, why);
	}
	return 0;
}

static const char *take_path(struct parse *parse, const char *value)
{
	const char *slash = strrchr(parse->config->path, '/');

	if (!value[0] || value[0] == '/' || !slash)
		return arena_strdup(&parse->config->arena, value);
	return arena_printf(&parse->config->arena, "%.*s/%s", (int)(slash - parse->config->path),
		parse->config->path, value);
}

static int take_addresses(struct parse *parse, const struct config_property *property,
	const char *value, struct config_addresses *out)
{
	while (*value) {
		size_t size = strcspn(value, ","), start = strspn(value, " \t");
		char item[NET_ADDRESS_TEXT] = "";

		if (start > size)
			start = size;
		if (size - start >= sizeof(item))
			return wrong(parse, property, value, "an address is too long");
		memcpy(item, value + start, size - start);
		for (size_t end = size - start; end > 0 && strchr(" \t", item[end - 1]); end--)
			item[end - 1] = '\0';
		if (out->count == CONFIG_REPLICAS_MAX)
			return wrong(parse, property, value, "too many addresses");
		if (!net_address_parse(item, strlen(item), &out->items[out->count]))
			return wrong(
				parse, property, value, "must be HOST:PORT, separated by commas");
		out->count++;
		value += size + (value[size] == ',');
	}
	return 0;
}

static int take_choice(struct parse *parse, const struct config_property *property,
	const char *value, const char **out)
{
	const char *nearest = suggest_nearest(value, property->choices);
	char why[256] = "must be one of";
	size_t size;

	for (uint32_t i = 0; property->choices[i]; i++) {
		if (strcmp(value, property->choices[i]) == 0) {
			*out = property->choices[i];
			return 0;
		}
		size = strlen(why);
		snprintf(why + size, sizeof(why) - size, "%s %s", i ? "," : "",
			property->choices[i]);
	}
	size = strlen(why);
	if (nearest)
		snprintf(why + size, sizeof(why) - size, ": did you mean \"%s\"?", nearest);
	return wrong(parse, property, value, why);
}

static int take_number(struct parse *parse, const struct config_property *property,
	const char *value, uint64_t *out)
{
	switch (property->kind) {
	case CONFIG_SIZE:
		if (!options_parse_size(value, out))
			return wrong(parse, property, value, "must be a size: 4096, 64K, 256M, 2G");
		break;
	case CONFIG_TIME:
		if (!config_time_parse(value, out))
			return wrong(
				parse, property, value, "must be a time: 250ms, 10s, 5m, 24h, 7d");
		break;
	default:
		if (!digits_parse(value, 10, UINT64_MAX, out))
			return wrong(parse, property, value, "must be a number");
		break;
	}
	if (*out < property->min || *out > property->max)
		return outside(parse, property, value);
	return 0;
}

static int take(struct parse *parse, const struct config_property *property, const char *value)
{
	void *field = (char *)parse->config + property->offset;

	if (!value[0] && property->kind != CONFIG_PATH && property->kind != CONFIG_ADDRESSES &&
		property->kind != CONFIG_SECRET &&
		!(property->kind == CONFIG_ADDRESS && !property->initial[0]) &&
		(property->kind != CONFIG_TEXT || property->min > 0))
		return wrong(parse, property, value, "has no value");
	switch (property->kind) {
	case CONFIG_NAME:
		for (const char *c = value; *c; c++)
			if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
				return wrong(parse, property, value,
					"may have letters, digits, '-' and '_'");
		if (strlen(value) > 32)
			return wrong(parse, property, value, "may have 32 characters at most");
	/* fall through */
	case CONFIG_TEXT:
		*(const char **)field = arena_strdup(&parse->config->arena, value);
		return 0;
	case CONFIG_URL: return take_url(parse, property, value, field);
	case CONFIG_SECRET: return take_secret(parse, property, value, field);
	case CONFIG_PATH: *(const char **)field = take_path(parse, value); return 0;
	case CONFIG_CHOICE: return take_choice(parse, property, value, field);
	case CONFIG_ADDRESS:
		if (value[0] && !net_address_parse(value, strlen(value), field))
			return wrong(parse, property, value, "must be HOST:PORT");
		return 0;
	case CONFIG_ADDRESSES: return take_addresses(parse, property, value, field);
	case CONFIG_COUNT:
	case CONFIG_SIZE:
	case CONFIG_TIME: break;
	}
	return take_number(parse, property, value, field);
}

/* --- the file ------------------------------------------------------------------------------------
 */

static int on_property(void *user, const char *section, const char *name, const char *value)
{
	struct parse *parse = user;

	if (parse->failed)
		return 1;
	for (size_t i = 0; i < config_property_count; i++) {
		const struct config_property *property = &config_properties[i];

		if (strcmp(property->section, section) != 0 || strcmp(property->key, name) != 0)
			continue;
		if (parse->given[i] && property->kind != CONFIG_ADDRESSES &&
			property->kind != CONFIG_URL) {
			parse->failed = true;
			error_set(parse->err, ERROR_USAGE,
				"%s:%d: [%s] %s is given twice; the first is in line %d",
				parse->config->path, parse->line, section, name, parse->given[i]);
			return 1;
		}
		parse->given[i] = parse->line;
		take(parse, property, value);
		return 1;
	}
	unknown(parse, section, name);
	return 1;
}

/*
 * The library's fgets. It tells handlers no line numbers, cuts long lines silently and takes an
 * indented line for more of the value above; so lines are counted, measured and unindented here.
 */
static char *read_line(char *line, int size, void *stream)
{
	struct parse *parse = stream;
	size_t length;

	if (parse->failed || !*parse->next)
		return NULL;
	parse->line++;
	parse->next += strspn(parse->next, " \t");
	length = strcspn(parse->next, "\n");
	length += parse->next[length] == '\n';
	if (length + 1 > (size_t)size) {
		parse->failed = true;
		error_set(parse->err, ERROR_USAGE,
			"%s:%d: a line of more than %d bytes; a list may be given in several lines",
			parse->config->path, parse->line, size - 2);
		return NULL;
	}
	memcpy(line, parse->next, length);
	line[length] = '\0';
	parse->next += length;
	return line;
}

static int parse_text(struct parse *parse, const char *text)
{
	int line;

	parse->next = text;
	line = ini_parse_stream(read_line, parse, on_property, parse);
	if (!parse->failed && line != 0)
		return error_set(parse->err, ERROR_USAGE,
			"%s:%d: neither a [section] nor key = value", parse->config->path, line);
	return parse->failed ? -1 : 0;
}

/* What was not given. The table's own values are right. */
static int take_initial(struct parse *parse)
{
	for (size_t i = 0; i < config_property_count; i++)
		if (!parse->given[i] &&
			take(parse, &config_properties[i], config_properties[i].initial))
			return -1;
	return 0;
}

static bool was_given(const struct parse *parse, const char *section, const char *key)
{
	for (size_t i = 0; i < config_property_count; i++)
		if (strcmp(config_properties[i].section, section) == 0 &&
			strcmp(config_properties[i].key, key) == 0)
			return parse->given[i] != 0;
	return false;
}

/* A place of `section`, whose keys are `listen` and `hosts` there. */
static int check_place(struct parse *parse, const char *section, const char *listen,
	const char *hosts, struct config_place *place, uint64_t *replicas)
{
	const char *path = parse->config->path;

	place->listen_given = was_given(parse, section, listen);
	/* Lists that do not agree are told below. */
	if (place->hosts.count && !was_given(parse, section, "replicas") &&
		(strcmp(hosts, "hosts") == 0 || !was_given(parse, section, "hosts")))
		*replicas = place->hosts.count;
	if (place->hosts.count && place->hosts.count != *replicas)
		return error_set(parse->err, ERROR_USAGE, "%s: [%s] has replicas = %lu and %u %s",
			path, section, (unsigned long)*replicas, place->hosts.count, hosts);
	if (!place->hosts.count && *replicas > 0 && place->listen.port + *replicas - 1 > UINT16_MAX)
		return error_set(parse->err, ERROR_USAGE,
			"%s: [%s] %s: there are not that many ports above %u", path, section,
			listen, (unsigned)place->listen.port);
	return 0;
}

static int check_places(struct parse *parse)
{
	struct config *config = parse->config;
	uint64_t one = 1;
	uint64_t *replicas[NODE_KINDS] = {
		[NODE_GATEWAY] = &config->gateway.replicas,
		[NODE_REDUCER] = &config->reducer_replicas,
		[NODE_COLLECTOR] = &one,
		[NODE_FILTER] = &config->filter_replicas,
		[NODE_PROXY] = &config->proxy.replicas,
		[NODE_WATCHER] = &config->watcher.replicas,
	};

	if (check_place(parse, "gateway", "listen", "hosts", &config->gateway.place,
		    &config->gateway.replicas) ||
		check_place(parse, "proxy", "listen", "hosts", &config->proxy.place,
			&config->proxy.replicas) ||
		check_place(parse, "watcher", "listen", "hosts", &config->watcher.place,
			&config->watcher.replicas) ||
		check_place(parse, "console", "listen", "listen", &config->console,
			&config->gateway.replicas))
		return -1;
	for (int kind = 0; kind < NODE_KINDS; kind++)
		if (check_place(parse, kind_words[kind], "health", "health_hosts",
			    &config->health[kind], replicas[kind]))
			return -1;
	/* The lists have no limit of their own. */
	if (config->watcher.replicas > CONFIG_WATCHERS_MAX)
		return error_set(parse->err, ERROR_USAGE,
			"%s: [watcher] hosts: there may be %u at most", config->path,
			CONFIG_WATCHERS_MAX);
	return 0;
}

static uint32_t add_addresses(struct net_address *all, uint32_t count,
	const struct config_place *place, uint64_t replicas)
{
	for (uint32_t i = 0; i < replicas; i++)
		all[count++] = config_found_at(place, i);
	return count;
}

/* Two nodes at one address, or one at two. */
static int check_addresses(struct parse *parse)
{
	const struct config *config = parse->config;
	struct net_address *all = memory_alloc(
		(NODE_KINDS + 4) * (size_t)CONFIG_REPLICAS_MAX * sizeof(struct net_address));
	uint32_t count = 0;
	int status = 0;

	count = add_addresses(all, count, &config->gateway.place, config->gateway.replicas);
	count = add_addresses(all, count, &config->proxy.place, config->proxy.replicas);
	count = add_addresses(all, count, &config->watcher.place, config->watcher.replicas);
	if (config->console.listen.port)
		count = add_addresses(all, count, &config->console, config->gateway.replicas);
	for (int kind = 0; kind < NODE_KINDS; kind++)
		count = add_addresses(all, count, &config->health[kind],
			config_replicas(config, (enum node_kind)kind));
	for (uint32_t i = 0; i < count && !status; i++)
		for (uint32_t j = 0; j < i && !status; j++) {
			char text[NET_ADDRESS_TEXT];

			if (all[i].port != all[j].port || strcmp(all[i].host, all[j].host) != 0)
				continue;
			net_address_format(&all[i], text);
			status = error_set(parse->err, ERROR_USAGE,
				"%s: two nodes would have the address %s, to listen at or to tell "
				"their health",
				config->path, text);
		}
	free(all);
	return status;
}

static int check_watcher(struct parse *parse)
{
	const struct config_watcher *watcher = &parse->config->watcher;

	if (strcmp(watcher->driver, "command") == 0 && !watcher->command[0])
		return error_set(parse->err, ERROR_USAGE,
			"%s: [watcher] driver = command needs a command that starts a node",
			parse->config->path);
	if (watcher->leader_patience_ms <= watcher->heartbeat_ms)
		return error_set(parse->err, ERROR_USAGE,
			"%s: [watcher] leader_patience must be longer than heartbeat",
			parse->config->path);
	return 0;
}

static int check_whole(struct parse *parse)
{
	struct config *config = parse->config;

	if (check_places(parse) || check_addresses(parse) || check_watcher(parse))
		return -1;
	if (!config->broker.cert_file[0] != !config->broker.key_file[0])
		return error_set(parse->err, ERROR_USAGE,
			"%s: [broker] cert_file and key_file belong together", config->path);
	if (config->gateway_token[0] && config->gateway_users[0])
		return error_set(parse->err, ERROR_USAGE,
			"%s: [gateway] token and users: users have tokens of their own",
			config->path);
	if (!config->tls.cert[0] != !config->tls.key[0] ||
		(config->tls.ca[0] && !config->tls.cert[0]))
		return error_set(parse->err, ERROR_USAGE,
			"%s: [tls] cert and key belong together, and ca needs both", config->path);
	if (strcmp(config->filter_when, "always") == 0 && config->filter_replicas == 0)
		return error_set(parse->err, ERROR_USAGE,
			"%s: [filter] when = always needs replicas: nobody would do the work",
			config->path);
	if (!config->cluster.logs[0])
		config->cluster.logs =
			arena_printf(&config->arena, "%s/log", config->cluster.state);
	config->cluster.prefix =
		strcmp(config->cluster.name, "tamiz") == 0
			? ""
			: arena_printf(&config->arena, "%s.", config->cluster.name);
	return 0;
}

static int parse_whole(struct config *config, const char *path, const char *text, bool keeps_names,
	struct error *err)
{
	struct parse parse = {.keeps_names = keeps_names, .config = config, .err = err};

	assert(config_property_count <= PROPERTIES_MAX);
	memset(config, 0, sizeof(*config));
	arena_init(&config->arena, ARENA_BLOCK_BYTES);
	config->path = arena_strdup(&config->arena, path);
	if (parse_text(&parse, text) || take_initial(&parse) || check_whole(&parse))
		return -1;
	return 0;
}

int config_parse(struct config *config, const char *path, const char *text, struct error *err)
{
	return parse_whole(config, path, text, false, err);
}

static int load(struct config *config, const char *path, bool keeps_names, struct error *err)
{
	size_t size;
	char *text = file_read(path, CONFIG_FILE_MAX, &size);
	int status;

	memset(config, 0, sizeof(*config));
	if (!text && errno == EFBIG)
		return error_set(err, ERROR_USAGE, "%s is too large for a cluster file", path);
	if (!text)
		return error_set(err, ERROR_IO, "cannot read %s: %s", path, strerror(errno));
	status = memchr(text, '\0', size)
			 ? error_set(err, ERROR_USAGE, "%s is not a text file", path)
			 : parse_whole(config, path, text, keeps_names, err);
	free(text);
	return status;
}

int config_load(struct config *config, const char *path, struct error *err)
{
	return load(config, path, false, err);
}

int config_load_names(struct config *config, const char *path, struct error *err)
{
	return load(config, path, true, err);
}

void config_release(struct config *config)
{
	arena_release(&config->arena);
}

/* --- addresses -----------------------------------------------------------------------------------
 */

struct net_address config_found_at(const struct config_place *place, uint32_t index)
{
	struct net_address address;

	if (place->hosts.count)
		return place->hosts.items[index];
	address = place->listen;
	address.port = (uint16_t)(address.port + index);
	return address;
}

struct net_address config_listen_at(const struct config_place *place, uint32_t index)
{
	struct net_address address = config_found_at(place, index);

	if (place->hosts.count && place->listen_given)
		memcpy(address.host, place->listen.host, sizeof(address.host));
	return address;
}

/* --- secrets -------------------------------------------------------------------------------------
 */

struct sha256 config_watcher_key(const struct config *config)
{
	const char *secret = config->watcher.secret;
	const char *user = strstr(config->broker.url, "://"), *end, *password;

	if (secret[0])
		return sha256(secret, strlen(secret));
	/* amqp://USER:PASSWORD@HOST */
	user = user ? user + 3 : config->broker.url;
	end = user + strcspn(user, "@/");
	password = *end == '@' ? memchr(user, ':', (size_t)(end - user)) : NULL;
	return password ? sha256(password + 1, (size_t)(end - password - 1)) : sha256("", 0);
}

/* --- kinds of nodes ------------------------------------------------------------------------------
 */

const char *config_kind_word(enum node_kind kind)
{
	return kind_words[kind];
}

uint32_t config_replicas(const struct config *config, enum node_kind kind)
{
	switch (kind) {
	case NODE_GATEWAY: return (uint32_t)config->gateway.replicas;
	case NODE_REDUCER: return (uint32_t)config->reducer_replicas;
	case NODE_COLLECTOR: break;
	case NODE_FILTER: return (uint32_t)config->filter_replicas;
	case NODE_PROXY: return (uint32_t)config->proxy.replicas;
	case NODE_WATCHER: return (uint32_t)config->watcher.replicas;
	}
	return 1;
}
