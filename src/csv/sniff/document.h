/* Texts that are no tables, however their lines could be divided: web pages, XML, PDF, JSON. */
#ifndef CSV_SNIFF_DOCUMENT_H
#define CSV_SNIFF_DOCUMENT_H

#include <stddef.h>

/* What the text that starts so is, and what to do about it; NULL: no such document. */
const char *document_of(const char *data, size_t size);

#endif
