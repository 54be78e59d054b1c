/**
 * The MQTT bridge: shows the robots of one API key to Home Assistant, as devices that it discovers over an MQTT broker. It uses the public
 * interface alone, so that it needs neither Redis nor the operator's rights.
 */
import { defineClientService } from '@perch/runtime';
import { createApp } from './app.js';
import { mqttBridgeSettings, settingsProblems } from './config.js';

export const mqttBridgeService = defineClientService({
  component: 'mqtt-bridge',
  settings: mqttBridgeSettings,
  problems: settingsProblems,
  // Commands in flight are cancelled; only the message that the bridge is offline is sent.
  stopMs: 5000,
  app: createApp,
});
