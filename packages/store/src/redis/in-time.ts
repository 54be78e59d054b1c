/**
 * Runs a script that makes a secret valid or uses one up. Redis executes a command that it has received also after the caller gave up, for instance when
 * it resumes after a pause; such a script returns 'late' instead, by the clock of its node.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asStoreError, StoreError, UncertainWrite } from './errors.js';
import type { Connections } from './connections.js';
import type { ScriptKeys, ScriptOutputs } from './script-types.generated.js';

/** More than the time-out of a command. */
const windowMs = 2000;

/** Scripts whose first argument is the time after which they do nothing (ms). */
type TimedScript = 'grantStep' | 'keyMake' | 'recordKeep' | 'robotBind' | 'robotToken' | 'shareLinkMake' | 'webhookSave';

/** When this rejects, Redis will not execute the script any more. @throws {UncertainWrite} if Redis may have executed it */
export async function inTime<Name extends TimedScript>(
  redis: Connections,
  name: Name,
  keys: ScriptKeys[Name],
  args: (string | number)[],
): Promise<Exclude<ScriptOutputs[Name], 'late'>> {
  const now = await redis.script('nodeTime', [keys[0]], []);
  const giveUpAt = performance.now() + windowMs;
  try {
    const reply = await redis.script(name, keys, [now + windowMs, ...args]);
    if (reply !== 'late') return reply as Exclude<ScriptOutputs[Name], 'late'>;
  } catch (error) {
    const known = asStoreError(error);
    if (!(known instanceof StoreError) || known.fate === 'not_done') throw known;
    await sleep(giveUpAt - performance.now());
    throw new UncertainWrite(known.message, { cause: known });
  }
  throw new StoreError('unavailable', 'Redis did not execute a change in time; nothing was changed.');
}

/** @returns whole ms since 1970 */
export async function redisTimeMs({ commands }: Connections): Promise<number> {
  const [seconds, micros] = await commands.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
