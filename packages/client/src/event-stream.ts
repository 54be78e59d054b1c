/**
 * Yields a robot's events as they come, for as long as the program reads: each once, in order. A stream that breaks off is resumed after the
 * last event; events that are missing by then are yielded as a gap, never skipped silently.
 */
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
  /** Numbers above this ... */
  after: number;
  /** ... and below this are missing. */
  next: number;
}

export interface FollowOptions<N extends EventName = EventName> extends Pick<CallOptions, 'signal'> {
  /** Only these; left out, all. */
  names?: readonly N[] | undefined;
  /**
   * Only events with a `seq` above it; 0 (default): the last ones kept; `now`: only what happens from now on.
   */
  after?: number | 'now' | undefined;
}

/** The service says something every 15 s. */
const silentMs = 45_000;
const openWithinMs = 30_000;
/** Until the service names one. */
const retryMsDefault = 1000;
/** On a stream that was open, the codes that do not end it for good. */
const passing: ReadonlySet<string> = new Set<PerchError['code']>([
  'unreachable',
  'no_answer',
  'bad_answer',
  'rate_limited',
  'internal',
  'service_unavailable',
  'draining',
]);

/**
 * @param path of the robot's events
 * @throws {PerchError} where the stream cannot be opened at first, or the service ends it for good; the signal's reason
 */
export async function* followEvents<N extends EventName>(
  caller: Caller,
  path: string,
  { after, names, signal }: { after: number; names?: readonly N[] | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<RobotEvent<N> | EventGap, void, undefined> {
  const query = new URLSearchParams({ after: String(after), ...(names === undefined ? {} : { names: names.join(',') }) });
  const place = { lastEventId: '', retryMs: retryMsDefault };
  let opened = false;
  for (let failures = 0; ;) {
    try {
      for await (const { event, data } of recordsOf(caller, `${path}?${query}`, place, signal)) {
        opened = true;
        failures = 0;
        if (event === 'message') yield JSON.parse(data) as RobotEvent<N>;
        else if (event === 'gap') yield { name: 'gap', ...(JSON.parse(data) as Omit<EventGap, 'name'>) };
        else if (event === 'end') throw errorOf(200, JSON.parse(data));
      }
      opened = true;
    } catch (error) {
      if (!(error instanceof PerchError) || !opened || !passing.has(error.code)) throw error;
      if (error.retryAfterS !== undefined) await sleep(error.retryAfterS * 1000, signal);
    }
    await sleep(backoffMs(++failures, place.retryMs), signal);
  }
}

/** Where a stream is taken up again. */
interface Place {
  lastEventId: string;
  retryMs: number;
}

/** The records of one connection. @throws {PerchError} no_answer when it breaks off */
async function* recordsOf(
  caller: Caller,
  path: string,
  place: Place,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamRecord, void, undefined> {
  const over = new AbortController();
  const ends = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (place.lastEventId !== '') headers['last-event-id'] = place.lastEventId;
  let silent: ReturnType<typeof setTimeout> | undefined;
  try {
    const call = { method: 'GET', path, headers, cost: 1, reads: true, waits: false, withinMs: openWithinMs } as const;
    const response = await caller.open(call, { signal: ends });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true || response.body === null)
      throw errorOf(response.status, null);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new StreamParser();
    for (;;) {
      silent = setTimeout(() => over.abort(), silentMs);
      const { done, value } = await reader.read();
      clearTimeout(silent);
      if (done) return;
      for (const record of parser.push(decoder.decode(value, { stream: true }))) {
        if (record.lastEventId !== '') place.lastEventId = record.lastEventId;
        place.retryMs = record.retryMs ?? place.retryMs;
        yield record;
      }
      if (parser.lastEventId !== '') place.lastEventId = parser.lastEventId;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PerchError) throw error;
    throw new PerchError('no_answer', 'The stream of events broke off.', { status: 0, cause: error });
  } finally {
    clearTimeout(silent);
    over.abort();
  }
}
