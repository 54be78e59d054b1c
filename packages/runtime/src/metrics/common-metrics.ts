import { phases } from '../service/health.js';
import { components, type MetricRows } from './metric-row.js';

/** Buckets for round trips within a data centre and for those to a stalled Redis. */
const roundTripBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export const processMetrics = {
  perch_build_info: {
    type: 'gauge',
    labels: { component: components, version: null, wire: null },
    help: 'Always 1. The labels name the kind of process, its release, and the newest version of messages between instances that it writes; empty for an mqtt-bridge and a probe, which write none.',
  },
  perch_instance_phase: {
    type: 'gauge',
    labels: { phase: phases },
    help: '1 for the current phase of the instance, 0 for the others.',
  },
  perch_event_loop_delay_seconds: {
    type: 'summary',
    labels: { quantile: ['0.5', '0.99', '1'] },
    help: 'Delay of the event loop by quantile: the larger of the last complete window of 10 s and the current one.',
  },
} as const satisfies MetricRows;

export const redisMetrics = {
  perch_redis_up: {
    type: 'gauge',
    labels: {},
    help: '1 if every Redis master took the last write of this instance within the deadline for commands (1 s), or refused it only because its memory is full; otherwise 0. Each instance makes one a second.',
  },
  perch_redis_refused: {
    type: 'gauge',
    labels: { reason: ['READONLY', 'MISCONF', 'OOM', 'NOPERM', 'NOREPLICAS', 'BUSY', 'maxclients', 'other'] },
    help: '1 if Redis refused something that this instance asked within the last minute, by the reason that it gave; otherwise 0. other: LOADING, CLUSTERDOWN, MASTERDOWN, NOAUTH and the like.',
  },
  perch_redis_round_trip_seconds: {
    type: 'histogram',
    labels: {},
    buckets: roundTripBuckets,
    help: 'Duration of one round trip to Redis a second, from the command to its reply. A busy event loop lengthens it.',
  },
  perch_redis_reconnects_total: {
    type: 'counter',
    labels: { connection: ['commands', 'subscriber', 'blocking'] },
    help: 'Reconnections to Redis after a lost connection, by use: commands, subscriptions, or blocking reads of queues. On a Redis Cluster each node counts.',
  },
  perch_redis_lost_writes: {
    type: 'gauge',
    labels: {},
    help: 'Number of Redis masters that dropped transactions while they loaded their append-only file, until an operator runs perch redis restored. Above 0 acknowledged data is lost.',
  },
  perch_redis_capability: {
    type: 'gauge',
    labels: { name: ['master', 'noeviction', 'aof', 'waitaof', 'commands', 'maxclients'] },
    help: '1 if Redis has this capability, 0 if not, of several masters the worst: master (it is one), noeviction (it never evicts keys), aof (append-only file), waitaof (it tells when a write is on disk), commands (it refused no command for permissions in the last 10 minutes), maxclients (less than 80 % of the clients that it permits). Missing where unknown.',
  },
  perch_heartbeats_late_total: {
    type: 'counter',
    labels: {},
    help: 'Heartbeats of this instance that Redis received so late that other instances could already treat it as dead.',
  },
  perch_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    labels: { certificate: ['redis_server', 'redis_client', 'redis_ca'] },
    help: 'Unix time at which a certificate of the TLS connection to Redis expires. Missing where TLS is not used.',
  },
  perch_unreadable_records_total: {
    type: 'counter',
    labels: { format: null },
    help: 'Records and jobs in Redis that this release cannot read, by format (packages/store/src/versions/formats.ts). Records count as missing; jobs are left to other instances.',
  },
} as const satisfies MetricRows;
