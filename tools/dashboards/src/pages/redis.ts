/** Mostly as observed by Perch. */
import { mediaPanel } from '../media-panel.js';
import { createPage } from '../page.js';
import { stat, timeSeries } from '../panel.js';
import { orZero, overRange, perSecond, withComponent } from '../promql.js';
import { units } from '../units.js';
import { orangeAboveZero, redAboveZero, redBelowOne, worseAbove, worseBelow, yesNo } from '../values.js';

const byExporter = 'From redis_exporter (compose has one).';

export const redis = createPage({
  name: 'redis',
  title: 'Perch: Redis and queues',
  description: 'Redis as the instances of Perch see it, its memory, and the queues in it.',
  sections: [
    {
      title: 'Reachable and fast?',
      panels: [
        stat(
          {
            title: 'Redis takes writes',
            description: 'Yes: every master of Redis took the last write of every instance. No: not the write of at least one.',
            width: 6,
            unit: units.count,
            queries: [{ expr: 'min(perch_redis_up)', legend: 'Redis' }],
            mappings: yesNo,
            thresholds: redBelowOne,
            runbooks: ['PerchRedisUnreachable'],
          },
          { graph: false },
        ),
        stat(
          {
            title: 'Lost writes',
            description: 'Masters that dropped transactions when they loaded their append-only file. Above 0 acknowledged data is lost.',
            width: 6,
            unit: units.count,
            decimals: 0,
            queries: [{ expr: 'max(perch_redis_lost_writes)', legend: 'masters' }],
            thresholds: redAboveZero,
            runbooks: ['PerchRedisLostWrites'],
          },
          { graph: false },
        ),
        stat(
          {
            title: 'Fit for Perch',
            description:
              'Yes: every master takes writes, evicts no keys, and refuses no command for permissions. No: one does not, as an instance found.',
            width: 6,
            unit: units.count,
            queries: [{ expr: 'min(perch_redis_capability{name=~"master|noeviction|commands"})', legend: 'Redis' }],
            mappings: yesNo,
            thresholds: redBelowOne,
            runbooks: ['PerchRedisNotMaster', 'PerchRedisEvicts', 'PerchRedisCommandsRefused'],
          },
          { graph: false },
        ),
        stat(
          {
            title: 'Evicted keys',
            description: 'Keys that a master deleted to make room, since it was started. Above 0 data is lost.',
            width: 6,
            unit: units.count,
            decimals: 0,
            queries: [{ expr: 'max(perch_redis_evicted_keys)', legend: 'keys' }],
            thresholds: redAboveZero,
            runbooks: ['PerchRedisEvictedKeys'],
          },
          { graph: false },
        ),
        stat({
          title: 'Round trip',
          description: 'How long sampled commands took, over all instances: 99th percentile.',
          width: 6,
          unit: units.seconds,
          queries: [
            { expr: 'histogram_quantile(0.99, sum by (le) (rate(perch_redis_round_trip_seconds_bucket[$__rate_interval])))', legend: '99 %' },
          ],
          thresholds: worseAbove(0.05, 0.5),
          runbooks: ['PerchRedisSlow'],
        }),
        stat(
          {
            title: 'Late heartbeats',
            description:
              'Heartbeats that Redis received so late that other instances could treat the instance as dead, over the time range of the page.',
            width: 6,
            unit: units.count,
            decimals: 0,
            queries: [{ expr: overRange('perch_heartbeats_late_total'), legend: 'late' }],
            thresholds: orangeAboveZero,
            runbooks: ['PerchHeartbeatsLate'],
          },
          { graph: false },
        ),
        stat({
          title: 'Memory in use',
          description: 'Memory of the fullest master against its limit (maxmemory). At 100 % Redis refuses writes, and calls fail with storage_full.',
          width: 6,
          unit: units.share,
          decimals: 1,
          queries: [{ expr: 'max(perch_redis_memory_bytes / perch_redis_memory_bytes_max)', legend: 'in use' }],
          thresholds: worseAbove(0.75, 0.9),
          runbooks: ['PerchRedisMemoryNearlyFull'],
        }),
        stat(
          {
            title: 'First certificate expires',
            description: 'Time until the first certificate of the TLS connection to Redis expires. No data where TLS is not used.',
            width: 6,
            unit: units.seconds,
            queries: [{ expr: 'min(perch_certificate_expiry_timestamp_seconds) - time()', legend: 'left' }],
            thresholds: worseBelow(7 * 86_400, 30 * 86_400),
            runbooks: ['PerchCertificateExpiring'],
          },
          { graph: false },
        ),
        timeSeries({
          title: 'Round trip by service',
          description:
            'How long sampled commands took, by the service that sent them: 99th percentile. If one service alone is slow, look at that service, not at Redis.',
          unit: units.seconds,
          queries: [
            {
              expr: `histogram_quantile(0.99, sum by (le, component) (${withComponent('rate(perch_redis_round_trip_seconds_bucket[$__rate_interval])')}))`,
              legend: '{{component}}',
            },
          ],
        }),
        timeSeries({
          title: 'Refusals by reason',
          description: 'Instances to which Redis refused something within the last minute, by the reason that it gave.',
          unit: units.count,
          decimals: 0,
          queries: [{ expr: 'sum by (reason) (perch_redis_refused) > 0', legend: '{{reason}}' }],
          runbooks: ['PerchRedisRefusing'],
        }),
        timeSeries({
          title: 'Connections established again, by use',
          description:
            'Connections to Redis that were lost and established again, a second: for commands, for subscriptions, and for blocking reads of queues.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_redis_reconnects_total', { by: 'connection' }), legend: '{{connection}}' }],
          runbooks: ['PerchRedisUnreachable'],
        }),
        timeSeries({
          title: 'Late heartbeats by service',
          description:
            'Heartbeats, a second, that Redis received so late that other instances could treat the instance as dead. Causes: a blocked event loop, a machine without processor time, a stalled Redis.',
          unit: units.perSecond,
          queries: [
            { expr: `sum by (component) (${withComponent('rate(perch_heartbeats_late_total[$__rate_interval])')})`, legend: '{{component}}' },
          ],
        }),
        timeSeries({
          title: 'Records that could not be read',
          description:
            'Records and jobs in Redis that a release cannot read, a second, by format. Not 0: an older release runs on data of a newer one.',
          unit: units.perSecond,
          queries: [{ expr: orZero(perSecond('perch_unreadable_records_total')), legend: 'not readable' }],
          runbooks: ['PerchMessagesUnreadable'],
        }),
      ],
    },
    {
      title: 'Memory',
      panels: [
        timeSeries({
          title: 'Memory by master',
          description: 'Memory that each master uses (used_memory).',
          unit: units.bytes,
          queries: [{ expr: 'max by (master) (perch_redis_memory_bytes)', legend: '{{master}}' }],
          runbooks: ['PerchRedisMemoryNearlyFull'],
        }),
        mediaPanel(),
      ],
    },
    {
      title: 'Queues',
      panels: [
        timeSeries({
          title: 'Jobs that wait',
          description: 'Pictures and sounds that wait for a renderer, and messages that wait for an attempt to deliver them.',
          unit: units.count,
          queries: [
            { expr: 'max by (queue) (perch_render_waiting_jobs)', legend: 'pictures and sounds: {{queue}}' },
            { expr: 'max(perch_webhook_waiting_messages)', legend: 'messages to webhooks' },
          ],
          runbooks: ['PerchQueueStuck', 'PerchWebhooksStuck'],
        }),
        timeSeries({
          title: 'Age of the oldest',
          description: 'How long the oldest of each has waited. A line that rises steadily is a queue whose jobs are not processed.',
          unit: units.seconds,
          queries: [
            { expr: 'max by (queue) (perch_render_oldest_waiting_job_seconds)', legend: 'pictures and sounds: {{queue}}' },
            { expr: 'max(perch_webhook_oldest_waiting_message_seconds)', legend: 'messages to webhooks' },
          ],
          runbooks: ['PerchQueueStuck', 'PerchWebhooksStuck'],
        }),
      ],
    },
    {
      title: 'As Redis itself sees it (redis_exporter)',
      panels: [
        timeSeries({
          title: 'Commands',
          description: `Commands that Redis executed, a second. ${byExporter}`,
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: 'sum by (instance) (rate(redis_commands_processed_total[$__rate_interval]))', legend: '{{instance}}' }],
        }),
        timeSeries({
          title: 'Clients',
          description: `Connections to Redis, and those of them that wait in a blocking command. ${byExporter}`,
          unit: units.count,
          width: 8,
          queries: [
            { expr: 'sum(redis_connected_clients)', legend: 'connected' },
            { expr: 'sum(redis_blocked_clients)', legend: 'blocking' },
          ],
        }),
        timeSeries({
          title: 'Processor',
          description: `Processor time that Redis uses; it executes commands on one core, so that 1 is all it can use. ${byExporter}`,
          unit: units.cores,
          width: 8,
          queries: [
            {
              expr: 'sum by (instance) (rate(redis_cpu_sys_seconds_total[$__rate_interval]) + rate(redis_cpu_user_seconds_total[$__rate_interval]))',
              legend: '{{instance}}',
            },
          ],
        }),
      ],
    },
  ],
});
