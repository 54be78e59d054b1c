/** Yields the events of a robot. A broken stream is resumed after the last event; missing events are yielded as a gap, never skipped silently. */
import { backoffMs } from './backoff.js';
import type { Caller } from './caller.js';
import { errorOf, PerchError } from './error.js';
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
const openWithinMs = 30_000;
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

/** @throws {PerchError} the first connection failed, or the service ended the stream permanently @throws the signal's reason if it is aborted */
export async function* followEvents<N extends EventName>(
  caller: Caller,
  path: string,
  { after, names, signal }: { after: number; names?: readonly N[] | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<RobotEvent<N> | EventGap, void, undefined> {
  const query = new URLSearchParams({ after: String(after), ...(names === undefined ? {} : { names: names.join(',') }) });
  const position = { lastEventId: '', retryMs: retryMsDefault };
  let opened = false;
  for (let failures = 0; ;) {
    try {
      for await (const { event, data } of recordsOf(caller, `${path}?${query.toString()}`, position, signal)) {
        opened = true;
        failures = 0;
        if (event === 'message') yield JSON.parse(data) as RobotEvent<N>;
        else if (event === 'gap') yield { name: 'gap', ...(JSON.parse(data) as Omit<EventGap, 'name'>) };
        else if (event === 'end') throw errorOf(200, JSON.parse(data));
      }
      opened = true;
    } catch (error) {
      if (!(error instanceof PerchError) || !opened || !transientCodes.has(error.code)) throw error;
      if (error.retryAfterS !== undefined) await sleep(error.retryAfterS * 1000, signal);
    }
    await sleep(backoffMs(++failures, position.retryMs), signal);
  }
}

interface StreamPosition {
  lastEventId: string;
  retryMs: number;
}

/** @throws {PerchError} no_answer if the connection breaks off */
async function* recordsOf(
  caller: Caller,
  path: string,
  position: StreamPosition,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamRecord, void, undefined> {
  const ended = new AbortController();
  const anySignal = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (position.lastEventId !== '') headers['last-event-id'] = position.lastEventId;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  try {
    const call = { method: 'GET', path, headers, cost: 1, reads: true, waits: false, withinMs: openWithinMs } as const;
    const response = await caller.open(call, { signal: anySignal });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true || response.body === null)
      throw errorOf(response.status, null);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new StreamParser();
    for (;;) {
      silenceTimer = setTimeout(() => ended.abort(), silenceMs);
      const { done, value } = await reader.read();
      clearTimeout(silenceTimer);
      if (done) return;
      for (const record of parser.push(decoder.decode(value, { stream: true }))) {
        if (record.lastEventId !== '') position.lastEventId = record.lastEventId;
        position.retryMs = record.retryMs ?? position.retryMs;
        yield record;
      }
      if (parser.lastEventId !== '') position.lastEventId = parser.lastEventId;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PerchError) throw error;
    throw new PerchError('no_answer', 'The stream of events broke off.', { status: 0, cause: error });
  } finally {
    clearTimeout(silenceTimer);
    ended.abort();
  }
}
