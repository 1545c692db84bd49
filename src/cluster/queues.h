/* What the queues of the roles are called at the broker, behind the prefix of the cluster file. */
#ifndef CLUSTER_QUEUES_H
#define CLUSTER_QUEUES_H

#define ROLE_QUEUE_WORK	     "tamiz.work"
#define ROLE_QUEUE_COLLECTOR "tamiz.collector"
#define ROLE_QUEUE_REDUCER   "tamiz.reducer.%u"
#define ROLE_QUEUE_GATEWAY   "tamiz.gateway.%u"

#endif
