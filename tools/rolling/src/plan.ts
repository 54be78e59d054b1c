/** Each phase begins with the instances of the one before. */
import type { ServiceName } from '@perch/launcher';
import type { SourceTree } from '@perch/testkit';
import type { Manner } from './fleet/instance-slot.js';
import type { PlanName } from './options.js';

export interface Phase {
  from: SourceTree;
  to: SourceTree;
  order: readonly ServiceName[];
  manner: Manner;
}

export const gatewaysFirst: readonly ServiceName[] = ['gateway', 'robot-link', 'renderer', 'webhooks'];
export const robotLinksFirst: readonly ServiceName[] = ['robot-link', 'gateway', 'renderer', 'webhooks'];

/** @param last called only if the plan needs the last release */
export async function phasesOf(plan: PlanName, now: SourceTree, last: () => Promise<SourceTree>): Promise<Phase[]> {
  // Recreated in place, like by docker compose: all robots move to one robot-link, and spread again afterwards.
  const same: Phase = { from: now, to: now, order: gatewaysFirst, manner: 'in-place' };
  if (plan === 'same-version') return [same];
  const before = await last();
  const there = (order: readonly ServiceName[]): Phase => ({ from: before, to: now, order, manner: 'surge' });
  // An upgrade is undone in the reverse order: the first service replaced is the last to go back.
  const back = (order: readonly ServiceName[]): Phase => ({ from: now, to: before, order: order.toReversed(), manner: 'surge' });
  const up = there(gatewaysFirst);
  if (plan === 'upgrade') return [up];
  const rest = [back(gatewaysFirst), there(robotLinksFirst), back(robotLinksFirst)];
  return plan === 'all' ? [up, same, ...rest] : [up, ...rest];
}
