#include "gen/text.h"

#include "base/hash.h"
#include "column/datetime.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Commas, a doubled quote and words that are not ASCII: what a reader of CSV must get right. */
static const char *const neutral[] = {"the", "a", "of", "and", "to", "in", "it", "that", "was",
	"is", "with", "for", "his", "her", "on", "as", "at", "by", "from", "this", "which", "who",
	"story", "book", "city", "family", "years", "world", "young", "man", "woman", "war",
	"house", "chapter", "reader", "author", "page", "river", "night", "morning", "letter",
	"journey", "father", "mother", "daughter", "brother", "village", "train", "winter",
	"summer", "school", "after", "before", "when", "while", "under", "between", "about", "into",
	"over", "through", "writes", "tells", "begins", "returns", "finds", "meets", "leaves",
	"follows", "remembers", "history", "music", "science", "language", "garden", "kitchen",
	"island", "mountain", "\"\"quoted\"\"", "caf\xc3\xa9", "na\xc3\xafve", "se\xc3\xb1or",
	"one-way", "twenty-first", "isn't", "doesn't", "it's", "author's", "however,", "then,",
	"meanwhile,", "1984", "42"};
static const char *const good[] = {"good", "great", "wonderful", "excellent", "love", "loved",
	"beautiful", "best", "happy", "enjoy", "enjoyed", "brilliant", "perfect", "fun",
	"interesting", "charming", "delightful", "amazing", "very good", "recommend", "favorite"};
static const char *const bad[] = {"bad", "terrible", "boring", "awful", "hate", "hated", "worst",
	"poor", "sad", "disappointing", "dull", "horrible", "waste", "ugly", "annoying", "not good",
	"not great", "stupid", "failed", "murder", "death"};
static const char *const title_words[] = {"The", "Silent", "River", "of", "Stars", "Night",
	"Garden", "Last", "Summer", "Winter", "House", "Memory", "Glass", "Iron", "Paper", "Red",
	"Blue", "Distant", "Letters", "Journey", "Shadow", "Light", "Stone", "Sea", "Wind",
	"Second", "First", "Island", "Road", "Song", "Dance", "Dream"};
static const char *const first_names[] = {"Ana", "Bruno", "Carla", "Diego", "Elena", "Federico",
	"Graciela", "Hugo", "Inés", "Jorge", "Karina", "Luis", "Marta", "Nicolás", "Olga", "Pablo",
	"Quentin", "Ricardo", "Sofía", "Tom", "Ursula", "Vera", "Walter", "Ximena", "Yolanda",
	"Zoë", "Penny", "Norma", "John", "Mary", "James", "Ruth"};
static const char *const last_names[] = {"Acosta", "Bianchi", "Castro", "D'Angelo", "Estrada",
	"Ferreyra", "Gómez", "Herrera", "Ibarra", "Jones", "Klein", "López", "Moreno", "Nolan",
	"O'Hara", "Peralta", "Quiroga", "Romero", "Suárez", "Torres", "Urquiza", "Vega", "Walsh",
	"Young", "Zapata", "Smith", "Brown", "Taylor", "Wilson", "Davies", "Evans", "Hall"};

char *text_put(char *out, const char *text)
{
	size_t size = strlen(text);

	memcpy(out, text, size);
	return out + size;
}

char *text_put_number(char *out, uint64_t value)
{
	char digits[20];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	while (count > 0)
		*out++ = digits[--count];
	return out;
}

char *text_put_two(char *out, uint32_t value)
{
	out[0] = (char)('0' + value / 10 % 10);
	out[1] = (char)('0' + value % 10);
	return out + 2;
}

char *text_put_date(char *out, int64_t days)
{
	struct civil date = civil_from_days(days);

	out = text_put_two(out, (uint32_t)date.year / 100);
	out = text_put_two(out, (uint32_t)date.year % 100);
	*out++ = '-';
	out = text_put_two(out, date.month);
	*out++ = '-';
	return text_put_two(out, date.day);
}

static const char *pick_word(uint32_t draw, int mood)
{
	uint32_t kind = draw & 0xff, word = draw >> 8;
	/* Of 256 words 24 say something; a mood of 100 makes all of them good. */
	uint32_t good_until = (uint32_t)(12 + 12 * mood / 100);

	if (kind < good_until)
		return good[word % COUNT(good)];
	if (kind < 24)
		return bad[word % COUNT(bad)];
	return neutral[word % COUNT(neutral)];
}

char *text_put_sentence(char *out, struct rng *rng, int mood)
{
	uint64_t bits = rng_next(rng);
	uint32_t words = 6 + (uint32_t)(bits & 15);
	char *start = out;

	for (uint32_t i = 0; i < words; i += 2) {
		uint64_t draw = rng_next(rng);

		out = text_put(out, pick_word((uint32_t)draw & 0xffffff, mood));
		*out++ = ' ';
		out = text_put(out, pick_word((uint32_t)(draw >> 32) & 0xffffff, mood));
		*out++ = ' ';
	}
	if (*start >= 'a' && *start <= 'z')
		*start = (char)(*start - 'a' + 'A');
	out[-1] = (bits >> 8) % 12 == 0 ? '!' : '.';
	return out;
}

char *text_put_title(char *out, uint64_t number)
{
	uint64_t bits = hash_u64(number);
	uint32_t words = 2 + (uint32_t)(bits % 3);

	for (uint32_t i = 0; i < words; i++) {
		bits >>= 7;
		out = text_put(out, title_words[bits % COUNT(title_words)]);
		*out++ = ' ';
	}
	return out - 1;
}

char *text_put_name(char *out, uint64_t number)
{
	uint64_t last = number / COUNT(first_names);

	out = text_put(out, first_names[number % COUNT(first_names)]);
	*out++ = ' ';
	/* Past the first thousand names, people have a second initial. */
	if (last >= COUNT(last_names)) {
		*out++ = (char)('A' + last / COUNT(last_names) % 26);
		*out++ = '.';
		*out++ = ' ';
	}
	return text_put(out, last_names[last % COUNT(last_names)]);
}

/* As repr() does: single quotes, but double ones around an apostrophe. */
char *text_put_python_name(char *out, uint64_t number)
{
	char name[TEXT_NAME_MAX];
	size_t size = (size_t)(text_put_name(name, number) - name);
	const char *quote = memchr(name, '\'', size) ? "\"\"" : "'";

	out = text_put(out, quote);
	memcpy(out, name, size);
	return text_put(out + size, quote);
}
