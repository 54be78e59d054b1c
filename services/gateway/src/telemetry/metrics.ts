import { signInRefusals, type MailKind, type MailOutcome, type Metrics, type RequestAction, type RequestCode } from '@perch/runtime';
import type { Store, UnreadableReason } from '@perch/store';
import type { BodyBudget } from '../http/json-body.js';
import type { EventsFeed } from '../events/events-feed.js';
import { openCallKinds, type OpenCalls } from '../calls/open-calls.js';
import type { Replies } from '../robots/replies.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import type { StreamEnd } from '../http/sse.js';

export interface GatewayMetrics {
  ended(action: RequestAction, code: RequestCode, ms: number): void;
  streamEnded(this: void, why: StreamEnd): void;
  signInRefused(this: void, outcome: string): void;
  mailCounted(this: void, kind: MailKind, outcome: MailOutcome): void;
  activityWritten(this: void, entries: number): void;
  activityDropped(this: void, reason: 'full' | 'redis', entries: number): void;
  replyUnreadable(this: void, reason: UnreadableReason): void;
}

interface GaugeSources {
  openCalls: Pick<OpenCalls, 'count'>;
  budget: Pick<BodyBudget, 'bytes' | 'waiting'>;
  replies: Pick<Replies, 'size'>;
  feed: Pick<EventsFeed, 'size'>;
  directory: Pick<RobotDirectory, 'looking'>;
  store: Pick<Store, 'renders' | 'jobs' | 'connections'>;
}

/** Registers what is read when metrics are collected. */
export function registerGauges(metrics: Metrics, { openCalls, budget, replies, feed, directory, store }: GaugeSources): void {
  const { renders, jobs } = store;
  metrics.gauge('perch_gateway_held_calls', () => openCallKinds.map((kind) => [{ kind }, openCalls.count(kind)] as const));
  metrics.gauge('perch_gateway_awaited_replies', () => replies.size);
  metrics.gauge('perch_gateway_watched_robots', () => feed.size);
  metrics.gauge('perch_gateway_lookups', () => directory.looking);
  metrics.gauge('perch_gateway_awaited_renders', () => renders.size);
  metrics.counter('perch_gateway_renders_busy_total', () => jobs.counts.busy);
  metrics.counter('perch_gateway_renders_dropped_total', () => jobs.counts.dropped);
  metrics.gauge('perch_gateway_subscriptions', () => store.connections.subscriber.size);
  metrics.gauge('perch_gateway_body_bytes', () => budget.bytes);
  metrics.gauge('perch_gateway_waiting_bodies', () => budget.waiting);
}

export function gatewayMetrics(metrics: Metrics): GatewayMetrics {
  const requests = metrics.counter('perch_gateway_requests_total');
  const seconds = metrics.histogram('perch_gateway_request_seconds');
  const signInsRefused = metrics.counter('perch_gateway_sign_ins_refused_total');
  const mails = metrics.counter('perch_gateway_mails_total');
  const streamsEnded = metrics.counter('perch_gateway_streams_ended_total');
  const activityWritten = metrics.counter('perch_gateway_activity_written_total');
  const activityDropped = metrics.counter('perch_gateway_activity_dropped_total');
  const repliesUnreadable = metrics.counter('perch_gateway_instance_messages_unreadable_total');

  // prom-client hashes a label set on every look-up. There are few sets, so each is looked up once.
  const counters = new Map<string, ReturnType<typeof requests.labels>>();
  const timers = new Map<RequestAction, ReturnType<typeof seconds.labels>>();
  return {
    streamEnded: (why) => streamsEnded.inc({ why }),
    signInRefused: (outcome) => signInsRefused.inc({ reason: signInRefusals.find((each) => each === outcome) ?? 'other' }),
    mailCounted: (kind, outcome) => mails.inc({ kind, outcome }),
    activityWritten: (entries) => activityWritten.inc(entries),
    activityDropped: (reason, entries) => activityDropped.inc({ reason }, entries),
    replyUnreadable: (reason) => repliesUnreadable.inc({ reason }),
    ended(action, code, ms) {
      const key = `${action} ${code}`;
      let counter = counters.get(key);
      if (counter === undefined) counters.set(key, (counter = requests.labels({ action, code })));
      counter.inc();
      let timer = timers.get(action);
      if (timer === undefined) timers.set(action, (timer = seconds.labels({ action })));
      timer.observe(ms / 1000);
    },
  };
}
