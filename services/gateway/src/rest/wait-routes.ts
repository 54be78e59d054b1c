/** A key reads and removes the waits of its own robots. Whatever else an id names, the answer is the same 404. */
import { validateWaitRead } from '@perch/schema';
import { queryArguments } from '../http/query.js';
import type { DetachedReads, Place, WaitReading } from '../waits/detached-reads.js';
import type { RestRequest, RestRoute } from './rest.js';

export function waitRoutes(waits: DetachedReads): RestRoute[] {
  async function read(request: RestRequest): Promise<object> {
    const { seconds } = validateWaitRead(queryArguments(request.query, ['seconds']));
    const { place, reading } = await reached(request);
    return waits.read(place, reading, seconds);
  }

  async function remove(request: RestRequest): Promise<object> {
    const { place, reading } = await reached(request);
    await waits.remove(place, reading);
    return { ok: true };
  }

  async function reached({ exchange, admit, params }: RestRequest): Promise<{ place: Place; reading: WaitReading }> {
    const { place, key } = await waits.reach(params['wait']!, (robot) => admit(exchange, robot, 0));
    const { account, keyHash, guest = null } = key;
    return { place, reading: { account, keyHash, guest, signal: exchange.signal, time: exchange.time } };
  }

  const label = 'waits';
  return [
    { method: 'GET', path: 'waits/{wait}', cost: 1, label, handle: read },
    { method: 'DELETE', path: 'waits/{wait}', cost: 1, label, handle: remove },
  ];
}
