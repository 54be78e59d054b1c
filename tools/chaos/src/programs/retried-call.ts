/** A call under an Idempotency-Key by a program that needs its outcome: if the answer is lost, it repeats the call, on any gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Marks } from '../history/marks.js';
import type { Call } from '../history/records.js';
import type { Random } from '../random.js';
import type { Address, Client } from './client.js';
import { didNothing } from './did-nothing.js';
import { planAction, type Plan } from './plan.js';

export interface RetriedCallOptions {
  client: Client;
  gateways: readonly Address[];
  robot: string;
  random: Random;
  marks: Marks;
}

const triesMax = 8;
const pauseMs = [20, 300] as const;

/** Gives up after a few tries, or when `running` returns false. The last try never hangs up. */
export async function callWithRetries({ client, gateways, robot, random, marks }: RetriedCallOptions, running: () => boolean): Promise<void> {
  const plan = planned(random, marks);
  const key = `chaos-${marks.next()}`;
  const ask = (gateway: Address, hangUpMs: number | null, asked: Plan): Promise<Call> => client.act(gateway, robot, asked, { hangUpMs, key });
  // A repetition first waits for the running call, and may then have to do it itself.
  const joining = { ...plan, withinMs: 2 * plan.withinMs };
  for (let tries = 1; ; tries += 1) {
    const isLast = tries === triesMax || !running();
    const [one, other] = random.shuffle(gateways);
    const twice = random.chance(0.15) && other !== undefined;
    const hangUpMs = !isLast && random.chance(0.35) ? random.between(0, 60) : null;
    const asked = tries === 1 && !twice ? plan : joining;
    const calls = await Promise.all([ask(one!, hangUpMs, asked), ...(twice ? [ask(other, null, asked)] : [])]);
    if (calls.some(isTold)) break;
    if (isLast) return;
    await sleep(random.between(...pauseMs));
  }
  if (random.chance(0.4)) await ask(random.pick(gateways), null, joining);
}

/** No card: a robot cannot tell a card that was resent from one that was redrawn. */
function planned(random: Random, marks: Marks): Plan {
  for (;;) {
    const plan = planAction(random, marks);
    if (plan.action !== 'show') return plan;
  }
}

function isTold({ ending }: Call): boolean {
  return ending?.how === 'answered' && !didNothing(ending);
}
