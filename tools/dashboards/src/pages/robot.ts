import { createPage } from '../page.js';
import { stat, timeSeries } from '../panel.js';
import { units } from '../units.js';
import { redBelowOne, worseBelow, yesNo } from '../values.js';

const chosen = '{account=~"$account", robot=~"$robot"}';
const latest = (metric: string): string => `max by (robot) (${metric}${chosen})`;
const note = 'Needs PERCH_METRICS_ROBOTS=true.';

export const robot = createPage({
  name: 'robot',
  title: 'Perch: one robot',
  description: 'One robot, or some of one account. Needs PERCH_METRICS_ROBOTS=true on robot-links and the scrape job perch-robots.',
  variables: [
    { name: 'account', label: 'Account', description: 'Id of the account.', values: 'label_values(perch_robot_up, account)' },
    {
      name: 'robot',
      label: 'Robot',
      description: 'Id of the robot.',
      values: 'label_values(perch_robot_up{account=~"$account"}, robot)',
      opensWith: 'first',
    },
  ],
  sections: [
    {
      title: 'Now',
      panels: [
        stat(
          {
            title: 'Connected',
            description: `Yes: a robot-link holds the connection of every chosen robot that it knows. ${note}`,
            unit: units.count,
            width: 6,
            queries: [{ expr: `min(${latest('perch_robot_up')})`, legend: 'connected' }],
            mappings: yesNo,
            thresholds: redBelowOne,
          },
          { graph: false },
        ),
        stat({
          title: 'Battery',
          description: `Lowest battery charge last reported by the chosen robots. ${note}`,
          unit: units.share,
          width: 6,
          min: 0,
          max: 1,
          queries: [{ expr: `min(${latest('perch_robot_battery_ratio')})`, legend: 'battery' }],
          thresholds: worseBelow(0.1, 0.2),
        }),
        stat({
          title: 'Wi-Fi',
          description: `Weakest signal last reported by the chosen robots. Below -75 dBm connections begin to fail. ${note}`,
          unit: units.dbm,
          width: 6,
          queries: [{ expr: `min(${latest('perch_robot_wifi_rssi_dbm')})`, legend: 'Wi-Fi' }],
          thresholds: worseBelow(-80, -75),
        }),
        stat({
          title: 'Commands acknowledged',
          description: `Share of the commands to the chosen robots that they acknowledged. ${note}`,
          unit: units.share,
          decimals: 1,
          width: 6,
          queries: [
            {
              expr: `sum(rate(perch_robot_acks_total{account=~"$account", robot=~"$robot", outcome="ack"}[$__rate_interval])) / sum(rate(perch_robot_acks_total${chosen}[$__rate_interval]))`,
              legend: 'ack',
            },
          ],
          thresholds: worseBelow(0.9, 0.99),
        }),
      ],
    },
    {
      title: 'Over time',
      panels: [
        timeSeries({
          title: 'Connection',
          description: `1 while a robot-link holds the connection of the robot. A gap is time without a connection. ${note}`,
          unit: units.count,
          max: 1,
          decimals: 0,
          queries: [{ expr: latest('perch_robot_up'), legend: '{{robot}}' }],
          runbooks: ['PerchRobotsLostAtOnce'],
        }),
        timeSeries({
          title: 'Commands by outcome',
          description: `Commands sent to the robot, a second: acknowledged, refused (nack), or not acknowledged in time (no_ack). ${note}`,
          unit: units.perSecond,
          queries: [{ expr: `sum by (outcome) (rate(perch_robot_acks_total${chosen}[$__rate_interval]))`, legend: '{{outcome}}' }],
        }),
        timeSeries({
          title: 'Battery charge',
          description: `Battery charge that the robot reports. ${note}`,
          unit: units.share,
          max: 1,
          queries: [{ expr: latest('perch_robot_battery_ratio'), legend: '{{robot}}' }],
        }),
        timeSeries({
          title: 'Wi-Fi signal',
          description: `Signal strength that the robot reports. ${note}`,
          unit: units.dbm,
          queries: [{ expr: latest('perch_robot_wifi_rssi_dbm'), legend: '{{robot}}' }],
        }),
        timeSeries({
          title: 'Temperatures',
          description: `Temperatures that the robot reports, by sensor: motors of the head, and the chip. ${note}`,
          unit: units.celsius,
          queries: [{ expr: `max by (robot, sensor) (perch_robot_temperature_celsius${chosen})`, legend: '{{robot}} {{sensor}}' }],
        }),
        timeSeries({
          title: 'Free heap',
          description: `Free heap memory that the robot reports. A line that only falls is a leak in its firmware. ${note}`,
          unit: units.bytes,
          queries: [{ expr: latest('perch_robot_free_heap_bytes'), legend: '{{robot}}' }],
        }),
      ],
    },
  ],
});
