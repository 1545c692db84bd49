/* What the watchers of a cluster say (watch/report.h), for people. */
#ifndef CLI_PRINT_WATCH_REPORT_H
#define CLI_PRINT_WATCH_REPORT_H

#include "watch/report.h"

/* A table of the nodes with their states and restarts. */
void watch_report_print(const struct watch_report *report, struct buf *out);

#endif
