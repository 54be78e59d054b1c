import { failedByCaller, failedByRobot, failedByService, quickActions } from '../call-codes.js';
import { createPage } from '../page.js';
import { bars, stat, table, timeSeries } from '../panel.js';
import { orZero, overRange, perSecond, quantile, sum, withComponent } from '../promql.js';
import { units } from '../units.js';
import { orangeAboveZero, redBelowOne, worseAbove, yesNo } from '../values.js';

const requests = 'perch_gateway_requests_total';
const meanOf = (histogram: string, where = ''): string =>
  `${overRange(`${histogram}_sum`, { where })} / ${overRange(`${histogram}_count`, { where })}`;

export const overview = createPage({
  name: 'overview',
  title: 'Perch: overview',
  description: 'Is Perch well, and where does the time go? The other pages go into detail.',
  sections: [
    {
      title: 'Is it well?',
      panels: [
        stat(
          {
            title: 'Alerts firing',
            description:
              'Alerts of deploy/prometheus/rules that are firing now. Each alert names its runbook. No data: Prometheus does not evaluate the rules.',
            unit: units.count,
            queries: [
              {
                expr: 'count(ALERTS{alertname=~"Perch.*", alertname!="PerchWatchdog", alertstate="firing"}) or 0 * ALERTS{alertname="PerchWatchdog"}',
                legend: 'firing',
              },
            ],
            thresholds: orangeAboveZero,
            runbooks: ['PerchWatchdog'],
          },
          { graph: false },
        ),
        stat({
          title: 'Calls failed by Perch',
          description:
            'Share of calls that ended with a code that is the fault of the service, of all calls that succeeded or ended so. The objective is at most 0.1 % over 30 days.',
          unit: units.share,
          decimals: 2,
          queries: [
            {
              expr: `${perSecond(requests, { where: failedByService })} / (${perSecond(requests, { where: 'code="ok"' })} + ${perSecond(requests, { where: failedByService })})`,
              legend: 'failed',
            },
          ],
          thresholds: worseAbove(0.001, 0.01),
          page: 'slo',
          runbooks: ['PerchCallsFailing'],
        }),
        stat({
          title: 'Commands on the socket',
          description:
            "From the arrival of a call to its command on the robot's socket, without the time that the robot takes: 99th percentile. The objective is 100 ms.",
          unit: units.seconds,
          queries: [{ expr: quantile(0.99, 'perch_link_command_delivery_seconds'), legend: '99 %' }],
          thresholds: worseAbove(0.05, 0.1),
          page: 'slo',
        }),
        stat({
          title: 'Robots connected',
          description: 'Robots whose connection some robot-link holds now.',
          unit: units.count,
          queries: [{ expr: sum('perch_link_sessions'), legend: 'robots' }],
          page: 'fleet',
          runbooks: ['PerchRobotsLostAtOnce'],
        }),
        stat(
          {
            title: 'Redis takes writes',
            description: 'Yes: every master of Redis took the last write of every instance. No: not the write of at least one.',
            unit: units.count,
            queries: [{ expr: 'min(perch_redis_up)', legend: 'Redis' }],
            mappings: yesNo,
            thresholds: redBelowOne,
            page: 'redis',
          },
          { graph: false },
        ),
        stat(
          {
            title: 'Instances not running',
            description:
              'Instances that are expected and do not answer, by the recording rules of deploy/prometheus/rules, and those that answer but start or drain.',
            unit: units.count,
            queries: [
              { expr: 'sum(clamp_min(perch:instances_expected - perch:instances_up, 0))', legend: 'missing' },
              { expr: orZero('count(perch_instance_phase{phase="running"} == 0)'), legend: 'not running' },
            ],
            thresholds: orangeAboveZero,
            runbooks: ['PerchInstanceDown', 'PerchInstancesMissing'],
          },
          { graph: false },
        ),
        timeSeries({
          title: 'Instances by service',
          description:
            'Instances that Prometheus reaches, by service, and how many the recording rules of deploy/prometheus/rules expect. A line that falls is an instance that ended or can no longer be reached.',
          unit: units.count,
          width: 7,
          decimals: 0,
          queries: [
            { expr: 'count by (component) (perch_build_info)', legend: '{{component}}' },
            { expr: 'sum by (component) (perch:instances_expected)', legend: '{{component}}, expected' },
          ],
          runbooks: ['PerchServiceGone', 'PerchInstanceDown', 'PerchExpectationAbsent'],
        }),
        table(
          {
            title: 'Releases',
            description:
              'How many instances run which release, and the newest version of messages between instances that each writes. Two releases side by side are normal during an upgrade only.',
            unit: units.count,
            width: 10,
            queries: [{ expr: 'count by (component, version, wire) (perch_build_info)', legend: 'instances' }],
            runbooks: ['PerchVersionsMixed'],
          },
          { columns: { component: 'Service', version: 'Release', wire: 'Messages', Value: 'Instances' } },
        ),
        timeSeries({
          title: 'Event loop delay by service',
          description:
            'The worst instance of each service: how late its event loop runs, 99th percentile over about 10 s. Above 50 ms a service has too little processor time or too few instances.',
          unit: units.seconds,
          width: 7,
          queries: [{ expr: `max by (component) (${withComponent('perch_event_loop_delay_seconds{quantile="0.99"}')})`, legend: '{{component}}' }],
        }),
      ],
    },
    {
      title: 'What is asked of it',
      panels: [
        timeSeries(
          {
            title: 'Calls by outcome',
            description: 'Calls a second over HTTP and as tools, by who decided how they ended. Only those failed by Perch need work on Perch.',
            unit: units.perSecond,
            queries: [
              { expr: perSecond(requests, { where: 'code="ok"' }), legend: 'ok' },
              { expr: perSecond(requests, { where: failedByCaller }), legend: 'refused: caller' },
              { expr: perSecond(requests, { where: failedByRobot }), legend: 'failed: robot' },
              { expr: perSecond(requests, { where: failedByService }), legend: 'failed: Perch' },
              { expr: perSecond(requests, { where: 'code="client_closed"' }), legend: 'caller hung up' },
            ],
            page: 'gateway',
          },
          { stacked: true },
        ),
        timeSeries(
          {
            title: 'Robots by state',
            description: 'What the connected robots do. Each counts once, under the first that applies: asking, playing, moving, showing, idle.',
            unit: units.count,
            queries: [{ expr: sum('perch_link_robots_by_state', { by: 'state' }), legend: '{{state}}' }],
            page: 'fleet',
          },
          { stacked: true },
        ),
        timeSeries({
          title: 'Commands and events',
          description: 'Commands sent to robots, events that robots caused, and messages sent to webhooks, each a second.',
          unit: units.perSecond,
          queries: [
            { expr: perSecond('perch_link_commands_total'), legend: 'commands to robots' },
            { expr: perSecond('perch_link_events_total'), legend: 'events of robots' },
            { expr: perSecond('perch_webhook_attempts_total'), legend: 'messages to webhooks' },
          ],
          page: 'robot-link',
        }),
        timeSeries({
          title: 'Calls held open',
          description:
            'Calls that wait for a person (ask, menu, clickmap), long polls for events, and streams of events. They cost little while they wait.',
          unit: units.count,
          queries: [{ expr: sum('perch_gateway_held_calls', { by: 'kind' }), legend: '{{kind}}' }],
          page: 'gateway',
        }),
      ],
    },
    {
      title: 'Where does the time go?',
      panels: [
        timeSeries(
          {
            title: 'Slowest hundredth, by step',
            description:
              "99th percentile of each step of an action: the whole call (actions that do not wait for people), the service's part up to the robot's socket, the robot's part, one round trip to Redis, waiting for a renderer, and rendering.",
            unit: units.seconds,
            width: 16,
            queries: [
              { expr: quantile(0.99, 'perch_gateway_request_seconds', { where: quickActions }), legend: 'whole call' },
              { expr: quantile(0.99, 'perch_link_command_delivery_seconds'), legend: "to the robot's socket" },
              { expr: quantile(0.99, 'perch_link_ack_seconds'), legend: 'robot' },
              { expr: quantile(0.99, 'perch_redis_round_trip_seconds'), legend: 'Redis round trip' },
              { expr: quantile(0.99, 'perch_render_wait_seconds'), legend: 'waiting for a renderer' },
              { expr: quantile(0.99, 'perch_render_duration_seconds'), legend: 'rendering' },
            ],
          },
          { legend: 'table' },
        ),
        bars({
          title: 'Mean time of each step',
          description: 'Mean duration of each step over the time range of the page. The longest bar is where work on speed pays.',
          unit: units.seconds,
          min: 0,
          queries: [
            { expr: meanOf('perch_gateway_request_seconds', quickActions), legend: 'whole call' },
            { expr: meanOf('perch_link_command_delivery_seconds'), legend: "to the robot's socket" },
            { expr: meanOf('perch_link_ack_seconds'), legend: 'robot' },
            { expr: meanOf('perch_redis_round_trip_seconds'), legend: 'Redis round trip' },
            { expr: meanOf('perch_render_wait_seconds'), legend: 'waiting for a renderer' },
            { expr: meanOf('perch_render_duration_seconds'), legend: 'rendering' },
          ],
        }),
        timeSeries({
          title: 'Queues',
          description:
            'Age of the oldest job and message that waits. Pictures and sounds wait for renderers; messages to webhooks wait longer where a receiver fails and is tried again.',
          unit: units.seconds,
          queries: [
            { expr: 'max by (queue) (perch_render_oldest_waiting_job_seconds)', legend: 'pictures and sounds: {{queue}}' },
            { expr: 'max(perch_webhook_oldest_waiting_message_seconds)', legend: 'messages to webhooks' },
          ],
          page: 'redis',
          runbooks: ['PerchQueueStuck', 'PerchWebhooksStuck'],
        }),
        timeSeries({
          title: 'Memory of Redis in use',
          description:
            'Memory that Redis uses against its limit, and pictures and sounds against theirs (PERCH_MEDIA_MB). At 100 % writes are refused.',
          unit: units.share,
          max: 1,
          queries: [
            { expr: 'max(perch_redis_memory_bytes / perch_redis_memory_bytes_max)', legend: 'fullest master' },
            { expr: 'max(perch_media_bytes / perch_media_bytes_max)', legend: 'pictures and sounds' },
          ],
          page: 'redis',
          runbooks: ['PerchRedisMemoryNearlyFull'],
        }),
      ],
    },
  ],
});
