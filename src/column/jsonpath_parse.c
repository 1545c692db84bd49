/* Texts of jsonpath to trees, by the rules of PostgreSQL's grammar. */
#include "column/jsonpath_private.h"

#include <string.h>
#include <strings.h>

#define RANGES_MAX 4096

static bool syntax_error(struct path_reader *r)
{
	return jsonpath_fail(r, "syntax error");
}

static bool is_at(const struct path_reader *r, const char *mark)
{
	return r->token.kind == TOKEN_MARK && r->token.text.size == strlen(mark) &&
	       memcmp(r->token.text.data, mark, r->token.text.size) == 0;
}

/* Keywords are in any case, but for null, true and false. */
static bool is_word(const struct path_reader *r, const char *word)
{
	return r->token.kind == TOKEN_NAME && r->token.plain &&
	       r->token.text.size == strlen(word) &&
	       strncasecmp(r->token.text.data, word, r->token.text.size) == 0;
}

static bool is_exact_word(const struct path_reader *r, const char *word)
{
	return is_word(r, word) && memcmp(r->token.text.data, word, r->token.text.size) == 0;
}

static bool expect(struct path_reader *r, const char *mark)
{
	return is_at(r, mark) ? jsonpath_next_token(r) : syntax_error(r);
}

/* -- Trees -- */

static struct jsonpath_node *read_condition(struct path_reader *r);
static struct jsonpath_node *read_sum(struct path_reader *r);

static struct jsonpath_node *new_node(struct path_reader *r, enum jsonpath_kind kind)
{
	struct jsonpath_node *node = arena_zalloc(r->arena, sizeof(*node));

	node->kind = kind;
	return node;
}

static struct jsonpath_node *new_pair(struct path_reader *r, enum jsonpath_kind kind,
	struct jsonpath_node *left, struct jsonpath_node *right)
{
	struct jsonpath_node *node = new_node(r, kind);

	node->left = left;
	node->right = right;
	return node;
}

/* With accessors behind it, a condition is a value. */
static bool is_condition(const struct jsonpath_node *node)
{
	return jsonpath_is_condition(node->kind) && !node->next;
}

static struct jsonpath_node *want_value(struct path_reader *r, struct jsonpath_node *node)
{
	if (node && is_condition(node)) {
		syntax_error(r);
		return NULL;
	}
	return node;
}

static struct jsonpath_node *want_condition(struct path_reader *r, struct jsonpath_node *node)
{
	if (node && !is_condition(node)) {
		syntax_error(r);
		return NULL;
	}
	return node;
}

static bool read_numeric(struct path_reader *r, struct jsonpath_node *node)
{
	if (numeric_long_parse(r->token.text.data, r->token.text.size, r->arena, &node->number) !=
		NUMERIC_FINE)
		return jsonpath_fail(r, "a number is out of range");
	return jsonpath_next_token(r);
}

/* A level of **: a number, or last. */
static bool read_level(struct path_reader *r, uint32_t *level)
{
	uint64_t value = 0;

	if (is_word(r, "last")) {
		*level = JSONPATH_LEVEL_LAST;
		return jsonpath_next_token(r);
	}
	if (r->token.kind != TOKEN_NUMBER || !r->token.whole)
		return syntax_error(r);
	for (uint32_t i = 0; i < r->token.text.size; i++) {
		value = value * 10 + (uint64_t)(r->token.text.data[i] - '0');
		if (value >= JSONPATH_LEVEL_LAST)
			return jsonpath_fail(r, "a level is out of range");
	}
	*level = (uint32_t)value;
	return jsonpath_next_token(r);
}

static struct jsonpath_node *read_levels(struct path_reader *r)
{
	struct jsonpath_node *node = new_node(r, JSONPATH_LEVELS);

	node->last = JSONPATH_LEVEL_LAST;
	if (!jsonpath_next_token(r))
		return NULL;
	if (!is_at(r, "{"))
		return node;
	if (!jsonpath_next_token(r) || !read_level(r, &node->first))
		return NULL;
	node->last = node->first;
	if (is_word(r, "to") && (!jsonpath_next_token(r) || !read_level(r, &node->last)))
		return NULL;
	return expect(r, "}") ? node : NULL;
}

static struct jsonpath_node *read_subscript(struct path_reader *r)
{
	struct jsonpath_node *node = new_node(r, JSONPATH_INDEX);

