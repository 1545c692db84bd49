/* Views, as the compiler sees them: common table expressions around every query. */
#ifndef SQL_VIEWS_PRIVATE_H
#define SQL_VIEWS_PRIVATE_H

#include "sql/parse/ast.h"
#include "sql/statement.h"

struct sql_views {
	struct arena *arena;
	uint32_t count;
	struct ast_cte ctes[SQL_VIEWS_MAX]; /* in the order in which they were made */
	struct ast_tables tables[SQL_VIEWS_MAX];
};

#endif
