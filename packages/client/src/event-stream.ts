/** Yields the events of a robot. A broken stream is resumed after the last event; missing events are yielded as a gap, never skipped silently. */
import { backoffMs } from './backoff.js';
import type { Caller } from './caller.js';
import { errorOf, PerchError } from './error.js';
import { longestWaitS } from './retry.js';
import type { CallOptions } from './options.js';
import { StreamParser, type StreamRecord } from './server-sent-events.js';
import { sleep } from './sleep.js';
import type { EventName, RobotEvent } from './types.generated.js';

/** Missing events: dropped because only the last ones are kept, or lost by the storage, after which numbering jumps. */
export interface EventGap {
  name: 'gap';
  /** Events with a `seq` above this ... */
  after: number;
  /** ... and below this are missing. */
  next: number;
}

export interface FollowOptions<N extends EventName = EventName> extends Pick<CallOptions, 'signal'> {
  /** Only events with these names. Default: all. */
  names?: readonly N[] | undefined;
  /** Only events with a `seq` above it. Default 0: starts with the last ones kept; `now`: only new events. */
  after?: number | 'now' | undefined;
}

/** The service sends at least a comment every 15 s. */
const silenceMs = 45_000;
/** Used until the service sends `retry`. */
const retryMsDefault = 1000;
/** Errors after which a stream that was open is resumed. */
const transientCodes: ReadonlySet<string> = new Set<PerchError['code']>([
  'unreachable',
  'no_answer',
  'bad_answer',
  'rate_limited',
  'internal',
  'service_unavailable',
  'draining',
]);

/**
 * Ends the stream at once as its loop is left, also while the next event is awaited.
 * @throws {PerchError} the first connection failed, or the service ended the stream permanently @throws the signal's reason if it is aborted
 */
export function followEvents<N extends EventName>(
  caller: Caller,
  path: string,
  options: FollowOptions<N> & { start: (signal: AbortSignal) => Promise<number> },
): AsyncGenerator<RobotEvent<N> | EventGap, void, undefined> {
  const left = new AbortController();
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const events = eventsOf(caller, path, options, signal);
  // A generator ends only once the `next` before has settled, which takes until the next event.
  const end = events.return.bind(events);
  const next = events.next.bind(events);
  return Object.assign(events, {
    async next() {
      try {
        return await next();
      } catch (error) {
        if (left.signal.aborted && options.signal?.aborted !== true) return { done: true as const, value: undefined };
        throw error;
      }
    },
    return(value: undefined) {
      left.abort();
      return end(value);
    },
  });
}

async function* eventsOf<N extends EventName>(
  caller: Caller,
  path: string,
  { names, start }: FollowOptions<N> & { start: (signal: AbortSignal) => Promise<number> },
  signal: AbortSignal,
): AsyncGenerator<RobotEvent<N> | EventGap, void, undefined> {
  const query = new URLSearchParams({ after: String(await start(signal)), ...(names && { names: names.join(',') }) });
  const position: StreamPosition = { lastEventId: '', retryMs: retryMsDefault, opened: false };
  for (let failures = 0; ;) {
    try {
      for await (const { event, data } of recordsOf(caller, `${path}?${query.toString()}`, position, signal)) {
        failures = 0;
        if (event === 'message') yield parsed(data) as RobotEvent<N>;
        else if (event === 'gap') yield { name: 'gap', ...(parsed(data) as Omit<EventGap, 'name'>) };
        else if (event === 'end') throw errorOf(parsed(data), { status: 200 });
      }
    } catch (error) {
      if (!(error instanceof PerchError) || !position.opened || !mayResume(error)) throw error;
      if (error.retryAfterS !== undefined) await sleep(error.retryAfterS * 1000, signal);
    }
    await sleep(backoffMs(++failures, position.retryMs), signal);
  }
}

/** Returns whether another stream may succeed, and soon. A `bad_answer` without a status is what a stream contained. */
function mayResume({ code, status, retryAfterS = 0 }: PerchError): boolean {
  return transientCodes.has(code) && !(code === 'bad_answer' && status === 0) && retryAfterS <= longestWaitS;
}

/** @throws {PerchError} */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new PerchError('bad_answer', 'The event stream sent a record that is not JSON.', { status: 0, cause });
  }
}

interface StreamPosition {
  lastEventId: string;
  retryMs: number;
  /** The service has answered with a stream. */
  opened: boolean;
}

/** @throws {PerchError} no_answer if the connection breaks off */
async function* recordsOf(
  caller: Caller,
  path: string,
  position: StreamPosition,
  signal: AbortSignal,
): AsyncGenerator<StreamRecord, void, undefined> {
  const ended = new AbortController();
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (position.lastEventId !== '') headers['last-event-id'] = position.lastEventId;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  try {
    const call = { method: 'GET', path, headers, cost: 1, reads: true, waits: false } as const;
    const response = await caller.open(call, { signal: AbortSignal.any([signal, ended.signal]) });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true || !response.body)
      throw errorOf(null, { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined });
    position.opened = true;
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new StreamParser();
    for (;;) {
      silenceTimer = setTimeout(() => ended.abort(), silenceMs);
      const { done, value } = await reader.read();
      clearTimeout(silenceTimer);
      if (done) return;
      const records = parser.push(decoder.decode(value, { stream: true }));
      position.retryMs = parser.retryMs ?? position.retryMs;
      for (const record of records) {
        if (record.lastEventId !== '') position.lastEventId = record.lastEventId;
        yield record;
      }
      if (parser.lastEventId !== '') position.lastEventId = parser.lastEventId;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PerchError) throw error;
    if (error instanceof RangeError)
      throw new PerchError('bad_answer', 'The event stream sent a record that is too long.', { status: 0, cause: error });
    throw new PerchError('no_answer', 'The stream of events broke off.', { status: 0, cause: error });
  } finally {
    clearTimeout(silenceTimer);
    ended.abort();
  }
}
