#include "base/clock.h"
#include "net/resolver.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define WAIT_MS UINT64_C(60000)

static void start(struct resolver *resolver, const char *host)
{
	struct net_address address = {.port = 7070};

	snprintf(address.host, sizeof(address.host), "%s", host);
	resolver_init(resolver, &address);
}

/* Until the question that is under way has its answer. */
static enum resolver_answer wait_for(struct resolver *resolver)
{
	uint64_t deadline_ms = clock_monotonic_ms() + WAIT_MS;
	enum resolver_answer answer;

	do {
		assert_true(clock_monotonic_ms() < deadline_ms);
		nanosleep(&(struct timespec){0, 1000000}, NULL);
		answer = resolver_ask(resolver);
	} while (answer == RESOLVER_BUSY);
	return answer;
}

static in_port_t port_of(const struct resolver *resolver)
{
	const struct sockaddr *address = (const struct sockaddr *)&resolver->targets[0].address;

	assert_in_range(resolver->target_count, 1, RESOLVER_TARGETS_MAX);
	assert_true(address->sa_family == AF_INET || address->sa_family == AF_INET6);
	return address->sa_family == AF_INET
		       ? ntohs(((const struct sockaddr_in *)address)->sin_port)
		       : ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
}

static void test_numeric_is_known_at_once(void **state)
{
	struct resolver resolver;

	(void)state;
	start(&resolver, "127.0.0.1");
	assert_int_equal(resolver_ask(&resolver), RESOLVER_KNOWN);
	assert_int_equal(port_of(&resolver), 7070);
	resolver_forget(&resolver);
	assert_int_equal(resolver_ask(&resolver), RESOLVER_KNOWN);
	assert_null(resolver.request);
	resolver_release(&resolver);
}

static void test_name(void **state)
{
	struct resolver resolver;

	(void)state;
	start(&resolver, "localhost");
	assert_int_equal(resolver_ask(&resolver), RESOLVER_BUSY);
	assert_int_equal(wait_for(&resolver), RESOLVER_KNOWN);
	assert_null(resolver.request);
	assert_int_equal(port_of(&resolver), 7070);
	/* Asked for again, it is looked up again. */
	resolver_forget(&resolver);
	assert_int_equal(resolver_ask(&resolver), RESOLVER_BUSY);
	assert_non_null(resolver.request);
	assert_int_equal(wait_for(&resolver), RESOLVER_KNOWN);
	resolver_release(&resolver);
}

static void test_no_such_name(void **state)
{
	struct resolver resolver;
	char host[80];

	(void)state;
	/* A label of a name may have 63 letters: no server is asked. */
	memset(host, 'a', 70);
	host[70] = '\0';
	start(&resolver, host);
	assert_int_equal(resolver_ask(&resolver), RESOLVER_BUSY);
	assert_int_equal(wait_for(&resolver), RESOLVER_FAILED);
	assert_true(strlen(resolver_trouble(&resolver)) > 0);
	assert_null(resolver.request);
	/* It is not given up: the next question starts anew. */
	assert_int_equal(resolver_ask(&resolver), RESOLVER_BUSY);
	assert_non_null(resolver.request);
	assert_int_equal(wait_for(&resolver), RESOLVER_FAILED);
	assert_true(strlen(resolver_trouble(&resolver)) > 0);
	resolver_release(&resolver);
}

static void test_released_under_way(void **state)
{
	struct resolver resolver;

	(void)state;
	start(&resolver, "localhost");
	assert_int_equal(resolver_ask(&resolver), RESOLVER_BUSY);
	resolver_release(&resolver);
	assert_null(resolver.request);
	resolver_release(&resolver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numeric_is_known_at_once),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_no_such_name),
		cmocka_unit_test(test_released_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
