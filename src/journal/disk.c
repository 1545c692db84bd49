#include "journal/disk.h"

#include <string.h>

bool disk_name_valid(const char *name, size_t size)
{
	if (size == 0 || name[0] == '.')
		return false;
	for (size_t i = 0; i < size; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			    c == '.' || c == '-' || c == '_'))
			return false;
	}
	return true;
}

bool disk_path_valid(const char *path)
{
	if (strnlen(path, DISK_PATH_MAX) >= DISK_PATH_MAX)
		return false;
	for (;;) {
		size_t size = strcspn(path, "/");

		if (!disk_name_valid(path, size))
			return false;
		if (path[size] == '\0')
			return true;
		path += size + 1;
	}
}
