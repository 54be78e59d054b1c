/** Objectives of docs/slo.md. Shares come from the recording rules of deploy/prometheus/rules. */
import { failedByService } from '../call-codes.js';
import type { Runbook } from '../links.js';
import { createPage, type Section } from '../page.js';
import { bars, stat, timeSeries, type PlacedPanel } from '../panel.js';
import { overRange, perSecond, quantile } from '../promql.js';
import { units } from '../units.js';
import { worseAbove, worseBelow } from '../values.js';

interface Objective {
  title: string;
  meaning: string;
  /** Over 30 days. */
  budget: number;
  rule: string;
  /** Over the time range of the page, by installation. */
  badShare: string;
  runbook: Runbook;
  detail: readonly PlacedPanel[];
}

const calls = 'perch_gateway_requests_total';
const delivery = 'perch_link_command_delivery_seconds';
const recorded = 'From the recording rules of deploy/prometheus/rules; of several installations the worst.';
/** By installation. */
const ofRange = (part: string, whole: string): string => `avg_over_time(${part}[$__range]) / avg_over_time(${whole}[$__range])`;

const objectives: readonly Objective[] = [
  {
    title: 'Calls not failed by Perch',
    meaning:
      'Bad: a call that ended with a code that is the fault of the service, or that the load balancer could not deliver, of all calls that succeeded or ended so; or a call of the probe that failed, if the share of those is larger.',
    budget: 0.001,
    rule: 'perch:calls_failed',
    badShare: `label_replace(${ofRange('perch:calls_failed:rate5m', 'perch:calls_counted:rate5m')}, "of", "calls", "", "") or ${ofRange('perch:probe_calls_failed:rate5m', 'perch:probe_calls:rate5m')}`,
    runbook: 'PerchCallsFailing',
    detail: [
      timeSeries({
        title: 'Calls failed by Perch, by code',
        description: 'Calls a second that ended with a code that is the fault of the service. docs/slo.md says why each counts.',
        unit: units.perSecond,
        queries: [{ expr: perSecond(calls, { where: failedByService, by: 'code' }), legend: '{{code}}' }],
        runbooks: ['PerchCallsFailing'],
      }),
      bars({
        title: 'Calls failed by Perch, by action',
        description:
          'How many calls of each action failed by the fault of the service, over the time range of the page. Actions without any are left out.',
        unit: units.count,
        width: 12,
        decimals: 0,
        min: 0,
        queries: [{ expr: `${overRange(calls, { where: failedByService, by: 'action' })} > 0`, legend: '{{action}}' }],
        runbooks: ['PerchCallsFailing'],
      }),
      timeSeries({
        title: 'Checks of the probe that failed',
        description: 'Calls and questions of the probe that failed, a second. Shown where a probe runs.',
        unit: units.perSecond,
        queries: [{ expr: perSecond('perch_probe_checks_total', { where: 'outcome="failed"', by: 'check' }), legend: '{{check}}' }],
        runbooks: ['PerchProbeFailing'],
      }),
      timeSeries({
        title: 'Calls that the load balancer failed',
        description:
          'Requests that the load balancer answered with an error of its own, a second. From the recording rules of deploy/prometheus/rules, which know HAProxy with deploy/haproxy, or the expression of the chart.',
        unit: units.perSecond,
        queries: [{ expr: 'sum(perch:balancer_failed:rate5m)', legend: 'failed' }],
        runbooks: ['PerchCallsFailing'],
      }),
    ],
  },
  {
    title: 'Commands on the socket within 100 ms',
    meaning: "Bad: a command that reached its robot's socket more than 100 ms after its call had arrived, of all commands written.",
    budget: 0.01,
    rule: 'perch:commands_late',
    badShare: ofRange('perch:commands_late:rate5m', 'perch:commands_counted:rate5m'),
    runbook: 'PerchCommandsLate',
    detail: [
      timeSeries({
        title: 'Commands within bounds of time',
        description:
          "Share of commands that reached the robot's socket within 10, 25, 50 and 100 ms of their call. The lowest line shows slowness first.",
        unit: units.share,
        max: 1,
        queries: ['0.01', '0.025', '0.05', '0.1'].map((le) => ({
          expr: `${perSecond(`${delivery}_bucket`, { where: `le="${le}"` })} / ${perSecond(`${delivery}_count`)}`,
          legend: `${Number(le) * 1000} ms`,
        })),
        runbooks: ['PerchCommandsLate'],
      }),
      timeSeries(
        {
          title: 'Slowest hundredth, by command',
          description: "99th percentile of the time from the call to the robot's socket, by command. Making a new picture or sound is part of it.",
          unit: units.seconds,
          queries: [{ expr: `${quantile(0.99, delivery, { by: 'name' })} > 0`, legend: '{{name}}' }],
        },
        { legend: 'table' },
      ),
    ],
  },
  {
    title: 'Robots not dropped by Perch',
    meaning: 'Bad: a robot whose robot-link ended, or lost its heartbeat, without handing it over; each hour of each connected robot counts.',
    budget: 0.001,
    rule: 'perch:robots_dropped',
    badShare: `3600 * ${ofRange('perch:robots_dropped:rate5m', 'perch:robots_connected:sum')}`,
    runbook: 'PerchRobotsDropped',
    detail: [
      timeSeries({
        title: 'Robots dropped',
        description: 'Robots that connected, a second, after their robot-link had ended or lost its heartbeat without handing them over.',
        unit: units.perSecond,
        queries: [{ expr: perSecond('perch_link_sessions_orphaned_total'), legend: 'dropped' }],
        runbooks: ['PerchRobotsDropped'],
      }),
      timeSeries({
        title: 'Robots handed over',
        description:
          'Sessions closed with 4009, a second: robots sent to another robot-link because theirs stopped or had too many. They are back at once and do not count.',
        unit: units.perSecond,
        queries: [{ expr: perSecond('perch_link_sessions_closed_total', { where: 'code="4009"' }), legend: 'handed over' }],
        page: 'robot-link',
      }),
    ],
  },
];

