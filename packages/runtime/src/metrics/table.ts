/**
 * Table of all metrics of Perch: name, type, labels with their values, help. `Metrics` creates metrics only from it, docs/reference/metrics.md
 * is generated from it, and tests compare it with what running instances expose. Names end in their unit; counters end in `_total`.
 */
import { gatewayMetrics } from './gateway-metrics.js';
import { linkMetrics, robotMetrics } from './link-metrics.js';
import { components, redisComponents, type Component, type MetricRow, type MetricRows } from './metric-row.js';
import { phases } from '../health.js';

/** Buckets for round trips within a data centre and for those to a stalled Redis. */
const roundTripBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const processMetrics = {
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

const redisMetrics = {
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
    help: 'Records and jobs in Redis that this release cannot read, by format (packages/store/src/redis/formats.ts). Records count as missing; jobs are left to other instances.',
  },
} as const satisfies MetricRows;

const mqttMetrics = {
  perch_mqtt_broker_up: { type: 'gauge', labels: {}, help: '1 while the bridge is connected to the MQTT broker, 0 while it is not.' },
  perch_mqtt_robots: { type: 'gauge', labels: {}, help: 'Robots that the bridge publishes to the MQTT broker.' },
  perch_mqtt_commands_total: {
    type: 'counter',
    labels: { outcome: ['done', 'failed', 'refused'] },
    help: 'Commands received over MQTT, by outcome. failed: Perch answered with an error, or not at all. refused: the payload was wrong, or too many commands of the robot were pending.',
  },
  perch_mqtt_events_total: {
    type: 'counter',
    labels: { outcome: ['published', 'dropped'] },
    help: 'Events of robots, by outcome. dropped: the broker was not connected, or the event was more than a minute old.',
  },
} as const satisfies MetricRows;

const check = ['call', 'question'] as const;

const probeMetrics = {
  perch_probe_checks_total: {
    type: 'counter',
    labels: { check, outcome: ['ok', 'failed'] },
    help: 'Checks of the probe by outcome. call: a call through the public address that needs no robot, once an interval. question: a question that the robot of the probe answers, every fourth time. failed: not the expected answer within the time limit, whatever the reason: no name, no connection, a certificate, an answer of the balancer, an error of Perch.',
  },
  perch_probe_checks_skipped_total: {
    type: 'counter',
    labels: { check },
    help: 'Checks that failed while, or just after, the probe itself was stopped or its machine was too busy to run it. They are not in perch_probe_checks_total.',
  },
  perch_probe_check_seconds: {
    type: 'histogram',
    labels: { check },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30],
    help: 'Duration of the checks that succeeded. A call includes the DNS lookup and a new connection; a question includes 350 to 650 ms in which the person at the robot thinks.',
  },
  perch_probe_last_check_timestamp_seconds: {
    type: 'gauge',
    labels: { check },
    help: 'Unix time at which the last check that counts ended. Before the first, when the probe started. It stands still where the probe hangs or skips its checks, and then perch_probe_checks_total tells nothing.',
  },
  perch_probe_robot_connected: { type: 'gauge', labels: {}, help: '1 while the robot of the probe is connected to a robot-link, 0 while it is not.' },
} as const satisfies MetricRows;

const kind = ['draw', 'sound', 'speech'] as const;
const queue = ['scenes', 'uploads', 'speech'] as const;

