#include "net/tls.h"

#include "base/library.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef LIBRARY_SONAME
#define LIBRARY_SONAME "libssl.so"
#endif

#define LOOK_MS	    1000u
#define FILES	    3
#define WRITE_MAX   (1u << 20)
#define READ_BUFFER (64u << 10)
/* Ephemeral keys and authenticated encryption only; the fastest first: 128 bits are as many as anybody needs. */
#define CIPHERS_12 "ECDHE+AES128+AESGCM:ECDHE+AESGCM:ECDHE+CHACHA20"
#define CIPHERS_13 "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"

/* What stands in libcrypto is found through libssl, which needs it. */
#define TLS_CALLS(CALL)                           \
	CALL(SSL_CTX_new)                         \
	CALL(SSL_CTX_free)                        \
	CALL(SSL_CTX_ctrl)                        \
	CALL(SSL_CTX_set_default_read_buffer_len) \
	CALL(SSL_CTX_set_options)                 \
	CALL(SSL_CTX_set_cipher_list)             \
	CALL(SSL_CTX_set_ciphersuites)            \
	CALL(SSL_CTX_set_default_passwd_cb)       \
	CALL(SSL_CTX_use_certificate_chain_file)  \
	CALL(SSL_CTX_use_PrivateKey_file)         \
	CALL(SSL_CTX_check_private_key)           \
	CALL(SSL_CTX_load_verify_locations)       \
	CALL(SSL_CTX_set_default_verify_paths)    \
	CALL(SSL_CTX_set_client_CA_list)          \
	CALL(SSL_load_client_CA_file)             \
	CALL(SSL_CTX_set_verify)                  \
	CALL(TLS_server_method)                   \
	CALL(TLS_client_method)                   \
	CALL(SSL_new)                             \
	CALL(SSL_free)                            \
	CALL(SSL_ctrl)                            \
	CALL(SSL_set_fd)                          \
	CALL(SSL_set1_host)                       \
	CALL(SSL_get0_param)                      \
	CALL(X509_VERIFY_PARAM_set1_ip_asc)       \
	CALL(SSL_set_accept_state)                \
	CALL(SSL_set_connect_state)               \
	CALL(SSL_do_handshake)                    \
	CALL(SSL_read)                            \
	CALL(SSL_write)                           \
	CALL(SSL_has_pending)                     \
	CALL(SSL_shutdown)                        \
	CALL(SSL_get_error)                       \
	CALL(SSL_get_verify_result)               \
	CALL(X509_verify_cert_error_string)       \
	CALL(ERR_peek_error)                      \
	CALL(ERR_reason_error_string)             \
	CALL(ERR_clear_error)

static struct tls_calls {
	TLS_CALLS(LIBRARY_POINTER)
} libssl;

#define TLS_CALL(name) LIBRARY_CALL(struct tls_calls, name)
static const struct library_call tls_calls[] = {TLS_CALLS(TLS_CALL)};
static struct library tls_library = LIBRARY(LIBRARY_SONAME, tls_calls, &libssl);

/* By which a file is known to have changed. */
struct version {
	struct timespec changed;
	ino_t inode;
	off_t size;
};

struct tls_context {
	SSL_CTX *ssl;
	bool is_server;
	struct tls_files files;
	struct version versions[FILES];
	uint64_t looked_ms;
};

struct tls {
	SSL *ssl;
	bool up;
	bool failed; /* OpenSSL wants no more calls */
	bool waits_to_write;
	bool starved; /* what was received is no whole record */
	bool is_client;
	const char *trouble; /* OpenSSL's own; NULL: none */
	int reason;
};

static bool is_given(const char *file)
{
	return file && *file;
}

/* --- files ---------------------------------------------------------------------------------------
 */

static const char *reason(void)
{
	const char *text = libssl.ERR_reason_error_string(libssl.ERR_peek_error());

	if (!text && errno)
		text = strerror(errno);
	return text ? text : "it is not as it should be";
}

static int bad_file(const char *what, const char *file, struct error *err)
{
	return error_set(err, ERROR_IO, "%s %s: %s", what, file, reason());
}

