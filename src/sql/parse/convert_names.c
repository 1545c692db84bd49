/*
 * Names that PostgreSQL's grammar does not take: that of a file as a table (FROM 'a/b.csv'), and those
 * of more than 63 bytes, which its scanner cuts off; headers of CSV files have longer ones.
 *
 * Before a text is parsed such a name is replaced by a stand-in of three bytes that nobody writes, a
 * control character and a letter, and filled up with spaces, so that everything stays where it was
 * and errors have their places. In the tree the stand-ins become the names again.
 *
 * The same for options of read_csv() whose names are words of SQL: decimal => ',', null => 'NA'.
 *
 * Whether a text in quotes is a file cannot be told by the word before it: extract(year FROM '...')
 * is no table. But FROM 'x' in a FROM clause is never grammatical, so the parser complains right
 * there, and only what it complains about is replaced.
 */
#include "sql/parse/convert_private.h"

#include <pg_query.h>

#include <assert.h>
#include <string.h>

#define NAME_BYTES_MAX	63 /* of PostgreSQL: NAMEDATALEN less the final zero */
#define STAND_IN_BYTES	3
#define STAND_IN_DIGITS "abcdefghijklmnopqrstuvwxyz0123456789"
#define DIGIT_COUNT	(sizeof(STAND_IN_DIGITS) - 1)

static_assert(STAND_INS_MAX <= 32 * DIGIT_COUNT, "there are 32 control characters");

/* U+0080 to U+009F are two bytes that a name may begin with. */
static void write_stand_in(char *text, uint32_t index)
{
	text[0] = (char)0xc2;
	text[1] = (char)(0x80 + index / DIGIT_COUNT);
	text[2] = STAND_IN_DIGITS[index % DIGIT_COUNT];
}

/* The index of a stand-in; -1 for any other name. */
static int64_t read_stand_in(const struct stand_ins *names, const char *text)
{
	const char *digit;
	uint32_t index;

	if ((unsigned char)text[0] != 0xc2 || ((unsigned char)text[1] & 0xe0) != 0x80 || !text[2])
		return -1;
	digit = strchr(STAND_IN_DIGITS, text[2]);
	if (!digit)
		return -1;
	index = (uint32_t)((unsigned char)text[1] - 0x80) * DIGIT_COUNT +
		(uint32_t)(digit - STAND_IN_DIGITS);
	return index < names->count ? (int64_t)index : -1;
}

/* What the tokens of a text are: they live as long as the result. */
static PgQuery__ScanResult *scan_text(const char *text, PgQueryScanResult *result)
{
	*result = pg_query_scan(text);
	if (result->error)
		return NULL;
	return pg_query__scan_result__unpack(
		NULL, result->pbuf.len, (const uint8_t *)result->pbuf.data);
}

static void scan_free(PgQuery__ScanResult *tokens, PgQueryScanResult result)
{
	if (tokens)
		pg_query__scan_result__free_unpacked(tokens, NULL);
	pg_query_free_scan_result(result);
}

/* The text between quotes, with those inside that are written twice; NULL when it is not that. */
static char *unquote(const char *text, size_t size, struct arena *arena)
{
	char quote = text[0];
	char *out = arena_alloc_bytes(arena, size), *next = out;

	if (size < 2 || text[size - 1] != quote)
		return NULL;
	for (size_t i = 1; i < size - 1; i++) {
		*next++ = text[i];
		if (text[i] != quote)
			continue;
		if (i + 1 == size - 1 || text[i + 1] != quote)
			return NULL;
		i++;
	}
	*next = '\0';
	return out;
}