	if (!jsonpath_next_token(r))
		return NULL;
	if (is_at(r, "*")) {
		node->kind = JSONPATH_ITEMS;
		return jsonpath_next_token(r) && expect(r, "]") ? node : NULL;
	}
	node->ranges = arena_alloc(r->arena, sizeof(*node->ranges));
	for (;;) {
		struct jsonpath_range range = {0}, *grown;

		if (node->range_count == RANGES_MAX) {
			jsonpath_fail(r, "too many subscripts");
			return NULL;
		}
		r->subscripts++;
		range.from = want_value(r, read_sum(r));
		if (range.from && is_word(r, "to"))
			range.to = jsonpath_next_token(r) ? want_value(r, read_sum(r)) : NULL;
		r->subscripts--;
		if (!range.from || r->reason)
			return NULL;
		grown = arena_alloc(r->arena, (node->range_count + 1) * sizeof(*grown));
		memcpy(grown, node->ranges, node->range_count * sizeof(*grown));
		grown[node->range_count++] = range;
		node->ranges = grown;
		if (!is_at(r, ","))
			return expect(r, "]") ? node : NULL;
		if (!jsonpath_next_token(r))
			return NULL;
	}
}

/* .size() and the others, or else a key with such a name. */
static struct jsonpath_node *read_method(struct path_reader *r)
{
	static const struct {
		const char *name;
		enum jsonpath_kind kind;
	} methods[] = {{"type", JSONPATH_TYPE}, {"size", JSONPATH_SIZE}, {"abs", JSONPATH_ABS},
		{"floor", JSONPATH_FLOOR}, {"ceiling", JSONPATH_CEILING},
		{"double", JSONPATH_DOUBLE}, {"keyvalue", JSONPATH_KEYVALUE},
		{"datetime", JSONPATH_DATETIME}};
	struct jsonpath_node *node = new_node(r, JSONPATH_KEY);
	enum jsonpath_kind method = JSONPATH_KEY;

	node->text = r->token.text;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (is_word(r, methods[i].name))
			method = methods[i].kind;
	if (!jsonpath_next_token(r))
		return NULL;
	if (!is_at(r, "("))
		return node;
	if (method == JSONPATH_KEY) {
		syntax_error(r);
		return NULL;
	}
	node->kind = method;
	if (!jsonpath_next_token(r))
		return NULL;
	if (method == JSONPATH_DATETIME && r->token.kind == TOKEN_STRING) {
		node->left = new_node(r, JSONPATH_STRING);
		node->left->text = r->token.text;
		if (!jsonpath_next_token(r))
			return NULL;
	}
	return expect(r, ")") ? node : NULL;
}

static struct jsonpath_node *read_filter(struct path_reader *r)
{
	struct jsonpath_node *node = new_node(r, JSONPATH_FILTER);

	if (!jsonpath_next_token(r) || !expect(r, "("))
		return NULL;
	r->filters++;
	node->left = want_condition(r, read_condition(r));
	r->filters--;
	return node->left && expect(r, ")") ? node : NULL;
}

static bool starts_accessor(const struct path_reader *r)
{
	return is_at(r, ".") || is_at(r, "[") || is_at(r, "?");
}

static struct jsonpath_node *read_accessor(struct path_reader *r)
{
	if (is_at(r, "["))
		return read_subscript(r);
	if (is_at(r, "?"))
		return read_filter(r);
	if (!jsonpath_next_token(r))
		return NULL;
	if (is_at(r, "*"))
		return jsonpath_next_token(r) ? new_node(r, JSONPATH_KEYS) : NULL;
	if (is_at(r, "**"))
		return read_levels(r);
	if (r->token.kind == TOKEN_NAME || r->token.kind == TOKEN_STRING)
		return read_method(r);
	syntax_error(r);
	return NULL;
}

/* Whatever stands behind `node`. */
static struct jsonpath_node *read_accessors(struct path_reader *r, struct jsonpath_node *node)
{
	struct jsonpath_node *last = node;

	while (node && starts_accessor(r)) {
		while (last->next)
			last = last->next;
		last->next = read_accessor(r);
		if (!last->next)
			return NULL;
	}
	return node;
}

static struct jsonpath_node *read_word_value(struct path_reader *r)
{
	struct jsonpath_node *node = new_node(r, JSONPATH_NULL);

	if (is_exact_word(r, "true") || is_exact_word(r, "false")) {
		node->kind = JSONPATH_BOOL;
		node->boolean = is_exact_word(r, "true");
	} else if (is_word(r, "last")) {
		node->kind = JSONPATH_LAST;
		if (r->subscripts == 0) {
			jsonpath_fail(r, "LAST is allowed only in array subscripts");
			return NULL;
		}
	} else if (!is_exact_word(r, "null")) {
		syntax_error(r);
		return NULL;
	}
	return jsonpath_next_token(r) ? node : NULL;
}

/* A value without accessors. */
static struct jsonpath_node *read_primary(struct path_reader *r)
{
	struct jsonpath_node *node = new_node(r, JSONPATH_STRING);

