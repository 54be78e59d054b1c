import { Perch } from '@perch/client';
import type { ClientServiceContext, ServiceApp } from '@perch/runtime';
import { Broker } from './broker/broker.js';
import { EarlierTopics } from './broker/earlier-topics.js';
import { keyIdOf, type MqttBridgeConfig } from './config.js';
import { createBridgeMetrics } from './metrics.js';
import { RobotFleet } from './robots/robot-fleet.js';
import { Topics } from './topics.js';

const brokerProblems = {
  connecting: 'The MQTT broker is not connected.',
  replaced: 'Another bridge with the same client id connected to the MQTT broker; this one stays idle until it is restarted.',
} as const;

export function createApp({ config, log, metrics, health }: ClientServiceContext<MqttBridgeConfig>): ServiceApp {
  const { baseUrl, apiKey, topic, discoveryPrefix, birthTopic, pollMs } = config;
  const keyId = keyIdOf(config);
  const clientId = config.clientId ?? `perch-${keyId}`;
  const topics = new Topics({ topic, discoveryPrefix, birthTopic, keyId, clientId });
  const perch = new Perch({ baseUrl, apiKey });
  const counted = createBridgeMetrics(metrics, { isBrokerUp: () => broker.state === 'up', robots: () => fleet.size });
  const fleet: RobotFleet = new RobotFleet({
    perch,
    lister: new Perch({ baseUrl, apiKey }),
    baseUrl,
    topics,
    withNetwork: config.network,
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
    certificate: config.mqttCert === null || config.mqttKey === null ? null : { cert: config.mqttCert, key: config.mqttKey },
    clientId,
    will: { topic: topics.bridge, payload: 'offline' },
    claimTopic: topics.claim,
    subscriptions: [...topics.ofAllBridges, topics.homeAssistant, topics.questions, topics.lights, topics.sounds],
    commands: topics.commands,
    log,
    onConnecting: () => fleet.connecting(),
    onKnown: () => earlier.read((robot, remembered) => fleet.restore(robot, remembered)),
    onUp() {
      fleet.connected();
      earlier.clear();
    },
    onDown: () => fleet.disconnected(),
    onReplaced: () => void fleet.stop(),
    onMessage: receive,
  });

  const earlier = new EarlierTopics({ topics, broker, log });

  function receive(from: string, payload: string, retained: boolean): void {
    if (fleet.receive(from, payload, retained)) return;
    const command = topics.commandOf(from);
    if (command !== null) {
      // A retained command would be carried out again at each start.
      if (retained) log.warn({ robot: command.robot, command: command.name }, 'retained command ignored; publish commands without the retain flag');
      else fleet.command(command.robot, command.name, payload);
    } else if (from === topics.homeAssistant && payload === 'online' && !retained) {
      // Home Assistant started. At its own start the bridge has just sent everything.
      fleet.resend();
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
