import { Queue } from 'bullmq';
import { asStoreError } from '../errors.js';
import { guarded } from '../redis/guarded.js';
import type { AccountNames } from './account-names.js';
import type { Connections } from '../redis/connections.js';

/** Keys of a queue that are not jobs; see `keys` of BullMQ's Queue. Additional keys of a job have a colon after its id. */
const noJob =
  /^(?:wait|paused|active|delayed|prioritized|waiting-children|completed|failed|stalled|stalled-check|events|marker|meta|id|pc|limiter|repeat)$|:/;

export interface JobKey {
  prefix: string;
  queue: string;
  rest: string;
}

export function jobKeyOf(name: string): JobKey | null {
  const [, prefix, queue, rest] = /^(perch:\{jobs(?::[\d.]+)?\}):(render|render-uploads|webhook-notices|webhook-deliveries):(.+)$/.exec(name) ?? [];
  return prefix === undefined ? null : { prefix, queue: queue!, rest: rest! };
}

/** Deletes the account's entries in a key of a queue, and returns how many. Running jobs end by themselves, because their account is gone. */
export async function removeJobsOf(redis: Connections, names: AccountNames, name: string, { prefix, queue, rest }: JobKey): Promise<number> {
  const { commands } = redis;
  if (rest === 'events') {
    const entries = await guarded(() => commands.xrange(name, '-', '+'));
    const ids = entries.filter(([, fields]) => fields.some((text) => names.in(text))).map(([id]) => id);
    return ids.length === 0 ? 0 : guarded(() => commands.xdel(name, ...ids));
  }
  if (rest === 'stalled') {
    const jobs = (await guarded(() => commands.smembers(name))).filter((job) => names.in(job));
    return jobs.length === 0 ? 0 : guarded(() => commands.srem(name, ...jobs));
  }
  if (rest.startsWith('de:')) return names.in(rest) ? guarded(() => commands.unlink(name)) : 0;
  if (noJob.test(rest)) return 0;
  if (!names.in(rest) && !isJobOf(names, await guarded(() => commands.hget(name, 'data')))) return 0;
  await removeJob(redis, prefix, queue, rest);
  return 1;
}

/** Compares only the fields that name the owner: other texts are user content and may contain any id. @param data data of a job of any queue */
function isJobOf(names: AccountNames, data: string | null): boolean {
  if (data === null) return false;
  const { account, webhook, robot } = JSON.parse(data) as { account?: unknown; webhook?: unknown; robot?: unknown };
  return [account, webhook, robot].some((id) => typeof id === 'string' && names.has(id));
}

async function removeJob(redis: Connections, prefix: string, queue: string, job: string): Promise<void> {
  const opened = new Queue(queue, { connection: redis.commands, prefix, skipVersionCheck: true, skipMetasUpdate: true });
  opened.on('error', () => {});
  try {
    await opened.remove(job, { removeChildren: false });
  } catch (error) {
    throw asStoreError(error);
  } finally {
    await opened.close();
  }
}
