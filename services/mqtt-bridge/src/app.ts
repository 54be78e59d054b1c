import { Perch } from '@perch/client';
import type { ClientServiceContext, ServiceApp } from '@perch/runtime';
import { Broker } from './broker/broker.js';
import { keyIdOf, type MqttBridgeConfig } from './config.js';
import { createBridgeMetrics } from './metrics.js';
import { RobotFleet } from './robots/robot-fleet.js';
import { Topics } from './topics.js';

const brokerProblems = {
  connecting: 'The MQTT broker is not connected.',
  replaced: 'Another bridge with the same client id connected to the MQTT broker; this one stays idle until it is restarted.',
} as const;

export function createApp({ config, log, metrics, health }: ClientServiceContext<MqttBridgeConfig>): ServiceApp {
  const { baseUrl, apiKey, topic, discoveryPrefix, pollMs } = config;
  const keyId = keyIdOf(config);
  const clientId = config.clientId ?? `perch-${keyId}`;
  const topics = new Topics({ topic, discoveryPrefix, keyId, clientId });
  const perch = new Perch({ baseUrl, apiKey });
  const counted = createBridgeMetrics(metrics, { isBrokerUp: () => broker.state === 'up', robots: () => fleet.size });
  const fleet: RobotFleet = new RobotFleet({
    perch,
    baseUrl,
    topics,
    pollMs,
    log,
    metrics: counted,
    publish: (to, payload, options) => broker.publish(to, payload, options),
  });
  const broker: Broker = new Broker({
    url: config.mqttUrl,
    username: config.mqttUsername,
    password: config.mqttPassword,
    ca: config.mqttCa,
    clientId,
    will: { topic: topics.bridge, payload: 'offline' },
    claimTopic: topics.claim,
    subscriptions: [topics.commands, topics.homeAssistant, topics.bridges, topics.published],
    log,
    onUp() {
      broker.publish(topics.bridge, 'online', { retain: true });
      fleet.resend();
    },
    onReplaced: () => void fleet.stop(),
    onMessage: receive,
  });

  function receive(from: string, payload: string, retained: boolean): void {
    const command = topics.commandOf(from);
    const other = topics.clientOf(from);
    if (command !== null) {
      // A retained command would be carried out again at each start.
      if (retained) log.warn({ robot: command.robot, command: command.name }, 'retained command ignored; publish commands without the retain flag');
      else fleet.command(command.robot, command.name, payload);
    } else if (from === topics.homeAssistant) {
      // Home Assistant started. At its own start the bridge has just sent everything.
      if (payload === 'online' && !retained) fleet.resend();
    } else if (from === topics.published) {
      if (retained) fleet.publishedBefore(payload);
    } else if (other !== null && other !== clientId && payload === 'online') {
      log.warn(
        { client_id: other },
        'another bridge uses the same API key: each carries out every command, so commands are done twice. Stop one of them',
      );
    }
  }

  health.addCheck('broker', () => (broker.state === 'up' ? null : brokerProblems[broker.state]));
  health.addCheck('perch', () => fleet.problem);
  return {
    async start() {
      fleet.start();
      broker.start();
    },
    async stop() {
      await fleet.stop();
      await broker.stop();
    },
  };
}
