import type { MetricRows } from './metric-row.js';

export const mqttMetrics = {
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
