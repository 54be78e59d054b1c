import type { MetricRows } from './metric-row.js';

const check = ['call', 'question'] as const;

export const probeMetrics = {
  perch_probe_checks_total: {
    type: 'counter',
    labels: { check, outcome: ['ok', 'failed'] },
    help: 'Checks of the probe by outcome. call: a call through the public address that needs no robot, once an interval. question: a question that the robot of the probe answers, every fourth time. failed: not the expected answer within the time limit, whatever the reason: no name, no connection, a certificate, an answer of the balancer, an error of Perch.',
  },
  perch_probe_checks_skipped_total: {
    type: 'counter',
    labels: { check },
    help: 'Checks that failed while, or just after, the probe itself was stopped or its machine was too busy to run it. They are not in perch_probe_checks_total.',
  },
  perch_probe_check_seconds: {
    type: 'histogram',
    labels: { check },
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30],
    help: 'Duration of the checks that succeeded. A call includes the DNS lookup and a new connection; a question includes 350 to 650 ms in which the person at the robot thinks.',
  },
  perch_probe_last_check_timestamp_seconds: {
    type: 'gauge',
    labels: { check },
    help: 'Unix time at which the last check that counts ended. Before the first, when the probe started. It stands still where the probe hangs or skips its checks, and then perch_probe_checks_total tells nothing.',
  },
  perch_probe_robot_connected: { type: 'gauge', labels: {}, help: '1 while the robot of the probe is connected to a robot-link, 0 while it is not.' },
} as const satisfies MetricRows;
