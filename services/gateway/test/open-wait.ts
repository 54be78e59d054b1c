import type { WaitRecord } from '@perch/schema';
import { until } from '@perch/testkit';
import type { GatewayUnderTest, Owner, Answer } from './gateway-under-test.js';

export const question = { question: 'Coffee?', answers: ['Yes', 'No'] };

/** Opens a wait and returns its call and its record, once it is armed if the link arms waits. */
export async function openWait(
  system: GatewayUnderTest,
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
