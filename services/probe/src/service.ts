/**
 * The probe: calls Perch as a program does, through the public addresses, and answers a question at a robot of its own. It alone sees an outage in
 * which no instance is left that could count it. It uses the public interface alone: neither Redis nor an instance's admin port.
 */
import { defineClientService } from '@perch/runtime';
import { createApp } from './app.js';
import { probeSettings, settingsProblems } from './config.js';

export const probeService = defineClientService({
  component: 'probe',
  settings: probeSettings,
  problems: settingsProblems,
  // The check in flight is cancelled; only the robot's connection is closed.
  stopMs: 5000,
  app: createApp,
});