/* As the scanner reads a name without quotes. */
static char *fold(const char *text, size_t size, struct arena *arena)
{
	char *out = arena_strndup(arena, text, size);

	for (char *c = out; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
	return out;
}

static bool replace(
	struct stand_ins *names, int32_t start, int32_t end, const char *name, bool is_file)
{
	if (names->count == STAND_INS_MAX || end - start < STAND_IN_BYTES)
		return false;
	memset(names->text + start, ' ', (size_t)(end - start));
	write_stand_in(names->text + start, names->count);
	names->items[names->count++] =
		(struct stand_in){.name = name, .location = start, .is_file = is_file};
	return true;
}

void stand_ins_init(struct stand_ins *names, const char *text, size_t size, struct arena *arena)
{
	PgQuery__ScanResult *tokens;
	PgQueryScanResult result;

	*names = (struct stand_ins){.text = arena_strndup(arena, text, size)};
	names->items = arena_zalloc(arena, STAND_INS_MAX * sizeof(*names->items));
	if (size <= NAME_BYTES_MAX)
		return;
	/* What cannot be scanned is an error that the parser tells. */
	tokens = scan_text(text, &result);
	for (size_t i = 0; tokens && i < tokens->n_tokens; i++) {
		int32_t start = tokens->tokens[i]->start, end = tokens->tokens[i]->end;
		size_t length = (size_t)(end - start);
		const char *name;

		if (tokens->tokens[i]->token != PG_QUERY__TOKEN__IDENT || length <= NAME_BYTES_MAX)
			continue;
		name = text[start] == '"' ? unquote(text + start, length, arena)
					  : fold(text + start, length, arena);
		if (name && strlen(name) > NAME_BYTES_MAX)
			replace(names, start, end, name, false);
	}
	scan_free(tokens, result);
}

/* Whether a table may stand behind this token. */
static bool precedes_table(PgQuery__Token token)
{
	return token == PG_QUERY__TOKEN__FROM || token == PG_QUERY__TOKEN__TABLE ||
	       token == PG_QUERY__TOKEN__JOIN || token == PG_QUERY__TOKEN__ASCII_44 ||
	       token == PG_QUERY__TOKEN__ASCII_40;
}

static bool take_file(struct stand_ins *names, int32_t location, struct arena *arena)
{
	PgQuery__ScanResult *tokens;
	PgQueryScanResult result;
	PgQuery__Token before = PG_QUERY__TOKEN__NUL;
	bool taken = false;

	if (location < 0 || names->text[location] != '\'')
		return false;
	tokens = scan_text(names->text, &result);
	for (size_t i = 0; tokens && i < tokens->n_tokens; i++) {
		const PgQuery__ScanToken *token = tokens->tokens[i];

		if (token->token == PG_QUERY__TOKEN__SQL_COMMENT ||
			token->token == PG_QUERY__TOKEN__C_COMMENT)
			continue;
		if (token->start == location && token->token == PG_QUERY__TOKEN__SCONST &&
			precedes_table(before)) {
			const char *name = unquote(
				names->text + location, (size_t)(token->end - location), arena);

			taken = name && replace(names, location, token->end, name, true);
		}
		if (token->start >= location)
			break;
		before = token->token;
	}
	scan_free(tokens, result);
	return taken;
}

/* A word of SQL right before the => at `location`. */
static bool take_option(struct stand_ins *names, int32_t location, struct arena *arena)
{
	const PgQuery__ScanToken *before = NULL;
	PgQuery__ScanResult *tokens;
	PgQueryScanResult result;
	bool taken = false;

	tokens = scan_text(names->text, &result);
	for (size_t i = 0; tokens && i < tokens->n_tokens; i++) {
		const PgQuery__ScanToken *token = tokens->tokens[i];

		if (token->start >= location)
			break;
		if (token->token != PG_QUERY__TOKEN__SQL_COMMENT &&
			token->token != PG_QUERY__TOKEN__C_COMMENT)
			before = token;
	}
	if (before && before->keyword_kind != PG_QUERY__KEYWORD_KIND__NO_KEYWORD) {
		const char *name = fold(
			names->text + before->start, (size_t)(before->end - before->start), arena);

		taken = replace(names, before->start, before->end, name, false);
	}
	scan_free(tokens, result);
	return taken;
}

bool stand_ins_take(struct stand_ins *names, int32_t location, struct arena *arena)
{
	if (location >= 0 && strncmp(names->text + location, "=>", 2) == 0)
		return take_option(names, location, arena);
	return take_file(names, location, arena);
}

static void restore_string(const struct stand_ins *names, char **text)
{
	int64_t index = *text ? read_stand_in(names, *text) : -1;

	/* Names are not written to. */
	if (index >= 0 && strlen(*text) == STAND_IN_BYTES)
		*text = (char *)names->items[index].name;
}

/* One field of a message: a text or a message, or an array of them. */
static void restore_field(
	const struct stand_ins *names, const ProtobufCFieldDescriptor *field, void *value)
{
	if (field->type == PROTOBUF_C_TYPE_STRING)
		restore_string(names, value);
	else if (field->type == PROTOBUF_C_TYPE_MESSAGE && *(ProtobufCMessage **)value)
		stand_ins_restore(names, *(ProtobufCMessage **)value);
}

void stand_ins_restore(const struct stand_ins *names, ProtobufCMessage *message)
{
	char *base = (char *)message;

	for (unsigned f = 0; f < message->descriptor->n_fields; f++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[f];
		char *value = base + field->offset;

		if (field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			size_t count = *(size_t *)(base + field->quantifier_offset);
			void **items = *(void ***)value;

			for (size_t i = 0; i < count; i++)
				restore_field(names, field, &items[i]);
		} else if (!(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
			   *(uint32_t *)(base + field->quantifier_offset) == field->id) {
			restore_field(names, field, value);
		}
	}
}

const char *stand_ins_readable(
	const struct stand_ins *names, const char *message, struct arena *arena)
{
	struct buf text;
	const char *out;

	buf_init(&text, ERROR_MESSAGE_MAX);
	while (*message) {
		int64_t index = read_stand_in(names, message);

		if (index < 0) {
			buf_append_char(&text, *message++);
			continue;
		}
		buf_append_text(&text, names->items[index].name);
		message += STAND_IN_BYTES;
	}
	out = buf_overflowed(&text) ? "syntax error" : arena_strndup(arena, text.data, text.size);
	buf_release(&text);
	return out;
}
