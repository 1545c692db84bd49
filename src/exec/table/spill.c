#include "exec/table/spill.h"

#define MEGABYTE 1048576.0

int op_memory_refuse(const struct memory_account *account, const char *what, struct error *err)
{
	const struct memory_budget *budget = memory_account_limit(account);

	return error_set(err, ERROR_LIMIT,
		"there is not enough memory: %s holds %.1f MB of the %.1f MB that there are for "
		"rows; %s says how much may be used",
		what, (double)account->held / MEGABYTE, (double)budget->limit / MEGABYTE,
		budget->set_by ? budget->set_by : "--memory");
}
