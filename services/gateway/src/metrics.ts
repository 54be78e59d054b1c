/** The gateway's metrics. Labels come from closed lists: action names, kinds of pages, statuses. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Store } from '@perch/store';
import type { BodyBudget } from './body-budget.js';
import type { EventsFeed } from './events-feed.js';
import { heldKinds, type HeldCalls } from './held-calls.js';
import type { Replies } from './replies.js';
import type { RobotDirectory } from './robot-directory.js';
import type { StreamEnd } from './sse-line.js';

export interface GatewayMetrics {
  /** A request ended. @param status as sent; 0 when the client hung up before its answer */
  ended(action: string, status: number, ms: number): void;
  /** A stream of events ended. */
  streamEnded(this: void, why: StreamEnd): void;
}

interface Gauged {
  held: Pick<HeldCalls, 'count'>;
  budget: Pick<BodyBudget, 'bytes' | 'waiting'>;
  replies: Pick<Replies, 'size'>;
  feed: Pick<EventsFeed, 'size'>;
  directory: Pick<RobotDirectory, 'looking'>;
  renders: Pick<Store['renders'], 'size'>;
  jobs: Pick<Store['jobs'], 'counts'>;
  subscriber: Pick<Store['connections']['subscriber'], 'size'>;
}

export function gatewayMetrics(registry: Registry, { held, budget, replies, feed, directory, renders, jobs, subscriber }: Gauged): GatewayMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'perch_gateway_requests_total',
    help: 'Requests by action and status; status 0 is a client that hung up.',
    labelNames: ['action', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'perch_gateway_request_seconds',
    help: 'From the first byte of a request to the end of its answer; waits and polls take as long as people do.',
    labelNames: ['action'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 13, 60, 130],
    registers,
  });
  new Gauge({
    name: 'perch_gateway_held_calls',
    help: 'Calls held open: waits for a person, polls for events, streams of them.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const kind of heldKinds) this.set({ kind }, held.count(kind));
    },
  });
  new Gauge({
    name: 'perch_gateway_awaited_replies',
    help: 'Messages to robot-links whose answer is awaited.',
    registers,
    collect() {
      this.set(replies.size);
    },
  });
  new Gauge({
    name: 'perch_gateway_watched_robots',
    help: 'Robots whose next event somebody waits for.',
    registers,
    collect() {
      this.set(feed.size);
    },
  });
  new Gauge({
    name: 'perch_gateway_lookups',
    help: 'Robots that are being looked up, or waited for while they move.',
    registers,
    collect() {
      this.set(directory.looking);
    },
  });
  new Gauge({
    name: 'perch_gateway_awaited_renders',
    help: 'Pictures and sounds whose making somebody waits for.',
    registers,
    collect() {
      this.set(renders.size);
    },
  });
  new Counter({
    name: 'perch_gateway_renders_busy_total',
    help: 'Pictures and sounds refused with 503 busy because the account had used up its share of waiting ones.',
    registers,
    collect() {
      this.reset();
      this.inc(jobs.counts.busy);
    },
  });
  new Counter({
    name: 'perch_gateway_renders_dropped_total',
    help: 'Waiting pictures and sounds dropped before a renderer took them because no caller waited for them any longer.',
    registers,
    collect() {
      this.reset();
      this.inc(jobs.counts.dropped);
    },
  });
  new Gauge({
    name: 'perch_gateway_subscriptions',
    help: 'Channels of Redis listened to: one for answers, the others for what somebody waits for.',
    registers,
    collect() {
      this.set(subscriber.size);
    },
  });

  new Gauge({
    name: 'perch_gateway_body_bytes',
    help: 'Memory reserved for request bodies that are arriving (PERCH_GATEWAY_BODY_BYTES).',
    registers,
    collect() {
      this.set(budget.bytes);
    },
  });
  new Gauge({
    name: 'perch_gateway_waiting_bodies',
    help: 'Request bodies that are not read, because their account or the instance has no room for them.',
    registers,
    collect() {
      this.set(budget.waiting);
    },
  });

  const streamsEnded = new Counter({
    name: 'perch_gateway_streams_ended_total',
    help: 'Streams of events that ended, by why: the code of the last event, hung_up, or too_slow for a client that did not read.',
    labelNames: ['why'],
    registers,
  });

  // prom-client looks a label set up by hashing it; the few there are, are looked up once.
  const counters = new Map<string, Counter.Internal>();
  const timers = new Map<string, Histogram.Internal<'action'>>();
  return {
    streamEnded: (why) => streamsEnded.inc({ why }),
    ended(action, status, ms) {
      const key = `${action} ${status}`;
      let counter = counters.get(key);
      if (counter === undefined) counters.set(key, (counter = requests.labels(action, String(status))));
      counter.inc();
      let timer = timers.get(action);
      if (timer === undefined) timers.set(action, (timer = seconds.labels(action)));
      timer.observe(ms / 1000);
    },
  };
}
