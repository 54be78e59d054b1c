import type { ClientServiceContext, ServiceApp } from '@perch/runtime';
import { Check, type CheckName } from './check.js';
import { Checks } from './checks.js';
import type { ProbeConfig } from './config.js';
import { createProbeMetrics } from './metrics.js';
import { ProbeRobot } from './probe-robot.js';
import { Schedule } from './schedule.js';
import { Stalls } from './stalls.js';

/** A question makes a renderer draw, and is stored in the events of its robot: it is asked every fourth time. */
const questionEvery = 4;

export function createApp({ config, log, metrics }: ClientServiceContext<ProbeConfig>): ServiceApp {
  const { baseUrl, linkPublicUrl, robotToken, intervalMs, timeoutMs } = config;
  const robot = new ProbeRobot({ url: linkPublicUrl ?? baseUrl, token: robotToken, log });
  const counted = createProbeMetrics(metrics, () => robot.isOnline);
  const stalls = new Stalls();
  const checks = new Checks(config, robot);
  const checkOf = (name: CheckName): Check =>
    new Check({ name, run: (signal) => checks[name](signal), timeoutMs, afterStallMs: intervalMs, stalls, metrics: counted, log });
  const [call, question] = [checkOf('call'), checkOf('question')];
  const schedule = new Schedule(intervalMs, (turn) => {
    robot.connect();
    void call.run();
    if (turn % questionEvery === 0) void question.run();
  });
  return {
    async start() {
      stalls.start();
      schedule.start();
    },
    async stop() {
      schedule.stop();
      stalls.stop();
      call.stop();
      question.stop();
      await robot.stop();
    },
  };
}
