#include "input/binary.h"

#include <string.h>

/* What stands at a place near the start of a file of the kind, and for some kinds soon after it. */
struct binary_kind {
	size_t offset;
	const char *start;
	size_t start_size;
	const char *soon; /* NULL: nothing more */
	const char *name;
};

#define SOON_SIZE    512u
#define START(bytes) bytes, sizeof(bytes) - 1

/* The first that fits counts. */
static const struct binary_kind kinds[] = {
	{0, START("PAR1"), NULL, "a Parquet file"},
	{0, START("ARROW1"), NULL, "an Arrow file"},
	{0, START("Obj\001"), NULL, "an Avro file"},
	{0, START("ORC"), NULL, "an ORC file"},
	{8, START("DUCK"), NULL, "a DuckDB database"},
	{0, START("SQLite format 3"), NULL, "an SQLite database"},
	{0, START("PK\003\004"), "xl/", "an Excel workbook: save its sheets as CSV"},
	{0, START("PK\003\004"), "[Content_Types].xml",
		"an Office document: if it is a workbook, save its sheets as CSV"},
	{0, START("PK\003\004"), "opendocument",
		"an OpenDocument file: if it is a workbook, save its sheets as CSV"},
	{0, START("PK\003\004"), NULL, "a zip archive, which must be called .zip"},
	{0, START("\320\317\021\340"), NULL,
		"an old Office document: if it is a workbook, save its sheets as CSV"},
	{0, START("%PDF-"), NULL, "a PDF document"},
	{0, START("\177ELF"), NULL, "a program"},
	{0, START("\211PNG"), NULL, "a picture"},
	{0, START("\377\330\377"), NULL, "a picture"},
	{0, START("7z\274\257\047\034"), NULL, "a 7z archive"},
};

const char *binary_name(const char *head, size_t size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct binary_kind *kind = &kinds[i];

		if (size < kind->offset + kind->start_size ||
			memcmp(head + kind->offset, kind->start, kind->start_size) != 0)
			continue;
		if (!kind->soon || memmem(head, size < SOON_SIZE ? size : SOON_SIZE, kind->soon,
					   strlen(kind->soon)))
			return kind->name;
	}
	return NULL;
}
