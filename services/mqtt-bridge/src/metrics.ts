import type { LabelsOf, Metrics } from '@perch/runtime';

export interface BridgeMetrics {
  command(outcome: LabelsOf<'perch_mqtt_commands_total'>['outcome']): void;
  event(outcome: LabelsOf<'perch_mqtt_events_total'>['outcome']): void;
}

export function createBridgeMetrics(metrics: Metrics, read: { isBrokerUp: () => boolean; robots: () => number }): BridgeMetrics {
  metrics.gauge('perch_mqtt_broker_up', () => (read.isBrokerUp() ? 1 : 0));
  metrics.gauge('perch_mqtt_robots', () => read.robots());
  const commands = metrics.counter('perch_mqtt_commands_total');
  const events = metrics.counter('perch_mqtt_events_total');
  return { command: (outcome) => commands.inc({ outcome }), event: (outcome) => events.inc({ outcome }) };
}
