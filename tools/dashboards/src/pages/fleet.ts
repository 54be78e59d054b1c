import { createPage } from '../page.js';
import { bars, stat, timeSeries, type PlacedPanel } from '../panel.js';
import { orZero, overRange, perSecond, perSecondSeen, quantile, sum } from '../promql.js';
import { units, type Unit } from '../units.js';
import { orangeAboveZero, worseBelow } from '../values.js';

/** At most `bound`, one of the histogram's buckets. */
const shareUpTo = (histogram: string, bound: string): string =>
  `${perSecond(`${histogram}_bucket`, { where: `le="${bound}"` })} / ${perSecond(`${histogram}_count`)}`;

function spread(title: string, description: string, unit: Unit, histogram: string): PlacedPanel {
  return timeSeries({
    title,
    description: `${description} Lines: a tenth of the reports is below the lowest, half below the middle one, nine tenths below the highest.`,
    unit,
    queries: [0.9, 0.5, 0.1].map((q) => ({ expr: quantile(q, histogram), legend: q === 0.5 ? 'median' : `${q * 100} %` })),
  });
}

export const fleet = createPage({
  name: 'fleet',
  title: 'Perch: fleet',
  description: 'All robots: how many are connected, what they do, what they are, and what they report.',
  sections: [
    {
      title: 'Connections',
      panels: [
        stat({
          title: 'Robots connected',
          description: 'Robots whose connection some robot-link holds now.',
          unit: units.count,
          queries: [{ expr: sum('perch_link_sessions'), legend: 'robots' }],
          runbooks: ['PerchRobotsLostAtOnce'],
        }),
        stat(
          {
            title: 'Connected again',
            description: 'Sessions that began because a robot had lost its connection, over the time range of the page.',
            unit: units.count,
            decimals: 0,
            queries: [{ expr: overRange('perch_link_sessions_opened_total', { where: 'reason="reconnect"' }), legend: 'reconnects' }],
          },
          { graph: false },
        ),
        stat(
          {
            title: 'Connections refused',
            description:
              'Attempts to connect that were refused before a session began, over the time range of the page: wrong token, too many attempts, or a robot-link that is not ready.',
            unit: units.count,
            decimals: 0,
            queries: [{ expr: orZero(overRange('perch_link_upgrades_refused_total')), legend: 'refused' }],
            thresholds: orangeAboveZero,
          },
          { graph: false },
        ),
        stat({
          title: 'Low batteries',
          description: 'Share of battery reports at or below 20 %. A robot that charges reports too.',
          unit: units.share,
          decimals: 1,
          queries: [{ expr: shareUpTo('perch_link_battery_ratio', '0.2'), legend: 'at most 20 %' }],
        }),
        stat({
          title: 'Weak Wi-Fi',
          description: 'Share of reports with a signal of -75 dBm or less, where connections begin to fail.',
          unit: units.share,
          decimals: 1,
          queries: [{ expr: shareUpTo('perch_link_wifi_rssi_dbm', '-75'), legend: 'at most -75 dBm' }],
        }),
        stat({
          title: 'Commands acknowledged',
          description: 'Share of commands that robots acknowledged, of all that ended.',
          unit: units.share,
          decimals: 1,
          queries: [
            {
              expr: `${perSecond('perch_link_commands_total', { where: 'outcome="ack"' })} / ${perSecond('perch_link_commands_total')}`,
              legend: 'ack',
            },
          ],
          thresholds: worseBelow(0.9, 0.99),
        }),
        timeSeries({
          title: 'Robots connected, and as many as usual',
          description:
            'Robots that are connected, as many as are usual at this time of day, and how many were connected before a loss that lasts. From the recording rules of deploy/prometheus/rules.',
          unit: units.count,
          width: 24,
          decimals: 0,
          queries: [
            { expr: 'sum(perch:robots_connected:sum)', legend: 'connected' },
            { expr: 'sum(perch:robots_usual:sum)', legend: 'usual' },
            { expr: 'sum(perch:robots_lost:sum)', legend: 'before a loss' },
          ],
          runbooks: ['PerchRobotsLostAtOnce', 'PerchRobotsFewerThanUsual'],
        }),
        timeSeries({
          title: 'Sessions opened, by reason',
          description:
            'Sessions of robots that began, a second, by the reason that the robot gives: start (switched on), restart, or reconnect after a lost connection.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_link_sessions_opened_total', { by: 'reason' }), legend: '{{reason}}' }],
        }),
        timeSeries({
          title: 'Sessions closed, by code',
          description:
            'Sessions of robots that ended, a second. 4001: the robot connected anew; 4003: its token was revoked; 4008: too slow; 4009: sent to another robot-link; 4400: it sent something malformed; other: mostly lost connections.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_link_sessions_closed_total', { by: 'code' }), legend: '{{code}}' }],
          runbooks: ['PerchRobotsLostAtOnce'],
        }),
      ],
    },
    {
      title: 'What they do',
      panels: [
        timeSeries(
          {
            title: 'Robots by state',
            description: 'What the connected robots do. Each counts once, under the first that applies: asking, playing, moving, showing, idle.',
            unit: units.count,
            queries: [{ expr: sum('perch_link_robots_by_state', { by: 'state' }), legend: '{{state}}' }],
          },
          { stacked: true },
        ),
        timeSeries(
          {
            title: 'Commands by outcome',
            description:
              'Commands for robots, a second, by how they ended. ack: done; nack: refused by the robot; no_ack: not acknowledged in time; busy: the robot had too many; unsent: the robot had disconnected before.',
            unit: units.perSecond,
            queries: [{ expr: perSecondSeen('perch_link_commands_total', { by: 'outcome' }), legend: '{{outcome}}' }],
          },
          { legend: 'table' },
        ),
        timeSeries({
          title: 'Questions by outcome',
          description:
            'Questions, menus and clickmaps that ended, a second, by how. Many timed_out: people do not see the question, or nobody is there.',
          unit: units.perSecond,
          queries: [{ expr: perSecondSeen('perch_link_waits_total', { by: 'outcome' }), legend: '{{outcome}}' }],
        }),
        timeSeries({
          title: 'Events by name',
          description: 'Events that people and robots caused, a second.',
          unit: units.perSecond,
          queries: [{ expr: perSecondSeen('perch_link_events_total', { by: 'name' }), legend: '{{name}}' }],
        }),
      ],
    },
    {
      title: 'What they are',
      panels: [
        bars({
          title: 'Robots by model',
          description: 'Connected robots by model: the 20 most frequent, the others as other.',
          unit: units.count,
          width: 12,
          min: 0,
          queries: [{ expr: sum('perch_link_robots_by_model', { by: 'model' }), legend: '{{model}}' }],
        }),
        bars({
          title: 'Robots by firmware',
          description:
            'Connected robots by firmware: the 20 most frequent, the others as other. After an update of the firmware the new bar should grow.',
          unit: units.count,
          width: 12,
          min: 0,
          queries: [{ expr: sum('perch_link_robots_by_firmware', { by: 'firmware' }), legend: '{{firmware}}' }],
        }),
      ],
    },
    {
      title: 'What they report',
      panels: [
        spread('Battery', 'Battery charge in the reports of robots.', units.share, 'perch_link_battery_ratio'),
        spread('Wi-Fi', 'Signal strength in the reports of robots. Below -75 dBm connections begin to fail.', units.dbm, 'perch_link_wifi_rssi_dbm'),
        timeSeries({
          title: 'Temperature',
          description: 'The warmest tenth of the reports, by sensor: motors of the head, and the chip. Motors that stay above 60 °C wear out.',
          unit: units.celsius,
          queries: [{ expr: quantile(0.9, 'perch_link_temperature_celsius', { by: 'sensor' }), legend: '{{sensor}}' }],
        }),
        spread(
          'Free heap',
          'Free heap memory in the reports of robots. A line that only falls is a leak in the firmware.',
          'bytes',
          'perch_link_free_heap_bytes',
        ),
        timeSeries({
          title: 'Readings dropped',
          description:
            'Readings dropped because they were out of range or had an unknown name, a second. Not 0: a firmware does not follow docs/robot-link.md.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_link_readings_dropped_total'), legend: 'dropped' }],
        }),
        timeSeries({
          title: 'Log lines of robots',
          description: 'Log lines received from robots, a second: kept, dropped over the rate limit, or lost because Redis failed.',
          unit: units.perSecond,
          queries: [{ expr: perSecond('perch_link_log_lines_total', { by: 'outcome' }), legend: '{{outcome}}' }],
        }),
      ],
    },
  ],
});