/* Keys with a password would ask for it at a terminal. */
static int no_password(char *text, int size, int writing, void *context)
{
	(void)text;
	(void)size;
	(void)writing;
	(void)context;
	return 0;
}

static int load_identity(SSL_CTX *ssl, const struct tls_files *files, struct error *err)
{
	errno = 0;
	libssl.SSL_CTX_set_default_passwd_cb(ssl, no_password);
	if (libssl.SSL_CTX_use_certificate_chain_file(ssl, files->cert) != 1)
		return bad_file("the certificate", files->cert, err);
	if (libssl.SSL_CTX_use_PrivateKey_file(ssl, files->key, SSL_FILETYPE_PEM) != 1)
		return bad_file("the key", files->key, err);
	if (libssl.SSL_CTX_check_private_key(ssl) != 1)
		return bad_file("the certificate's key is another than", files->key, err);
	return 0;
}

static int load_authorities(
	SSL_CTX *ssl, bool is_server, const struct tls_files *files, struct error *err)
{
	errno = 0;
	if (!is_given(files->ca)) {
		if (!is_server && libssl.SSL_CTX_set_default_verify_paths(ssl) != 1)
			return error_set(err, ERROR_IO, "the system's authorities: %s", reason());
		return 0;
	}
	if (libssl.SSL_CTX_load_verify_locations(ssl, files->ca, NULL) != 1)
		return bad_file("the authorities", files->ca, err);
	/* Clients choose among their certificates by these names. */
	if (is_server)
		libssl.SSL_CTX_set_client_CA_list(ssl, libssl.SSL_load_client_CA_file(files->ca));
	return 0;
}

static int load(SSL_CTX **out, bool is_server, const struct tls_files *files, struct error *err)
{
	SSL_CTX *ssl;
	int verify = !is_server		   ? SSL_VERIFY_PEER
		     : is_given(files->ca) ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
					   : SSL_VERIFY_NONE;

	libssl.ERR_clear_error();
	ssl = libssl.SSL_CTX_new(
		is_server ? libssl.TLS_server_method() : libssl.TLS_client_method());
	if (!ssl)
		return error_set(err, ERROR_IO, "OpenSSL: %s", reason());
	libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
	libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_MODE,
		SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
			SSL_MODE_RELEASE_BUFFERS,
		NULL);
	/* Several records a system call. */
	libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
	libssl.SSL_CTX_set_default_read_buffer_len(ssl, READ_BUFFER);
	libssl.SSL_CTX_ctrl(ssl, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
	/* Nothing is resumed: connections live long, and a ticket would outlive a certificate. */
	libssl.SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
						SSL_OP_NO_COMPRESSION |
						SSL_OP_CIPHER_SERVER_PREFERENCE);
	libssl.SSL_CTX_set_verify(ssl, verify, NULL);
	if (libssl.SSL_CTX_set_cipher_list(ssl, CIPHERS_12) != 1 ||
		libssl.SSL_CTX_set_ciphersuites(ssl, CIPHERS_13) != 1)
		error_set(err, ERROR_IO, "OpenSSL: %s", reason());
	else if ((!is_given(files->cert) || load_identity(ssl, files, err) == 0) &&
		 load_authorities(ssl, is_server, files, err) == 0) {
		*out = ssl;
		return 0;
	}
	libssl.SSL_CTX_free(ssl);
	return -1;
}

static void look(const struct tls_context *context, struct version versions[FILES])
{
	const char *const names[FILES] = {
		context->files.cert, context->files.key, context->files.ca};

	memset(versions, 0, FILES * sizeof(*versions));
	for (int i = 0; i < FILES; i++) {
		struct stat info;

		if (is_given(names[i]) && stat(names[i], &info) == 0) {
			versions[i].changed = info.st_mtim;
			versions[i].inode = info.st_ino;
			versions[i].size = info.st_size;
		}
	}
}

static int context_new(
	struct tls_context **out, bool is_server, const struct tls_files *files, struct error *err)
{
	struct tls_context *context;
	SSL_CTX *ssl;

