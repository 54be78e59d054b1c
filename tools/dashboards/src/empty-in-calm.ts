/** Panels without data on some healthy Perch: without load, without failures, or without an optional part. */
import type { PageName } from './links.js';

interface EmptyPanels {
  page: PageName;
  panels: readonly string[];
  reason: string;
  /** In the test system (src/scrape): under load, with a Redis limit, and with metrics of single robots. */
  fullUnderLoad: boolean;
}

const noHaproxy = 'Prometheus scrapes HAProxy only where Perch runs behind it.';
const noExporter = 'Prometheus scrapes redis_exporter only where it runs.';
const noLimit = 'A Redis without maxmemory has no limit to compare with.';
const noCalls = 'There is no duration and no share of calls or commands as long as there are none.';
const onlySeen = 'Only values of the label that occurred are shown.';

export const emptyInCalm: readonly EmptyPanels[] = [
  { page: 'overview', panels: ['Calls failed by Perch', 'Commands on the socket'], reason: noCalls, fullUnderLoad: true },
  {
    page: 'fleet',
    panels: ['Low batteries', 'Weak Wi-Fi', 'Battery', 'Wi-Fi', 'Temperature', 'Free heap'],
    reason: 'Robots report only readings that changed.',
    fullUnderLoad: true,
  },
  { page: 'fleet', panels: ['Commands acknowledged'], reason: noCalls, fullUnderLoad: true },
  { page: 'fleet', panels: ['Commands by outcome', 'Questions by outcome', 'Events by name'], reason: onlySeen, fullUnderLoad: true },
  {
    page: 'robot',
    panels: [
      'Connected',
      'Battery',
      'Wi-Fi',
      'Commands acknowledged',
      'Connection',
      'Commands by outcome',
      'Battery charge',
      'Wi-Fi signal',
      'Temperatures',
      'Free heap',
    ],
    reason: 'Robot-links have metrics of single robots only with PERCH_METRICS_ROBOTS=true.',
    fullUnderLoad: true,
  },
  { page: 'gateway', panels: ['Calls by action'], reason: onlySeen, fullUnderLoad: true },
  {
    page: 'gateway',
    panels: ['Calls that failed, by code', 'Sign-ins refused', 'Streams of events that ended'],
    reason: onlySeen,
    fullUnderLoad: true,
  },
  {
    page: 'gateway',
    panels: ['Duration of calls that do not wait for people', 'Slowest hundredth, by action'],
    reason: noCalls,
    fullUnderLoad: true,
  },
  { page: 'gateway', panels: ['E-mails'], reason: 'No e-mail is sent without PERCH_SMTP_URL.', fullUnderLoad: false },
  { page: 'gateway', panels: ['Answers by status class', 'Servers that HAProxy uses'], reason: noHaproxy, fullUnderLoad: false },
  {
    page: 'robot-link',
    panels: ['Commands by name', 'Commands by outcome', 'Questions that ended', 'Raw inputs by kind', 'Events by name'],
    reason: onlySeen,
    fullUnderLoad: true,
  },
  {
    page: 'robot-link',
    panels: ["From the call to the robot's socket", 'From the socket to the ack', 'Slowest hundredth to the socket, by command'],
    reason: noCalls,
    fullUnderLoad: true,
  },
  { page: 'renderer', panels: ['Jobs by outcome'], reason: onlySeen, fullUnderLoad: true },
  {
    page: 'renderer',
    panels: ['Size of what was made', 'Time to make one', 'Time in the queue'],
    reason: 'There is no size and no duration of pictures and sounds as long as none are made.',
    fullUnderLoad: true,
  },
  {
    page: 'webhooks',
    panels: ['Delivered at an attempt', 'Duration of attempts'],
    reason: 'There is no duration and no share of attempts as long as there are none.',
    fullUnderLoad: true,
  },
  { page: 'redis', panels: ['Memory in use'], reason: noLimit, fullUnderLoad: true },
  { page: 'redis', panels: ['Refusals by reason'], reason: onlySeen, fullUnderLoad: false },
  { page: 'redis', panels: ['First certificate expires'], reason: 'The connection to Redis has certificates only with TLS.', fullUnderLoad: false },
  { page: 'redis', panels: ['Commands', 'Clients', 'Processor'], reason: noExporter, fullUnderLoad: false },
  { page: 'slo', panels: ['Calls failed by Perch, by action'], reason: 'Only actions of which a call failed are shown.', fullUnderLoad: false },
  { page: 'slo', panels: ['Commands within bounds of time', 'Slowest hundredth, by command'], reason: noCalls, fullUnderLoad: true },
  { page: 'slo', panels: ['Checks of the probe that failed'], reason: 'Only where a probe runs.', fullUnderLoad: false },
  { page: 'slo', panels: ['Calls that the load balancer failed'], reason: noHaproxy, fullUnderLoad: false },
  {
    page: 'slo',
    panels: ['Kept', 'Error budget left', 'Burn rate'],
    reason: 'There is no share as long as there are no calls, commands or robots, or without the recording rules.',
    fullUnderLoad: true,
  },
];
