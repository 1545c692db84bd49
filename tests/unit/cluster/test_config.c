#include "cluster/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE "docs/cluster-file.md"

static void is_wrong(const char *text, const char *part, const char *place)
{
	struct config config;
	struct error err = {0};

	assert_int_equal(config_parse(&config, "some/cluster.ini", text, &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	if (!strstr(err.message, part) || !strstr(err.message, place))
		fail_msg("\"%s\" lacks \"%s\" or \"%s\"", err.message, part, place);
	config_release(&config);
}

static void parse(struct config *config, const char *text)
{
	struct error err = {0};

	if (config_parse(config, "some/cluster.ini", text, &err))
		fail_msg("%s", err.message);
}

static void an_empty_file_has_all_defaults(void **state)
{
	struct config config;

	(void)state;
	parse(&config, "");
	assert_string_equal(config.cluster.name, "tamiz");
	assert_string_equal(config.cluster.prefix, "");
	assert_string_equal(config.cluster.state, "some/tamiz-state");
	assert_int_equal(config.cluster.job_ttl_ms, 24u * 3600u * 1000u);
	assert_int_equal(config.gateway.replicas, 2);
	assert_int_equal(config_found_at(&config.gateway.place, 1).port, 7072);
	assert_int_equal(config.reducer.sync_bytes, 4u << 20);
	assert_string_equal(config.filter_when, "auto");
	assert_string_equal(config.broker.ca_file, "");
	config_release(&config);
}

static void values_have_their_units(void **state)
{
	struct config config;

	(void)state;
	parse(&config, "# a comment\n\n[cluster]\n  name = prod\n\tjob_ttl=90m\nstate = /var/x\r\n"
		       "[broker]\nqueues = quorum ; why not\n[gateway]\nmemory_max = 1G\n"
		       "[proxy]\nreplicas = 0\npatience = 250ms\n");
	assert_string_equal(config.cluster.prefix, "prod.");
	assert_string_equal(config.cluster.state, "/var/x");
	assert_int_equal(config.cluster.job_ttl_ms, 90u * 60u * 1000u);
	assert_string_equal(config.broker.queues, "quorum");
	assert_int_equal(config.gateway_memory_max, 1u << 30);
	assert_int_equal(config.proxy_patience_ms, 250);
	config_release(&config);
}

static void several_machines(void **state)
{
	struct config config;

	(void)state;
	parse(&config, "[gateway]\nhosts = a:7070, b:7171\nhosts = [::1]:7272\n");
	assert_int_equal(config.gateway.replicas, 3);
	assert_string_equal(config_listen_at(&config.gateway.place, 1).host, "b");
	assert_string_equal(config_found_at(&config.gateway.place, 2).host, "::1");
	config_release(&config);
	parse(&config, "[gateway]\nlisten = 0.0.0.0:1\nhosts = a:7070,b:7171\n");
	assert_string_equal(config_listen_at(&config.gateway.place, 1).host, "0.0.0.0");
	assert_int_equal(config_listen_at(&config.gateway.place, 1).port, 7171);
	assert_string_equal(config_found_at(&config.gateway.place, 1).host, "b");
	config_release(&config);
	is_wrong("[gateway]\nreplicas = 3\nhosts = a:1, b:2\n", "2 hosts", "[gateway]");
	is_wrong("[gateway]\nlisten = h:65535\n", "ports", "[gateway]");
	is_wrong("[gateway]\nlisten = h:7069\n[proxy]\nlisten = h:7070\n", "two nodes", "h:7070");
	is_wrong("[gateway]\nhosts = a:1 b:2\n", "separated by commas", ":2:");
}

static void every_node_tells_its_health_somewhere(void **state)
{
	struct config config;

	(void)state;
	parse(&config, "");
	assert_int_equal(config_found_at(&config.health[NODE_GATEWAY], 1).port, 7201);
	assert_int_equal(config_found_at(&config.health[NODE_REDUCER], 0).port, 7300);
	assert_int_equal(config_found_at(&config.health[NODE_COLLECTOR], 0).port, 7600);
	assert_int_equal(config_found_at(&config.health[NODE_WATCHER], 2).port, 7702);
	config_release(&config);
	parse(&config, "[reducer]\nhealth = 0.0.0.0:1\nhealth_hosts = a:7300, b:7300, c:7300\n"
		       "[collector]\nhealth = d:7300\n[filter]\nhealth_hosts = e:1, f:1\n");
	assert_int_equal(config_replicas(&config, NODE_REDUCER), 3);
	assert_int_equal(config_replicas(&config, NODE_FILTER), 2);
	assert_int_equal(config_replicas(&config, NODE_COLLECTOR), 1);
	assert_string_equal(config_found_at(&config.health[NODE_REDUCER], 1).host, "b");
	assert_string_equal(config_listen_at(&config.health[NODE_REDUCER], 1).host, "0.0.0.0");
	assert_string_equal(config_found_at(&config.health[NODE_COLLECTOR], 0).host, "d");
	config_release(&config);
	is_wrong(
		"[gateway]\nhosts = a:1, b:1\nhealth_hosts = a:2\n", "1 health_hosts", "[gateway]");
	is_wrong("[gateway]\nhealth = 127.0.0.1:7070\n", "two nodes", "127.0.0.1:7070");
	is_wrong("[filter]\nreplicas = 2\nhealth = h:65535\n", "ports", "[filter] health");
	is_wrong("[collector]\nhealth_hosts = h:1\n", "unknown key", ":2:");
}

static void watchers_have_their_times(void **state)
{
	struct config config;

	(void)state;
	parse(&config, "[watcher]\nhosts = a:1, b:1\ndriver = command\ncommand = ssh {host} x\n");
	assert_int_equal(config.watcher.replicas, 2);
	assert_string_equal(config.watcher.command, "ssh {host} x");
	assert_string_equal(config.watcher.unit, "tamiz@{node}");
	assert_int_equal(config.watcher.heartbeat_ms, 200);
	assert_int_equal(config.watcher.replay_patience_ms, 600000);
	assert_int_equal(config.watcher.restarts, 20);
	config_release(&config);
	is_wrong("[watcher]\ndriver = command\n", "needs a command", "[watcher]");
	is_wrong("[watcher]\nunit =\n", "has no value", ":2:");
	is_wrong("[watcher]\nreplicas = 10\n", "from 0 to 9", ":2:");
	is_wrong("[watcher]\nhosts = a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8,a:9,b:1\n", "at most",
		"[watcher] hosts");
	is_wrong("[watcher]\nleader_patience = 100ms\n", "longer than heartbeat", "[watcher]");
}

static void mistakes_are_told_with_their_place(void **state)
{
	(void)state;
	is_wrong("[cluster]\n\nnam = x\n", "did you mean \"name\"?", "some/cluster.ini:3:");
	is_wrong("[gatway]\nreplicas = 1\n", "did you mean [gateway]?", ":2:");
	is_wrong("[zzz]\nreplicas = 1\n", "unknown section", ":2:");
	is_wrong("name = x\n", "before the first", ":1:");
	is_wrong("[cluster]\nnonsense\n", "neither", ":2:");
	is_wrong("[cluster]\nname = a\nname = b\n", "given twice; the first is in line 2", ":3:");
	is_wrong("[cluster]\nname = a/b\n", "letters", "[cluster] name = a/b");
	is_wrong("[cluster]\nname =\n", "has no value", ":2:");
	is_wrong("[cluster]\njob_ttl = 5 weeks\n", "must be a time", "job_ttl");
	is_wrong("[cluster]\njob_ttl = 1s\n", "from 10s to 365d", "job_ttl");
	is_wrong("[gateway]\nreplicas = 0\n", "from 1 to 64", "[gateway] replicas = 0");
	is_wrong("[gateway]\nreplicas = -1\n", "must be a number", "replicas");
	is_wrong("[gateway]\nmemory_max = 12Q\n", "must be a size", "memory_max");
	is_wrong("[gateway]\nmemory_max = 1K\n", "from 1M to 64G", "memory_max");
	is_wrong("[gateway]\nlisten = somewhere\n", "HOST:PORT", "listen");
	is_wrong("[gateway]\nlisten = h:70000\n", "HOST:PORT", "listen");
	is_wrong("[filter]\nwhen = allways\n", "did you mean \"always\"?", "when");
	is_wrong("[filter]\nwhen = always\n", "replicas", "when = always");
	is_wrong("[broker]\ncert_file = x\n", "belong together", "key_file");
}

static void lines_have_a_longest(void **state)
{
	char text[10000] = "[cluster]\nname = ";

	(void)state;
	memset(text + strlen(text), 'a', sizeof(text) - strlen(text) - 1);
	is_wrong(text, "a line of more than", ":2:");
}

static void the_environment_has_the_password(void **state)
{
	struct config config;

	(void)state;
	setenv("TAMIZ_TEST_PASSWORD", "p@ss/w:rd%", 1);
	parse(&config, "[broker]\nurl = amqp://u:${TAMIZ_TEST_PASSWORD}@h:1/v\n");
	assert_string_equal(config.broker.url, "amqp://u:p%40ss%2Fw%3Ard%25@h:1/v");
	config_release(&config);
	setenv("TAMIZ_TEST_URL", "amqps://u:p%40@h/", 1);
	parse(&config, "[broker]\nurl = ${TAMIZ_TEST_URL}\n");
	assert_string_equal(config.broker.url, "amqps://u:p%40@h/");
	config_release(&config);
	unsetenv("TAMIZ_TEST_PASSWORD");
	is_wrong("[broker]\nurl = amqp://u:${TAMIZ_TEST_PASSWORD}@h\n",
		"the environment has no TAMIZ_TEST_PASSWORD", ":2:");
	is_wrong("[broker]\nurl = amqp://u:${TAMIZ\n", "without a name", ":2:");
	/* Only there. */
	is_wrong("[cluster]\nname = ${HOME}\n", "letters", ":2:");
}

static void several_brokers(void **state)
{
	struct config config;

	(void)state;
	parse(&config, "[broker]\nurl = amqp://a/, amqp://b/\nurl = amqps://c/\n");
	assert_string_equal(config.broker.url, "amqp://a/, amqp://b/,amqps://c/");
	config_release(&config);
	is_wrong("[broker]\nurl = amqp://a/\nurl = b\n", "must be amqp://", ":3:");
}

static void watchers_have_a_key(void **state)
{
	static const char *const same[] = {"[broker]\nurl = amqp://a:pass@one\n",
		"[broker]\nurl = amqps://b:pass@two:1/v\n", "[watcher]\nsecret = pass\n",
		"[broker]\nurl = amqp://a:other@one\n[watcher]\nsecret = pass\n"};
	struct sha256 want = sha256("pass", 4);

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct config config;
		struct sha256 key;
		struct error err;

		assert_int_equal(config_parse(&config, "test.conf", same[i], &err), 0);
		key = config_watcher_key(&config);
		assert_memory_equal(key.bytes, want.bytes, SHA256_SIZE);
		config_release(&config);
	}
}

static void tokens(void **state)
{
	char text[1100] = "";
	struct config config;
	struct error err;

	(void)state;
	parse(&config, "");
	assert_string_equal(config.gateway_token, "");
	config_release(&config);
	parse(&config, "[gateway]\ntoken =\n");
	assert_string_equal(config.gateway_token, "");
	config_release(&config);
	setenv("TAMIZ_TEST_TOKEN", "h@sh %/", 1);
	parse(&config, "[gateway]\ntoken = a-${TAMIZ_TEST_TOKEN}-b\n");
	assert_string_equal(config.gateway_token, "a-h@sh %/-b");
	config_release(&config);
	memset(text, 'x', sizeof(text) - 1);
	setenv("TAMIZ_TEST_TOKEN", text, 1);
	is_wrong("[gateway]\ntoken = ${TAMIZ_TEST_TOKEN}\n", "has more than 1024 bytes", ":2:");
	unsetenv("TAMIZ_TEST_TOKEN");
	assert_int_equal(
		config_parse(&config, "c", "[gateway]\ntoken = secret${NOBODY_HAS_IT}\n", &err),
		-1);
	assert_null(strstr(err.message, "secret"));
	config_release(&config);
}

static void passwords_stay_out_of_messages(void **state)
{
	struct config config;
	struct error err = {0};

	(void)state;
	assert_int_equal(
		config_parse(&config, "c", "[broker]\nurl = http://u:secret@h\n", &err), -1);
	assert_null(strstr(err.message, "secret"));
	config_release(&config);
}

static void missing_and_strange_files(void **state)
{
	struct config config;
	struct error err = {0};

	(void)state;
	assert_int_equal(config_load(&config, "/nonexistent/cluster.ini", &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	config_release(&config);
	assert_int_equal(config_load(&config, "/", &err), -1);
	config_release(&config);
	assert_int_equal(config_load(&config, "/bin/true", &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	config_release(&config);
}

/* With TAMIZ_WRITE_PAGE=1 it writes the tables instead: everything from the first of them on. */
static void the_page_has_every_table(void **state)
{
	static char page[CONFIG_FILE_MAX];
	struct buf tables;
	FILE *file = fopen(PAGE, "r");
	char *start;

	(void)state;
	assert_non_null(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	buf_init(&tables, CONFIG_FILE_MAX);
	config_reference(&tables);
	buf_append_char(&tables, '\0');
	start = strstr(page, "## [cluster]");
	if (getenv("TAMIZ_WRITE_PAGE") && start) {
		file = fopen(PAGE, "w");
		assert_non_null(file);
		fprintf(file, "%.*s%s", (int)(start - page), page, tables.data);
		fclose(file);
	} else if (!start || strcmp(start, tables.data) != 0) {
		fail_msg(PAGE " is not what the table of properties says: "
			      "TAMIZ_WRITE_PAGE=1 build/tests/unit/cluster/test_config");
	}
	buf_release(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_file_has_all_defaults),
		cmocka_unit_test(values_have_their_units),
		cmocka_unit_test(several_machines),
		cmocka_unit_test(every_node_tells_its_health_somewhere),
		cmocka_unit_test(watchers_have_their_times),
		cmocka_unit_test(mistakes_are_told_with_their_place),
		cmocka_unit_test(lines_have_a_longest),
		cmocka_unit_test(the_environment_has_the_password),
		cmocka_unit_test(several_brokers),
		cmocka_unit_test(tokens),
		cmocka_unit_test(watchers_have_a_key),
		cmocka_unit_test(passwords_stay_out_of_messages),
		cmocka_unit_test(missing_and_strange_files),
		cmocka_unit_test(the_page_has_every_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
