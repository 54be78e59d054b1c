/** Webhooks receive every event they subscribe to, and nothing else. */
import type { History } from '../history/history.js';
import type { Hook, Message } from '../history/messages.js';
import type { ReadEvent } from '../history/records.js';
import { groupBy, violationOf, within, type Evidence, type Guarantee, type Violation, type InstanceHealth } from './evidence.js';
import { finalLogs } from './reads.js';

const arrives = 'every event reaches its webhook';
const only = 'a webhook receives exactly the messages it subscribed to';

/** A sender that lost its job sends it again: lock duration plus the interval of looking for expired locks, ms. */
const lockMs = 15_000;
/** Longest stall of the machine with which a healthy sender keeps its lock, ms. */
const stallMsMax = 2000;
/** Maximum deliveries of one message, however unhealthy Redis and senders are. */
const takenMax = 12;

export const everyEventArrives: Guarantee = {
  name: arrives,
  promise: 'Each event that a webhook subscribes to reaches its receiver at least once; what Redis itself lost may be missing.',
  check({ history, loss }) {
    return missing(awaitedMessages(history, loss), history.messages).map(({ hook, robot, event: { seq, name, at } }) =>
      violationOf(arrives, `event ${seq} ${name} of ${robot} did not come to ${hook.path}`, { robot, at, to: Infinity }, 'lost'),
    );
  },
};

export const onlyWhatIsWanted: Guarantee = {
  name: only,
  promise: `A webhook receives signed messages about events of its own account, robots and names, as logged, each with one webhook-id; an accepted message is redelivered only if a sender or Redis was unhealthy, and at most ${takenMax} times.`,
  check(evidence) {
    return [...foreign(evidence), ...again(evidence)];
  },
};

export interface Awaited {
  hook: Hook;
  robot: string;
  event: ReadEvent;
}

/** Every event of the final logs that a hook subscribes to; if Redis lost writes, which may include jobs, only events since the end of the loss. */
export function awaitedMessages(history: History, loss: Evidence['loss']): Awaited[] {
  const logs = finalLogs(history);
  return history.hooks.flatMap((hook) =>
    hook.robots.flatMap((robot) =>
      (logs.get(robot)?.events ?? [])
        .filter(({ name, at }) => wants(hook, name) && (loss === null || at > loss.to))
        .map((event) => ({ hook, robot, event })),
    ),
  );
}

export function missing(awaited: readonly Awaited[], messages: readonly Message[]): Awaited[] {
  const taken = new Set(messages.filter(({ answer }) => answer === 'taken').map(({ path, robot, seq }) => `${path} ${robot} ${seq}`));
  return awaited.filter(({ hook: { path }, robot, event: { seq } }) => !taken.has(`${path} ${robot} ${seq}`));
}

function foreign({ history, loss }: Evidence): Violation[] {
  const hooks = new Map(history.hooks.map((hook) => [hook.path, hook]));
  const logs = finalLogs(history);
  return history.messages.flatMap((message) => {
    const { path, id, robot, seq, at } = message;
    const hook = hooks.get(path);
    const event = logs.get(robot)?.events.find((each) => each.seq === seq);
    const problem = problemOf(message, hook, event);
    const lost = event === undefined && within(loss, -Infinity, at);
    const unread = !logs.has(robot);
    if (problem === null || (problem === notInLog && (lost || unread))) return [];
    return [violationOf(only, `${id} came to ${path}: ${problem}`, { robot: robot === '' ? null : robot, at })];
  });
}

const notInLog = 'no such event is in the log';

function problemOf({ genuine, id, robot, seq, name, data }: Message, hook: Hook | undefined, event: ReadEvent | undefined): string | null {
  if (!genuine) return 'its signature does not match the secret';
  if (hook === undefined || !hook.robots.includes(robot)) return `it is about ${robot}, which the hook does not cover`;
  if (!wants(hook, name)) return `it is about a ${name}, which the hook does not subscribe to`;
  if (id !== `msg_${robot}_${seq}`) return `it is about event ${seq} of ${robot}`;
  if (event === undefined) return notInLog;
  return event.name === name && event.data === data ? null : `it says ${name} ${data}, and the log ${event.name} ${event.data}`;
}

/** Reports redeliveries of accepted messages while every sender was healthy. */
function again({ history, senders, stallMs }: Evidence): Violation[] {
  const taken = history.messages.filter(({ answer }) => answer === 'taken');
  return [...groupBy(taken, ({ path, id }) => `${path} ${id}`).values()].flatMap((times) => {
    const [first, second] = times;
    if (first === undefined || second === undefined) return [];
    const from = first.at - lockMs;
    const well = stallMs(from, second.at) < stallMsMax && [...senders.values()].every((sender) => isWell(sender, from, second.at));
    if (!well && times.length <= takenMax) return [];
    const ms = (second.at - first.at).toFixed(0);
    return [
      violationOf(only, `${first.id} was taken ${times.length} times, the second ${ms} ms after the first`, { ...first, to: second.at }, 'doubled'),
    ];
  });
}

function isWell({ running, served }: InstanceHealth, from: number, to: number): boolean {
  return running.throughout(from, to) && served.throughout(from, to);
}

function wants({ names }: Hook, name: string): boolean {
  return names?.includes(name) ?? true;
}