	if (is_given(files->cert) != is_given(files->key))
		return error_set(err, ERROR_USAGE,
			"a certificate and its key belong together: one of them is missing");
	if (is_server && !is_given(files->cert))
		return error_set(err, ERROR_USAGE, "TLS needs a certificate");
	if (library_load(&tls_library, err))
		return -1;
	context = memory_zalloc(sizeof(*context));
	*context = (struct tls_context){.is_server = is_server, .files = *files};
	/* Before they are read: a change meanwhile is seen later. */
	look(context, context->versions);
	if (load(&ssl, is_server, files, err)) {
		free(context);
		return -1;
	}
	context->ssl = ssl;
	*out = context;
	return 0;
}

int tls_server_new(struct tls_context **out, const struct tls_files *files, struct error *err)
{
	return context_new(out, true, files, err);
}

int tls_client_new(struct tls_context **out, const struct tls_files *files, struct error *err)
{
	return context_new(out, false, files, err);
}

void tls_context_free(struct tls_context *context)
{
	if (!context)
		return;
	libssl.SSL_CTX_free(context->ssl);
	free(context);
}

int tls_context_refresh(
	struct tls_context *context, uint64_t now_ms, bool *changed, struct error *err)
{
	struct version versions[FILES];
	SSL_CTX *ssl;

	*changed = false;
	if (now_ms - context->looked_ms < LOOK_MS)
		return 0;
	context->looked_ms = now_ms;
	look(context, versions);
	if (memcmp(versions, context->versions, sizeof(versions)) == 0)
		return 0;
	memcpy(context->versions, versions, sizeof(versions));
	if (load(&ssl, context->is_server, &context->files, err))
		return -1;
	/* Connections have references of their own to the one that they began with. */
	libssl.SSL_CTX_free(context->ssl);
	context->ssl = ssl;
	*changed = true;
	return 0;
}

/* --- connections ---------------------------------------------------------------------------------
 */

static struct tls *tls_new(struct tls_context *context, int fd)
{
	struct tls *tls = memory_zalloc(sizeof(*tls));

	tls->is_client = !context->is_server;
	tls->ssl = libssl.SSL_new(context->ssl);
	/* As without memory; memory_alloc does the same. */
	if (!tls->ssl || libssl.SSL_set_fd(tls->ssl, fd) != 1)
		abort();
	return tls;
}

struct tls *tls_accept(struct tls_context *context, int fd)
{
	struct tls *tls = tls_new(context, fd);

	assert(context->is_server);
	libssl.SSL_set_accept_state(tls->ssl);
	return tls;
}

struct tls *tls_connect(struct tls_context *context, int fd, const char *host)
{
	struct tls *tls = tls_new(context, fd);
	uint8_t address[16];
	bool is_named = true;

	assert(!context->is_server);
	if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
		is_named = libssl.X509_VERIFY_PARAM_set1_ip_asc(
				   libssl.SSL_get0_param(tls->ssl), host) == 1;
	else
		is_named = libssl.SSL_set1_host(tls->ssl, host) == 1 &&
			   libssl.SSL_ctrl(tls->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME,
				   TLSEXT_NAMETYPE_host_name, (void *)host) == 1;
	/* Without a name to compare, any certificate would do: none does. */
	tls->failed = !is_named;
	libssl.SSL_set_connect_state(tls->ssl);
	return tls;
}

void tls_free(struct tls *tls)
{
	if (!tls)
		return;
	libssl.SSL_free(tls->ssl);
	free(tls);
}

