/*
 * Rows that leave a fragment become packets: each output's exchange says which node gets a row, and
 * when a packet is cut every destination of the stream gets one of that number.
 *
 * Legal order of calls: start, any number of add, cut, and again. For one stream and one thread.
 */
#ifndef FLOW_PACKER_H
#define FLOW_PACKER_H

#include "flow/message.h"

/* Where a query's result goes instead of to a node. */
#define FLOW_GATEWAYS UINT32_MAX

struct packer;

/* `topology` and its plan are borrowed. */
struct packer *packer_new(const struct topology *topology, uint64_t job, flow_stream stream);
void packer_free(struct packer *packer);

/* The packets to come have this number: rows for "any instance" go where it says. */
void packer_start(struct packer *packer, uint32_t number);
/* Rows that leave `fragment`, one of the stream's producers. */
MUST_CHECK int packer_add(
	struct packer *packer, uint32_t fragment, const struct batch *batch, struct error *err);
/* Bytes of the largest packet so far. */
size_t packer_size(const struct packer *packer);

/* One packet for `node`; the bytes are borrowed. -1 ends the cut. */
typedef int (*packer_send)(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err);
/* Sends a packet to each destination, ascending, and is empty again. ERROR_LIMIT: one is too large.
 */
MUST_CHECK int packer_cut(
	struct packer *packer, packer_send send, void *context, struct error *err);

#endif