const rendererMetrics = {
  perch_render_jobs_total: {
    type: 'counter',
    labels: { kind, outcome: ['made', 'bad_picture', 'failed', 'dropped'] },
    help: 'Render jobs for pictures, sounds and speech, by outcome. dropped: no caller waited for the job any longer.',
  },
  perch_render_duration_seconds: {
    type: 'histogram',
    labels: { kind },
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    help: 'Time from taking a job to its finished picture or sound.',
  },
  perch_render_bytes: {
    type: 'histogram',
    labels: { kind },
    buckets: [1e3, 4e3, 16e3, 32e3, 64e3, 98_304, 256e3, 1e6, 2e6],
    help: 'Size of the rendered pictures and sounds.',
  },
  perch_render_wait_seconds: {
    type: 'histogram',
    labels: { kind },
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    help: 'Time from the request for a picture or sound until a renderer takes the job. Includes the difference between the clocks of the two machines.',
  },
  perch_render_taken_total: {
    type: 'counter',
    labels: { kind, way: ['direct', 'queue'] },
    help: 'Renders that this instance has taken, by way. direct: sent by a gateway to a free place, past the queue.',
  },
  perch_render_open_jobs: {
    type: 'gauge',
    labels: {},
    help: 'Jobs that this instance has taken: being rendered, or waiting for a free render process.',
  },
  perch_render_waiting_jobs: {
    type: 'gauge',
    labels: { queue },
    help: 'Queued jobs of all instances that no renderer has taken yet, by queue: scenes (and sounds), uploads (pictures that contain uploads), and speech.',
  },
  perch_render_oldest_waiting_job_seconds: {
    type: 'gauge',
    labels: { queue },
    help: 'Age of the oldest queued job of all instances that no renderer has taken yet, by queue; 0 if the queue is empty.',
  },
  perch_media_bytes: { type: 'gauge', labels: {}, help: 'Size of the pictures and sounds of all accounts in Redis.' },
  perch_media_bytes_max: { type: 'gauge', labels: {}, help: 'Maximum of perch_media_bytes (PERCH_MEDIA_MB, on all masters together).' },
  perch_redis_memory_bytes: { type: 'gauge', labels: { master: null }, help: 'Memory used by each Redis master (used_memory), by its address.' },
  perch_redis_memory_bytes_max: {
    type: 'gauge',
    labels: { master: null },
    help: 'Memory limit of each Redis master (maxmemory), by its address. Missing for a master without a limit.',
  },
  perch_redis_evicted_keys: {
    type: 'gauge',
    labels: { master: null },
    help: 'Keys that each Redis master has evicted since it was started, by its address. Each increase is lost data. Missing where Redis does not report it.',
  },
} as const satisfies MetricRows;

const webhookMetrics = {
  perch_webhook_attempts_total: {
    type: 'counter',
    labels: { outcome: ['delivered', 'again', 'failed'] },
    help: 'Attempts to deliver a message to a webhook, by outcome. again: the attempt failed and will be retried.',
  },
  perch_webhook_left_out_total: {
    type: 'counter',
    labels: {},
    help: 'Messages that were never sent because too many messages of their webhook were pending or the storage of the account was full.',
  },
  perch_webhook_attempt_seconds: {
    type: 'histogram',
    labels: {},
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    help: 'Duration of an attempt, from the DNS lookup to the answer.',
  },
  perch_webhook_open_attempts: { type: 'gauge', labels: {}, help: 'Delivery attempts of this instance in flight.' },
  perch_webhook_waiting_messages: {
    type: 'gauge',
    labels: {},
    help: 'Messages of all accounts that wait for an attempt. Every instance reports the same number.',
  },
  perch_webhook_oldest_waiting_message_seconds: {
    type: 'gauge',
    labels: {},
    help: 'How long the oldest message of all accounts has been due for an attempt; 0 if none is due. A message that waits for its next retry is not due. Every instance reports the same number.',
  },
} as const satisfies MetricRows;

export interface MetricGroup {
  title: string;
  components: readonly Component[];
  path: '/metrics' | '/metrics/robots';
  metrics: MetricRows;
}

export const metricGroups: readonly MetricGroup[] = [
  { title: 'Every instance', components, path: '/metrics', metrics: processMetrics },
  { title: 'Every instance that uses Redis', components: redisComponents, path: '/metrics', metrics: redisMetrics },
  { title: 'Gateway', components: ['gateway'], path: '/metrics', metrics: gatewayMetrics },
  { title: 'Robot-link', components: ['robot-link'], path: '/metrics', metrics: linkMetrics },
  { title: 'Renderer', components: ['renderer'], path: '/metrics', metrics: rendererMetrics },
  { title: 'Webhooks', components: ['webhooks'], path: '/metrics', metrics: webhookMetrics },
  { title: 'MQTT bridge', components: ['mqtt-bridge'], path: '/metrics', metrics: mqttMetrics },
  { title: 'Probe', components: ['probe'], path: '/metrics', metrics: probeMetrics },
  { title: 'Each robot', components: ['robot-link'], path: '/metrics/robots', metrics: robotMetrics },
];

export const metricTable = {
  ...processMetrics,
  ...redisMetrics,
  ...gatewayMetrics,
  ...linkMetrics,
  ...rendererMetrics,
  ...webhookMetrics,
  ...mqttMetrics,
  ...probeMetrics,
  ...robotMetrics,
} as const;

export type MetricName = keyof typeof metricTable;
export type NamesOf<T extends MetricRow['type']> = { [N in MetricName]: (typeof metricTable)[N]['type'] extends T ? N : never }[MetricName];

export type LabelsOf<N extends MetricName> = {
  [L in keyof (typeof metricTable)[N]['labels']]: (typeof metricTable)[N]['labels'][L] extends readonly (infer V)[] ? V : string;
};