function sectionOf({ title, meaning, budget, rule, badShare, runbook, detail }: Objective): Section {
  const target = `${((1 - budget) * 100).toFixed(1)} %`;
  return {
    title: `${title}: ${target}`,
    panels: [
      stat(
        {
          title: 'Kept',
          description: `Share that was good over the time range of the page; the objective is ${target} over 30 days. ${meaning} ${recorded}`,
          unit: units.share,
          decimals: 3,
          height: 8,
          queries: [{ expr: `1 - max(${badShare})`, legend: 'kept' }],
          thresholds: worseBelow(1 - budget, 1 - budget / 2),
          runbooks: [runbook],
        },
        { graph: false },
      ),
      stat(
        {
          title: 'Error budget left',
          description: `What is left of the error budget if the whole time range of the page went on as it did: 100 % nothing was bad, 0 % all that the objective allows, less: more than that. ${recorded}`,
          unit: units.share,
          decimals: 1,
          height: 8,
          queries: [{ expr: `1 - max(${badShare}) / ${budget}`, legend: 'left' }],
          thresholds: worseBelow(0, 0.5),
          runbooks: [runbook],
        },
        { graph: false },
      ),
      timeSeries({
        title: 'Burn rate',
        description: `How many times faster than allowed the error budget is used up, over windows of 5 minutes, 1 hour and 6 hours. The alert is critical from 14.4 over an hour or 6 over 6 hours. ${recorded}`,
        unit: units.times,
        width: 16,
        queries: ['5m', '1h', '6h'].map((window) => ({ expr: `max(${rule}:ratio_rate${window}) / ${budget}`, legend: window })),
        thresholds: worseAbove(1, 14.4),
        runbooks: [runbook],
      }),
      ...detail,
    ],
  };
}

export const slo = createPage({
  name: 'slo',
  title: 'Perch: objectives (SLO)',
  description: 'The objectives of docs/slo.md: how well each is kept, how much of its error budget is left, and what uses it up.',
  from: 'now-24h',
  sections: objectives.map(sectionOf),
});