	switch (r->token.kind) {
	case TOKEN_NUMBER: node->kind = JSONPATH_NUMBER; return read_numeric(r, node) ? node : NULL;
	case TOKEN_VARIABLE: node->kind = JSONPATH_VARIABLE; break;
	case TOKEN_STRING: break;
	case TOKEN_NAME: return read_word_value(r);
	case TOKEN_MARK:
		node->kind = is_at(r, "$") ? JSONPATH_ROOT : JSONPATH_CURRENT;
		if (node->kind == JSONPATH_CURRENT && !is_at(r, "@")) {
			syntax_error(r);
			return NULL;
		}
		if (node->kind == JSONPATH_CURRENT && r->filters == 0) {
			jsonpath_fail(r, "@ is not allowed in root expressions");
			return NULL;
		}
		break;
	case TOKEN_END: syntax_error(r); return NULL;
	}
	node->text = r->token.text;
	return jsonpath_next_token(r) ? node : NULL;
}

static struct jsonpath_node *read_exists(struct path_reader *r)
{
	struct jsonpath_node *node = new_node(r, JSONPATH_EXISTS);

	if (!jsonpath_next_token(r) || !expect(r, "("))
		return NULL;
	node->left = want_value(r, read_sum(r));
	return node->left && expect(r, ")") ? node : NULL;
}

/* In parentheses: a value, or a condition, behind which `is unknown` may stand. */
static struct jsonpath_node *read_parenthesis(struct path_reader *r)
{
	struct jsonpath_node *node = jsonpath_next_token(r) ? read_condition(r) : NULL;

	if (!node || !expect(r, ")"))
		return NULL;
	if (!is_condition(node) || !is_word(r, "is"))
		return read_accessors(r, node);
	if (!jsonpath_next_token(r) || !is_word(r, "unknown")) {
		syntax_error(r);
		return NULL;
	}
	return jsonpath_next_token(r) ? new_pair(r, JSONPATH_IS_UNKNOWN, node, NULL) : NULL;
}

/* A sign in front of a number is a part of it. */
static struct jsonpath_node *make_sign(
	struct path_reader *r, bool minus, struct jsonpath_node *operand)
{
	if (operand->kind != JSONPATH_NUMBER || operand->next)
		return new_pair(r, minus ? JSONPATH_MINUS : JSONPATH_PLUS, operand, NULL);
	if (minus)
		operand->number = numeric_long_negate(operand->number);
	return operand;
}

static struct jsonpath_node *read_signed(struct path_reader *r)
{
	struct jsonpath_node *node;
	bool minus = is_at(r, "-");

	if (r->depth >= JSONPATH_NESTING_MAX) {
		jsonpath_fail(r, "a path nests too deep");
		return NULL;
	}
	r->depth++;
	if (minus || is_at(r, "+")) {
		node = jsonpath_next_token(r) ? want_value(r, read_signed(r)) : NULL;
		node = node ? make_sign(r, minus, node) : NULL;
	} else if (is_at(r, "(")) {
		node = read_parenthesis(r);
	} else if (is_word(r, "exists")) {
		node = read_exists(r);
	} else {
		node = read_accessors(r, read_primary(r));
	}
	r->depth--;
	return node;
}

struct path_operator {
	const char *mark;
	enum jsonpath_kind kind;
};

static const struct path_operator *find_operator(
	const struct path_reader *r, const struct path_operator *operators, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_at(r, operators[i].mark))
			return &operators[i];
	return NULL;
}

static struct jsonpath_node *read_product(struct path_reader *r)
{
	static const struct path_operator operators[] = {
		{"*", JSONPATH_MUL}, {"/", JSONPATH_DIV}, {"%", JSONPATH_MOD}};
	struct jsonpath_node *node = read_signed(r);
	const struct path_operator *found;

	while (node && (found = find_operator(r, operators, 3))) {
		struct jsonpath_node *right;

		if (!want_value(r, node))
			return NULL;
		right = jsonpath_next_token(r) ? want_value(r, read_signed(r)) : NULL;
		node = right ? new_pair(r, found->kind, node, right) : NULL;
	}
	return node;
}

static struct jsonpath_node *read_sum(struct path_reader *r)
{
	static const struct path_operator operators[] = {{"+", JSONPATH_ADD}, {"-", JSONPATH_SUB}};
	struct jsonpath_node *node = read_product(r);
	const struct path_operator *found;

	while (node && (found = find_operator(r, operators, 2))) {
		struct jsonpath_node *right;

		if (!want_value(r, node))
			return NULL;
		right = jsonpath_next_token(r) ? want_value(r, read_product(r)) : NULL;
		node = right ? new_pair(r, found->kind, node, right) : NULL;
	}
	return node;
}

static struct jsonpath_node *read_starts_with(struct path_reader *r, struct jsonpath_node *left)
{
	struct jsonpath_node *right;

