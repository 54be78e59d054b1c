/** A program that reads a robot's events and continues from the last `last_seq`, alternating between gateways. */
import type { Body } from '../history/records.js';
import type { Random } from '../random.js';
import { answerOf, type Address, type Client } from './client.js';
import { planRead } from './plan.js';

const retryMs = 150;

export interface ReaderOptions {
  name: string;
  client: Client;
  robot: string;
  gateways: readonly Address[];
  names: readonly string[] | null;
  random: Random;
}

/** Resolves when the last read has ended. */
export async function readOn({ name, client, robot, gateways, names, random }: ReaderOptions, running: () => boolean): Promise<void> {
  let after = 0;
  while (running()) {
    const seconds = random.pick([0, 0.4, 0.8, 1.2]);
    const answer = answerOf(await client.act(random.pick(gateways), robot, planRead(name, after, seconds, names)));
    if (answer !== null) after = lastSeqOf(answer) ?? after;
    // Other calls share the rate limit.
    if (answer === null || seconds === 0) await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

const finalTries = 40;

export async function readAll(client: Client, robot: string, gateway: Address): Promise<boolean> {
  for (let attempt = 0; attempt < finalTries; attempt += 1) {
    const call = await client.act(gateway, robot, planRead(`${finalReader} ${gateway.place}`, 0, 0, null));
    if (answerOf(call) !== null) return true;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  return false;
}

export const finalReader = 'final';

function lastSeqOf(body: Body): number | null {
  const last = body['last_seq'];
  return typeof last === 'number' ? last : null;
}
