/* The console of a gateway: a process of its own, which ends with it, so that nothing that pages ask can hurt a node. */
#ifndef CLI_UI_CONSOLE_PROCESS_H
#define CLI_UI_CONSOLE_PROCESS_H

#include "base/error.h"

#include <stdint.h>

/* Starts `tamiz console --file FILE --index N`, and again whenever it ends. ERROR_IO. `file` is copied. */
MUST_CHECK int console_process_start(const char *file, uint32_t index, struct error *err);

#endif
