/*
 * accept4(2) that can run out of descriptors when a test says so, and counts how often it was asked.
 * Takes the place of the C library's in the program that includes this.
 */
#ifndef TESTS_UNIT_NET_ACCEPT_FIXTURE_H
#define TESTS_UNIT_NET_ACCEPT_FIXTURE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ACCEPT_TURNS 50

static bool accept_fails;
static uint32_t accept_calls;

/* The attribute is for a build with hidden symbols: those who call accept4 are to find this one. */
__attribute__((visibility("default"))) int fixture_accept(
	int fd, struct sockaddr *address, socklen_t *size, int flags) __asm__("accept4");

int fixture_accept(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	accept_calls++;
	if (accept_fails) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_accept4, fd, address, size, flags);
}

#endif
