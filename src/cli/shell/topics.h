/* What there is to say of statements without a session. */
#ifndef CLI_SHELL_TOPICS_H
#define CLI_SHELL_TOPICS_H

#include "base/buf.h"

/* How statements are written; false when `name` has no page. Without a name: which have. */
bool help_statement(const char *name, struct buf *out);
/* All of them, and what functions there are: tamiz help sql. */
void help_sql(struct buf *out);

#endif