/* What a call that has not succeeded means: 0, the peer has ended it; else -1 with an errno. */
static int outcome(struct tls *tls, int result)
{
	int number = errno;

	tls->waits_to_write = false;
	switch (libssl.SSL_get_error(tls->ssl, result)) {
	case SSL_ERROR_WANT_WRITE: tls->waits_to_write = true; /* fall through */
	case SSL_ERROR_WANT_READ: errno = EAGAIN; return -1;
	case SSL_ERROR_ZERO_RETURN: return 0;
	case SSL_ERROR_SYSCALL:
		tls->failed = true;
		errno = number;
		return number ? -1 : 0;
	default: break;
	}
	tls->failed = true;
	/* Frames have lengths, so an end without a farewell cuts nothing off unnoticed. */
	if (ERR_GET_REASON(libssl.ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
		return 0;
	tls->trouble = libssl.ERR_reason_error_string(libssl.ERR_peek_error());
	tls->reason = ERR_GET_REASON(libssl.ERR_peek_error());
	errno = EPROTO;
	return -1;
}

static void describe_failure(const struct tls *tls, int number, struct error *err)
{
	long verdict = libssl.SSL_get_verify_result(tls->ssl);

	if (verdict != X509_V_OK)
		error_set(err, ERROR_IO, "the %s's certificate is not good: %s",
			tls->is_client ? "server" : "client",
			libssl.X509_verify_cert_error_string(verdict));
	else
		error_set(err, ERROR_IO, "no TLS: %s",
			tls->trouble ? tls->trouble
			: number     ? strerror(number)
				     : "the connection was closed");
}

enum tls_progress tls_handshake(struct tls *tls, struct error *err)
{
	int result, number;

	if (tls->up)
		return TLS_DONE;
	if (tls->failed) {
		error_set(err, ERROR_IO, "no certificate could have the server's name");
		return TLS_FAILED;
	}
	libssl.ERR_clear_error();
	errno = 0;
	result = libssl.SSL_do_handshake(tls->ssl);
	if (result == 1) {
		tls->up = true;
		tls->waits_to_write = false;
		return TLS_DONE;
	}
	number = outcome(tls, result) < 0 ? errno : 0;
	if (number == EAGAIN)
		return TLS_WAITS;
	describe_failure(tls, number, err);
	return TLS_FAILED;
}

bool tls_is_up(const struct tls *tls)
{
	return tls->up;
}

bool tls_is_refused(const struct tls *tls)
{
	if (!tls->is_client)
		return false;
	/* With 1.3 a client hears what is wrong with its own certificate after the handshake. */
	switch (tls->reason) {
	case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
	case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
	case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
	case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
	case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
	case SSL_R_TLSV1_ALERT_UNKNOWN_CA: return true;
	default: return libssl.SSL_get_verify_result(tls->ssl) != X509_V_OK;
	}
}

const char *tls_trouble(const struct tls *tls)
{
	return tls->trouble ? tls->trouble : strerror(EPROTO);
}

/* False: OpenSSL has given up. */
static bool begin_call(const struct tls *tls)
{
	assert(tls->up);
	libssl.ERR_clear_error();
	errno = tls->failed ? EPROTO : 0;
	return !tls->failed;
}

ssize_t tls_receive(struct tls *tls, void *bytes, size_t size)
{
	int result;

	assert(size > 0);
	if (!begin_call(tls))
		return -1;
	result = libssl.SSL_read(tls->ssl, bytes, (int)(size < WRITE_MAX ? size : WRITE_MAX));
	tls->starved = result <= 0;
	return result > 0 ? result : outcome(tls, result);
}

ssize_t tls_send(struct tls *tls, const void *bytes, size_t size)
{
	int result;

	assert(size > 0);
	if (!begin_call(tls))
		return -1;
	result = libssl.SSL_write(tls->ssl, bytes, (int)(size < WRITE_MAX ? size : WRITE_MAX));
	if (result > 0)
		return result;
	if (outcome(tls, result) == 0)
		errno = EPIPE;
	return -1;
}

bool tls_has_more(const struct tls *tls)
{
	return tls->up && !tls->failed && !tls->starved && libssl.SSL_has_pending(tls->ssl) == 1;
}

bool tls_waits_to_write(const struct tls *tls)
{
	return tls->waits_to_write;
}

void tls_shut(struct tls *tls)
{
	if (tls->up && !tls->failed) {
		libssl.ERR_clear_error();
		(void)libssl.SSL_shutdown(tls->ssl);
	}
}
