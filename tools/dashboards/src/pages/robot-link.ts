import { instancePanels } from '../instance-panels.js';
import { createPage, instanceVariable } from '../page.js';
import { timeSeries } from '../panel.js';
import { max, perSecond, perSecondSeen, quantile, sum } from '../promql.js';
import { units } from '../units.js';

const here = 'instance=~"$instance"';

export const robotLink = createPage({
  name: 'robot-link',
  title: 'Perch: robot-link',
  description: 'Robot-links: the connections of robots, commands to them, and inputs from them.',
  variables: [instanceVariable('robot-link')],
  sections: [
    {
      title: 'Sessions',
      panels: [
        timeSeries(
          {
            title: 'Robots by instance',
            description: 'Robots whose connection each instance holds. Instances even out within minutes unless PERCH_LINK_BALANCE is false.',
            unit: units.count,
            width: 8,
            queries: [{ expr: sum('perch_link_sessions', { where: here, by: 'instance' }), legend: '{{instance}}' }],
          },
          { stacked: true },
        ),
        timeSeries({
          title: 'Handshakes and lease releases',
          description:
            'Connections whose handshake is not complete, and disconnected robots whose lease has not been released in Redis yet. Both are near 0 except after an outage.',
          unit: units.count,
          width: 8,
          queries: [
            { expr: sum('perch_link_greetings', { where: here }), legend: 'handshakes' },
            { expr: sum('perch_link_farewells', { where: here }), legend: 'leases to release' },
          ],
        }),
        timeSeries({
          title: 'Sessions opened and moved',
          description:
            'Sessions that began, a second, by the reason that the robot gives, and robots sent to other robot-links because this one held more than its share.',
          unit: units.perSecond,
          width: 8,
          queries: [
            { expr: perSecond('perch_link_sessions_opened_total', { where: here, by: 'reason' }), legend: 'opened: {{reason}}' },
            { expr: perSecond('perch_link_sessions_moved_total', { where: here }), legend: 'moved' },
          ],
        }),
        timeSeries({
          title: 'Sessions closed, by code',
          description: 'Sessions that ended, a second, by close code (docs/robot-link.md); other: mostly lost connections.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecond('perch_link_sessions_closed_total', { where: here, by: 'code' }), legend: '{{code}}' }],
          runbooks: ['PerchRobotsLostAtOnce'],
        }),
        timeSeries({
          title: 'Connections refused',
          description:
            'Connections refused before the upgrade to a WebSocket, a second, by HTTP status. 401: wrong token; 429: too many attempts; 503: the instance is not ready.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecond('perch_link_upgrades_refused_total', { where: here, by: 'status' }), legend: '{{status}}' }],
        }),
        timeSeries({
          title: 'Connections in use',
          description: 'Open connections as a share of the most that an instance accepts (PERCH_LINK_CONNECTIONS). Above 80 % add instances.',
          unit: units.share,
          width: 8,
          queries: [{ expr: max(`perch_link_connections{${here}} / perch_link_connections_max`, { by: 'instance' }), legend: '{{instance}}' }],
          runbooks: ['PerchConnectionsNearLimit'],
        }),
      ],
    },
    {
      title: 'Commands',
      panels: [
        timeSeries(
          {
            title: 'Commands by name',
            description: 'Commands for robots, a second.',
            unit: units.perSecond,
            queries: [{ expr: perSecondSeen('perch_link_commands_total', { where: here, by: 'name' }), legend: '{{name}}' }],
          },
          { legend: 'table' },
        ),
        timeSeries(
          {
            title: 'Commands by outcome',
            description:
              'Commands for robots, a second, by how they ended. ack: done; nack: refused by the robot; no_ack: not acknowledged in time; busy: the robot had too many; unsent: the robot had disconnected before.',
            unit: units.perSecond,
            queries: [{ expr: perSecondSeen('perch_link_commands_total', { where: here, by: 'outcome' }), legend: '{{outcome}}' }],
          },
          { legend: 'table' },
        ),
        timeSeries({
          title: "From the call to the robot's socket",
          description:
            "From the arrival of a call at the gateway to its first command on the robot's socket: the part of Perch, without the time that the robot takes. The objective is 99 % within 100 ms.",
          unit: units.seconds,
          queries: [0.5, 0.95, 0.99].map((q) => ({
            expr: quantile(q, 'perch_link_command_delivery_seconds', { where: here }),
            legend: `${q * 100} %`,
          })),
          page: 'slo',
        }),
        timeSeries({
          title: 'From the socket to the ack',
          description: 'From writing a command to the socket to the ack of the robot: network and robot.',
          unit: units.seconds,
          queries: [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, 'perch_link_ack_seconds', { where: here }), legend: `${q * 100} %` })),
        }),
        timeSeries(
          {
            title: 'Slowest hundredth to the socket, by command',
            description:
              "99th percentile of the time from the call to the robot's socket, by command. screen.show and audio.play include making a picture or sound that is not stored yet.",
            unit: units.seconds,
            queries: [{ expr: `${quantile(0.99, 'perch_link_command_delivery_seconds', { where: here, by: 'name' })} > 0`, legend: '{{name}}' }],
          },
          { legend: 'table' },
        ),
        timeSeries({
          title: 'Commands and questions open',
          description: 'Commands that are queued or not acknowledged yet, and open questions, menus and clickmaps.',
          unit: units.count,
          queries: [
            { expr: sum('perch_link_open_commands', { where: here }), legend: 'commands' },
            { expr: sum('perch_link_open_waits', { where: here }), legend: 'questions' },
          ],
        }),
        timeSeries(
          {
            title: 'Questions that ended',
            description: 'Questions, menus and clickmaps that ended, a second, by outcome.',
            unit: units.perSecond,
            queries: [{ expr: perSecondSeen('perch_link_waits_total', { where: here, by: 'kind, outcome' }), legend: '{{kind}} {{outcome}}' }],
          },
          { legend: 'table' },
        ),
        timeSeries({
          title: 'Sounds that ended',
          description: 'Sounds that ended, a second, by reason. underrun: the connection of the robot was too slow for the sound.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_link_sounds_total', { where: here, by: 'reason' }), legend: '{{reason}}' }],
        }),
      ],
    },
    {
      title: 'Inputs',
      panels: [
        timeSeries({
          title: 'Raw inputs by kind',
          description: 'Inputs that robots sent, a second, by kind.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecondSeen('perch_link_inputs_total', { where: here, by: 'kind' }), legend: '{{kind}}' }],
        }),
        timeSeries({
          title: 'Events by name',
          description: 'Events stored, a second: what inputs became.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecondSeen('perch_link_events_total', { where: here, by: 'name' }), legend: '{{name}}' }],
        }),
        timeSeries({
          title: 'Inputs lost or not readable',
          description:
            'Gestures lost because Redis could not be reached for too long; inputs and other messages of robots whose fields were not valid; readings out of range. Each a second.',
          unit: units.perSecond,
          width: 8,
          queries: [
            { expr: perSecond('perch_link_inputs_dropped_total', { where: here }), legend: 'gestures lost' },
            { expr: perSecond('perch_link_inputs_unreadable_total', { where: here }), legend: 'inputs not valid' },
            { expr: perSecond('perch_link_messages_unreadable_total', { where: here }), legend: 'messages not valid' },
            { expr: perSecond('perch_link_readings_dropped_total', { where: here }), legend: 'readings dropped' },
          ],
        }),
      ],
    },
    {
      title: 'Storage',
      panels: [
        timeSeries({
          title: 'Calls of Redis that failed',
          description: 'Calls of Redis that failed, a second, by what the robot-link was doing.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecond('perch_link_store_errors_total', { where: here, by: 'at' }), legend: '{{at}}' }],
          page: 'redis',
          runbooks: ['PerchRedisUnreachable'],
        }),
        timeSeries({
          title: 'Channels subscribed to',
          description: 'Channels of Redis that each instance is subscribed to.',
          unit: units.count,
          width: 8,
          queries: [{ expr: sum('perch_link_subscriptions', { where: here, by: 'instance' }), legend: '{{instance}}' }],
        }),
        timeSeries({
          title: 'Messages that could not be read',
          description:
            'Messages of other instances that this release cannot read, a second, by reason. Not 0: two releases that are not neighbours run together.',
          unit: units.perSecond,
          width: 8,
          queries: [{ expr: perSecond('perch_link_instance_messages_unreadable_total', { where: here, by: 'reason' }), legend: '{{reason}}' }],
          runbooks: ['PerchMessagesUnreadable'],
        }),
      ],
    },
    { title: 'Instances', panels: instancePanels('robot-link') },
  ],
});
