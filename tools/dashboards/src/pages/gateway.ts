import { failedByCaller, failedByRobot, failedByService, quickActions } from '../call-codes.js';
import { instancePanels } from '../instance-panels.js';
import { createPage, instanceVariable } from '../page.js';
import { timeSeries } from '../panel.js';
import { max, perSecond, perSecondSeen, quantile, sum } from '../promql.js';
import { units } from '../units.js';

const here = 'instance=~"$instance"';
const requests = 'perch_gateway_requests_total';
const seconds = 'perch_gateway_request_seconds';
const byHaproxy = 'Shown where Perch runs behind deploy/haproxy and Prometheus scrapes HAProxy.';

export const gateway = createPage({
  name: 'gateway',
  title: 'Perch: gateway',
  description: 'Gateways: the calls of programs and agents over HTTP and as tools, and those of the web page.',
  variables: [instanceVariable('gateway')],
  sections: [
    {
      title: 'Calls',
      panels: [
        timeSeries(
          {
            title: 'Calls by action',
            description: 'Calls a second, by action. A call of a tool counts under the action of the tool.',
            height: 10,
            unit: units.perSecond,
            queries: [{ expr: perSecondSeen(requests, { where: here, by: 'action' }), legend: '{{action}}' }],
          },
          { legend: 'table' },
        ),
        timeSeries(
          {
            title: 'Calls that failed, by code',
            description:
              'Calls a second that ended with an error, by its code; docs/programs.md lists the codes. Calls whose caller hung up are not among them.',
            height: 10,
            unit: units.perSecond,
            queries: [{ expr: perSecondSeen(requests, { where: `${here}, code!~"ok|client_closed"`, by: 'code' }), legend: '{{code}}' }],
            runbooks: ['PerchCallsFailing'],
          },
          { legend: 'table' },
        ),
        timeSeries(
          {
            title: 'Whose fault failures are',
            description: 'Calls a second that failed, by who made them fail: the caller, the robot, or Perch. docs/slo.md lists the codes of each.',
            unit: units.perSecond,
            queries: [
              { expr: perSecond(requests, { where: `${here}, ${failedByCaller}` }), legend: 'caller' },
              { expr: perSecond(requests, { where: `${here}, ${failedByRobot}` }), legend: 'robot' },
              { expr: perSecond(requests, { where: `${here}, ${failedByService}` }), legend: 'Perch' },
            ],
            page: 'slo',
          },
          { stacked: true },
        ),
        timeSeries({
          title: 'Calls by instance',
          description: 'Calls a second of each instance. Lines far apart: the load balancer does not spread the calls.',
          unit: units.perSecond,
          queries: [{ expr: perSecond(requests, { where: here, by: 'instance' }), legend: '{{instance}}' }],
        }),
      ],
    },
    {
      title: 'Time',
      panels: [
        timeSeries({
          title: 'Duration of calls that do not wait for people',
          description: 'Duration of calls whose time does not depend on people or sounds, including the time that the robot takes.',
          height: 10,
          unit: units.seconds,
          queries: [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, seconds, { where: `${here}, ${quickActions}` }), legend: `${q * 100} %` })),
        }),
        timeSeries(
          {
            title: 'Slowest hundredth, by action',
            description: '99th percentile of the duration of calls, by action. Questions, polls and streams last as long as people take.',
            height: 10,
            unit: units.seconds,
            queries: [{ expr: `${quantile(0.99, seconds, { where: here, by: 'action' })} > 0`, legend: '{{action}}' }],
          },
          { legend: 'table' },
        ),
      ],
    },
    {
      title: 'Work in flight',
      panels: [
        timeSeries({
          title: 'Calls held open',
          description: 'Calls that wait for a person, long polls for events, and streams of events.',
          unit: units.count,
          width: 8,
          queries: [{ expr: sum('perch_gateway_held_calls', { where: here, by: 'kind' }), legend: '{{kind}}' }],
        }),
        timeSeries({
          title: 'Waiting for others',
          description:
            'What this service waits for: replies of robot-links, pictures and sounds, and robots that are being looked up. A line that only rises is a service that does not answer.',
          unit: units.count,
          width: 8,
          queries: [
            { expr: sum('perch_gateway_awaited_replies', { where: here }), legend: 'replies of robot-links' },
            { expr: sum('perch_gateway_awaited_renders', { where: here }), legend: 'pictures and sounds' },
            { expr: sum('perch_gateway_lookups', { where: here }), legend: 'lookups of robots' },
          ],
        }),
        timeSeries({
          title: 'Robots watched, channels subscribed to',
          description: 'Robots whose events some caller waits for, and channels of Redis that are subscribed to for them.',
          unit: units.count,
          width: 8,
          queries: [
            { expr: sum('perch_gateway_watched_robots', { where: here }), legend: 'robots' },
            { expr: sum('perch_gateway_subscriptions', { where: here }), legend: 'channels' },
          ],
        }),
        timeSeries({
          title: 'Pictures and sounds not made',
          description: 'Refused as busy because the account had used up its share, and dropped because no caller waited any longer; each a second.',
          unit: units.perSecond,
          width: 8,
          queries: [
            { expr: perSecond('perch_gateway_renders_busy_total', { where: here }), legend: 'refused: busy' },
            { expr: perSecond('perch_gateway_renders_dropped_total', { where: here }), legend: 'dropped' },
          ],
          page: 'renderer',
        }),
        timeSeries({
          title: 'Streams of events that ended',
          description:
            'Streams that ended, a second, by reason. hung_up: the client closed it; draining: the instance stopped; too_slow: the client did not read.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecondSeen('perch_gateway_streams_ended_total', { where: here, by: 'why' }), legend: '{{why}}' }],
        }),
        timeSeries({
          title: 'Sign-ins refused',
          description: 'Attempts to sign in to the web page that were refused, a second, by reason. Many wrong ones suggest password guessing.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecondSeen('perch_gateway_sign_ins_refused_total', { where: here, by: 'reason' }), legend: '{{reason}}' }],
        }),
        timeSeries({
          title: 'E-mails',
          description:
            'E-mails to addresses of accounts, a second, by outcome. failed: the SMTP server did not accept them; dropped: too many were waiting.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecondSeen('perch_gateway_mails_total', { where: here, by: 'outcome' }), legend: '{{outcome}}' }],
        }),
        timeSeries({
          title: 'Activity of accounts',
          description:
            'Entries of the activity log that were written, and that were dropped because memory was full or Redis did not confirm; each a second.',
          unit: units.perSecond,
          width: 8,
          queries: [
            { expr: perSecond('perch_gateway_activity_written_total', { where: here }), legend: 'written' },
            { expr: perSecondSeen('perch_gateway_activity_dropped_total', { where: here, by: 'reason' }), legend: 'dropped: {{reason}}' },
          ],
        }),
      ],
    },
    {
      title: 'Connections and bodies',
      panels: [
        timeSeries({
          title: 'Connections in use',
          description: 'Open connections as a share of the most that an instance accepts (PERCH_GATEWAY_CONNECTIONS).',
          unit: units.share,
          width: 8,
          queries: [{ expr: max(`perch_gateway_connections{${here}} / perch_gateway_connections_max`, { by: 'instance' }), legend: '{{instance}}' }],
        }),
        timeSeries({
          title: 'Connections closed',
          description: 'Connections closed because there were too many, a second, by reason.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecond('perch_gateway_connections_closed_total', { where: here, by: 'reason' }), legend: '{{reason}}' }],
        }),
        timeSeries({
          title: 'Memory of request bodies',
          description: 'Memory reserved for request bodies that are arriving (PERCH_GATEWAY_BODY_BYTES).',
          unit: units.bytes,
          width: 8,
          queries: [{ expr: sum('perch_gateway_body_bytes', { where: here, by: 'instance' }), legend: '{{instance}}' }],
        }),
        timeSeries({
          title: 'Bodies that wait',
          description: 'Request bodies that are not read yet because their account or the instance has no memory reserved for them.',
          unit: units.count,
          queries: [{ expr: sum('perch_gateway_waiting_bodies', { where: here, by: 'instance' }), legend: '{{instance}}' }],
        }),
        timeSeries({
          title: 'Messages that could not be read',
          description:
            'Messages of robot-links that this release cannot read, a second, by reason. Not 0: two releases that are not neighbours run together.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_gateway_instance_messages_unreadable_total', { where: here, by: 'reason' }), legend: '{{reason}}' }],
          runbooks: ['PerchMessagesUnreadable'],
        }),
      ],
    },
    {
      title: 'Load balancer (HAProxy)',
      panels: [
        timeSeries({
          title: 'Answers by status class',
          description: `Answers of HAProxy to programs, a second, by the class of their status. ${byHaproxy}`,
          unit: units.perSecond,
          queries: [{ expr: 'sum by (code) (rate(haproxy_frontend_http_responses_total{proxy="programs"}[$__rate_interval]))', legend: '{{code}}' }],
        }),
        timeSeries({
          title: 'Servers that HAProxy uses',
          description: `Instances that HAProxy sends calls and robots to, by backend. ${byHaproxy}`,
          unit: units.count,
          queries: [{ expr: 'sum by (proxy) (haproxy_backend_active_servers)', legend: '{{proxy}}' }],
        }),
      ],
    },
    { title: 'Instances', panels: instancePanels('gateway') },
  ],
});
