/*
 * For LD_PRELOAD: a regular expression that meets a text "poison KIND" ends the process that matches
 * it, in one of the ways in which a bug, or a lack of memory, would.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static int is(const char *text, size_t size, const char *kind)
{
	static const char prefix[] = "poison ";
	size_t skip = sizeof(prefix) - 1, length = strlen(kind);

	return size == skip + length && memcmp(text, prefix, skip) == 0 &&
	       memcmp(text + skip, kind, length) == 0;
}

/*
 * From now on there is no memory, neither new nor what was freed. Whoever compiles this must not see that
 * nobody uses it: clang would take it for granted, and with it that the loop never ends.
 */
static void use_up_memory(void)
{
	static void *volatile last;
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_AS, &none);
	setrlimit(RLIMIT_DATA, &none);
	for (size_t size = 1u << 24; size >= 16; size /= 2)
		while ((last = malloc(size)))
			;
}

int pcre2_match_8(const pcre2_code_8 *code, PCRE2_SPTR8 subject, PCRE2_SIZE size, PCRE2_SIZE start,
	uint32_t options, pcre2_match_data_8 *data, pcre2_match_context_8 *context)
{
	static int (*match)(const pcre2_code_8 *, PCRE2_SPTR8, PCRE2_SIZE, PCRE2_SIZE, uint32_t,
		pcre2_match_data_8 *, pcre2_match_context_8 *);
	const char *text = (const char *)subject;

	if (is(text, size, "segv"))
		raise(SIGSEGV);
	else if (is(text, size, "abort"))
		abort();
	else if (is(text, size, "exit"))
		exit(1);
	else if (is(text, size, "_exit"))
		_exit(1);
	else if (is(text, size, "kill"))
		raise(SIGKILL);
	else if (is(text, size, "memory"))
		use_up_memory();
	else if (is(text, size, "nothing left")) {
		/* As a library that does not look whether it got what it asked for. */
		use_up_memory();
		raise(SIGSEGV);
	}
	if (!match)
		*(void **)&match = dlsym(RTLD_NEXT, "pcre2_match_8");
	return match(code, subject, size, start, options, data, context);
}