	if (!jsonpath_next_token(r) || !is_word(r, "with") || !jsonpath_next_token(r)) {
		syntax_error(r);
		return NULL;
	}
	if (r->token.kind != TOKEN_STRING && r->token.kind != TOKEN_VARIABLE) {
		syntax_error(r);
		return NULL;
	}
	right = read_primary(r);
	return right ? new_pair(r, JSONPATH_STARTS_WITH, left, right) : NULL;
}

static bool read_flags(struct path_reader *r, struct jsonpath_node *node)
{
	static const char letters[] = "ismxq";

	if (!jsonpath_next_token(r) || r->token.kind != TOKEN_STRING)
		return syntax_error(r);
	for (uint32_t i = 0; i < r->token.text.size; i++) {
		const char *found = strchr(letters, r->token.text.data[i]);

		if (!found)
			return jsonpath_fail(
				r, "unrecognized flag character in LIKE_REGEX predicate");
		node->flags |= (uint8_t)(1u << (found - letters));
	}
	if (node->flags & JSONPATH_FLAG_X && !(node->flags & JSONPATH_FLAG_Q))
		return jsonpath_fail(
			r, "XQuery \"x\" flag (expanded regular expressions) is not implemented");
	return jsonpath_next_token(r);
}

static struct jsonpath_node *read_like_regex(struct path_reader *r, struct jsonpath_node *left)
{
	struct jsonpath_node *node = new_pair(r, JSONPATH_LIKE_REGEX, left, NULL);

	if (!jsonpath_next_token(r))
		return NULL;
	if (r->token.kind != TOKEN_STRING) {
		syntax_error(r);
		return NULL;
	}
	node->text = r->token.text;
	if (!jsonpath_next_token(r))
		return NULL;
	return !is_word(r, "flag") || read_flags(r, node) ? node : NULL;
}

/* A comparison, or what is no condition. */
static struct jsonpath_node *read_comparison(struct path_reader *r)
{
	static const struct path_operator operators[] = {{"==", JSONPATH_EQ}, {"!=", JSONPATH_NE},
		{"<>", JSONPATH_NE}, {"<", JSONPATH_LT}, {"<=", JSONPATH_LE}, {">", JSONPATH_GT},
		{">=", JSONPATH_GE}};
	const struct path_operator *found;
	struct jsonpath_node *node, *right;

	if (is_at(r, "!")) {
		if (!jsonpath_next_token(r))
			return NULL;
		if (!is_at(r, "(") && !is_word(r, "exists")) {
			syntax_error(r);
			return NULL;
		}
		node = want_condition(r, read_signed(r));
		return node ? new_pair(r, JSONPATH_NOT, node, NULL) : NULL;
	}
	node = read_sum(r);
	if (!node)
		return NULL;
	found = find_operator(r, operators, sizeof(operators) / sizeof(operators[0]));
	if (!found && !is_word(r, "starts") && !is_word(r, "like_regex"))
		return node;
	if (!want_value(r, node))
		return NULL;
	if (!found)
		return is_word(r, "starts") ? read_starts_with(r, node) : read_like_regex(r, node);
	right = jsonpath_next_token(r) ? want_value(r, read_sum(r)) : NULL;
	return right ? new_pair(r, found->kind, node, right) : NULL;
}

/* Conditions that are tied by && or, at a higher level, by ||. */
static struct jsonpath_node *read_logic(struct path_reader *r, bool either)
{
	const char *mark = either ? "||" : "&&";
	struct jsonpath_node *node = either ? read_logic(r, false) : read_comparison(r);

	while (node && is_at(r, mark)) {
		struct jsonpath_node *right = NULL;

		if (!want_condition(r, node))
			return NULL;
		if (jsonpath_next_token(r))
			right = want_condition(
				r, either ? read_logic(r, false) : read_comparison(r));
		node = right ? new_pair(r, either ? JSONPATH_OR : JSONPATH_AND, node, right) : NULL;
	}
	return node;
}

static struct jsonpath_node *read_condition(struct path_reader *r)
{
	return read_logic(r, true);
}

bool jsonpath_parse(
	struct text text, struct arena *arena, struct jsonpath *out, const char **reason)
{
	struct path_reader r = {.at = text.data, .end = text.data + text.size, .arena = arena};

	*out = (struct jsonpath){0};
	if (jsonpath_next_token(&r)) {
		out->strict = is_word(&r, "strict");
		if (!out->strict && !is_word(&r, "lax"))
			out->root = read_condition(&r);
		else
			out->root = jsonpath_next_token(&r) ? read_condition(&r) : NULL;
	}
	if (out->root && r.token.kind != TOKEN_END)
		syntax_error(&r);
	*reason = r.reason ? r.reason : "syntax error";
	return out->root && !r.reason;
}
