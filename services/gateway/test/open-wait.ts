import type { WaitRecord } from '@perch/schema';
import { until } from '@perch/testkit';
import type { Answer, Owner, TestSystem } from './test-system.js';

export const question = { question: 'Coffee?', answers: ['Yes', 'No'] };

/** Makes the renderer and the link of the system behave as usual, and forgets what they received. */
export function resetWaits(system: TestSystem): void {
  Object.assign(system, { beforeDrawn: () => Promise.resolve() });
  Object.assign(system.link, { onWait: () => {}, arms: true, answer: ({ id }: { id: string }) => ({ t: 'ack', id, result: {} }) });
  system.link.waits.length = 0;
  system.link.waitEnds.length = 0;
  system.drawn.length = 0;
}

/** Opens a wait and returns its call and its record, once it is armed if the link arms waits. */
export async function openWait(
  system: TestSystem,
  owner: Owner,
  action: string,
  args: unknown,
  signal?: AbortSignal,
): Promise<{ answer: Promise<Answer>; record: WaitRecord }> {
  const before = system.link.waits.length;
  const answer = system.act(owner, action, args, signal);
  answer.catch(() => {});
  await until(() => system.link.waits.length > before);
  const record = system.link.waits.at(-1)!;
  await until(async () => !system.link.arms || (await system.store.waits.read(owner.robot, record.number))?.armed !== null);
  return { answer, record };
}

export async function heldWaits(system: TestSystem): Promise<number> {
  return Number(/perch_gateway_held_calls\{kind="wait"\} (\d+)/.exec(await system.metrics.metrics())?.[1]);
}

export function noWaitHeld(system: TestSystem): Promise<unknown> {
  return until(async () => (await heldWaits(system)) === 0, { what: 'no wait to be held' });
}
