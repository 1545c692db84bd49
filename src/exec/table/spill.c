#include "exec/table/spill.h"

#define MEGABYTE 1048576.0

int op_memory_refuse(const struct memory_account *account, const char *what, struct error *err)
{
	return error_set(err, ERROR_LIMIT,
		"there is not enough memory: %s holds %.1f MB of the %.1f MB that there are for "
		"rows; "
		"--memory says how much may be used",
		what, (double)account->held / MEGABYTE, (double)account->budget->limit / MEGABYTE);
}
