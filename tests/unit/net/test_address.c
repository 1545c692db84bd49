/* HOST:PORT: what is one, what is none, and back to text. */
#include "net/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool parse(const char *text, struct net_address *address)
{
	return net_address_parse(text, strlen(text), address);
}

static void check(const char *text, const char *host, uint16_t port, const char *formatted)
{
	struct net_address address;
	char back[NET_ADDRESS_TEXT];

	assert_true(parse(text, &address));
	assert_string_equal(address.host, host);
	assert_int_equal(address.port, port);
	net_address_format(&address, back);
	assert_string_equal(back, formatted);
}

static void test_addresses(void **state)
{
	(void)state;
	check("host.example:7000", "host.example", 7000, "host.example:7000");
	check("10.0.0.1:1", "10.0.0.1", 1, "10.0.0.1:1");
	check("[::1]:65535", "::1", 65535, "[::1]:65535");
	check("[fe80::1%eth0]:80", "fe80::1%eth0", 80, "[fe80::1%eth0]:80");
	check("7000", "127.0.0.1", 7000, "127.0.0.1:7000");
	check("a_b-c:0080", "a_b-c", 80, "a_b-c:80");
}

static void test_none(void **state)
{
	static const char *const texts[] = {"", ":", "host", "host:", ":7000", "host:0",
		"host:65536", "host:-1", "host:7x", "host:99999999999999999999", "ho st:7000",
		"[]:7000", "[host:7000", "::1:7000", "a,b:7000", "host:7000 "};
	struct net_address address;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (parse(texts[i], &address))
			fail_msg("\"%s\" was taken for an address", texts[i]);
}

/* Only the bytes that were given: the next item of a list is none of its business. */
static void test_size(void **state)
{
	struct net_address address;

	(void)state;
	assert_true(net_address_parse("one:12,two:34", 6, &address));
	assert_string_equal(address.host, "one");
	assert_int_equal(address.port, 12);
	assert_false(net_address_parse("host\0:12", 8, &address));
}

static void test_longest_host(void **state)
{
	char text[NET_HOST_MAX + 8];
	struct net_address address;

	(void)state;
	memset(text, 'h', sizeof(text));
	memcpy(text + NET_HOST_MAX - 1, ":1", 3);
	assert_true(parse(text, &address));
	assert_int_equal(strlen(address.host), NET_HOST_MAX - 1);
	memset(text, 'h', sizeof(text));
	memcpy(text + NET_HOST_MAX, ":1", 3);
	assert_false(parse(text, &address));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_longest_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
