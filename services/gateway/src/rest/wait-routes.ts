/**
 * A wait is read and removed by who asked, and by the account of the robot on its page. For any other id the answer is the same 404. The question of a
 * call with an Idempotency-Key is removed with the API key that asked it.
 */
import { validateWaitRead } from '@perch/schema';
import { queryArguments } from '../http/query.js';
import { badIdempotencyKey, callName, idempotencyHeader, isIdempotencyKey } from '../idempotency/idempotency-key.js';
import type { DetachedReads, Place, WaitReader } from '../waits/detached-reads.js';
import type { KeyedRemovals } from '../waits/keyed-removals.js';
import type { RestRequest, RestRoute } from './rest.js';

export function waitRoutes(waits: DetachedReads, keyedRemovals: KeyedRemovals): RestRoute[] {
  async function read(request: RestRequest): Promise<object> {
    const { seconds } = validateWaitRead(queryArguments(request.query, ['seconds']));
    const { place, reader } = await reached(request);
    const { signal, time } = request.exchange;
    return waits.read(place, { ...reader, signal, time }, seconds);
  }

  async function remove(request: RestRequest): Promise<object> {
    const { place, reader } = await reached(request);
    await waits.remove(place, reader);
    return { ok: true };
  }

  async function removeKeyed({ exchange, key: { keyHash }, robot }: RestRequest): Promise<object> {
    const sent = exchange.request.headers[idempotencyHeader] ?? '';
    if (!isIdempotencyKey(sent)) throw badIdempotencyKey();
    await keyedRemovals.remove(robot, callName(keyHash, sent));
    return { ok: true };
  }

  function reached({ exchange, admit, params }: RestRequest): Promise<{ place: Place; reader: WaitReader }> {
    return waits.reach(params['wait']!, (robot) => admit(exchange, robot, 0));
  }

  const label = 'waits';
  return [
    { method: 'GET', path: 'waits/{wait}', cost: 1, label, handle: read },
    { method: 'DELETE', path: 'waits/{wait}', cost: 1, label, handle: remove },
    { method: 'DELETE', path: 'robots/{robot}/wait', cost: 1, label, handle: removeKeyed },
  ];
}
