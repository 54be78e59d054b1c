/** Limits of password attempts and sign-ups, per account and per address. Clients cannot evade them through X-Forwarded-For. */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch, type Dispatcher } from 'undici';
import { envelopeProblem, type Answer } from '../../answer-problems.js';
import { secret, type FuzzSystem } from '../../fuzz-system.js';
import type { Tally } from '../../tally.js';
import { consoleCodes } from '../console-problems.js';
import { password, type ConsoleUsers } from './console-users.js';

export interface AttemptLimitsOptions {
  system: FuzzSystem;
  users: ConsoleUsers;
  tally: Tally;
  dispatcher: Dispatcher;
}

/** As documented: wrong passwords per account and per address in 15 minutes, sign-ups per address in an hour. */
export const bounds = { account: 10, address: 50, signUp: 30 };
const atOnce = 6;
/** Attempts that were refused as too busy count: fewer than an account may have. */
const busyTriesMax = 8;
const busyWaitMs = 1000;

interface Try {
  path: 'session' | 'accounts';
  address: string;
  body: Record<string, string>;
}

export async function attemptLimitProblems({ system, users, tally, dispatcher }: AttemptLimitsOptions): Promise<string[]> {
  let count = 0;
  const wrong: string[] = [];
  // Limits last longer than a run.
  const network = `${randomInt(11, 100)}.${randomInt(256)}`;
  const anyAddress = (): string => `${network}.${count >> 8}.${count++ & 255}`;
  const nobody = (): string => `${randomBytes(8).toString('hex')}@guess.fuzz`;

  async function attempt({ path, address, body }: Try): Promise<string> {
    const { host } = new URL(system.gateway());
    const startedAt = performance.now();
    const response = await fetch(`${system.gateway()}/console/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://${host}`, 'x-forwarded-for': `10.9.9.${count & 255}, ${address}` },
      body: JSON.stringify(body),
      dispatcher,
      signal: AbortSignal.timeout(60_000),
    });
    const answer: Answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
      tookMs: performance.now() - startedAt,
    };
    const code = /"code":"(\w+)"/.exec(answer.text)?.[1];
    tally.sent('console-bounds');
    tally.answered('console-bounds', code === undefined ? String(answer.status) : `${answer.status} ${code}`, answer.tookMs, path);
    const problem = envelopeProblem(answer, secret, consoleCodes);
    if (problem !== null) wrong.push(`guessing at ${path}: ${problem}`);
    return code ?? 'let in';
  }

  async function tried(times: number, one: () => Try): Promise<string[]> {
    const ends: string[] = [];
    const worker = async (): Promise<void> => {
      while (ends.length < times) {
        const at = ends.push('') - 1;
        ends[at] = await attempt(one());
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return ends;
  }

  /** Makes an attempt that must be decided: a busy machine may have no time for its password. */
  async function decided(one: Try): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const end = await attempt(one);
      if (end !== 'too_busy' || tries === busyTriesMax) return end;
      await sleep(busyWaitMs);
    }
  }

  const victim = await users.once();
  const more = 8;
  const guess = (): Try => ({
    path: 'session',
    address: anyAddress(),
    body: { email: victim.email, password: `wrong-${randomBytes(6).toString('hex')}` },
  });
  wrong.push(...limitProblems('wrong passwords of one account', await tried(bounds.account + more, guess), 'wrong_credentials', bounds.account));
  const late = await decided({ path: 'session', address: anyAddress(), body: { email: victim.email.toUpperCase(), password } });
  if (late !== 'too_many_attempts') wrong.push(`behind the bound the right password, the address in capitals, is answered ${late}`);

  const address = anyAddress();
  const fromOne = (): Try => ({ path: 'session', address, body: { email: nobody(), password: 'wrong-wrong-wrong' } });
  wrong.push(...limitProblems('wrong passwords from one address', await tried(bounds.address + more, fromOne), 'wrong_credentials', bounds.address));
  const elsewhere = await decided({ path: 'session', address: anyAddress(), body: { email: (await users.once()).email, password } });
  if (elsewhere !== 'let in') wrong.push(`somebody at another address is answered ${elsewhere}`);

  const signUps = anyAddress();
  const signUp = (): Try => ({ path: 'accounts', address: signUps, body: { email: nobody(), password } });
  wrong.push(...limitProblems('sign-ups from one address', await tried(bounds.signUp + more, signUp), 'let in', bounds.signUp));
  return wrong;
}

/** @param ends results of equal attempts @param before result of an attempt within the limit */
export function limitProblems(what: string, ends: readonly string[], before: string, bound: number): string[] {
  const [made, held] = [before, 'too_many_attempts'].map((wanted) => ends.filter((end) => end === wanted).length) as [number, number];
  // Attempts that were refused as too busy count, though they were not made.
  const busy = ends.filter((end) => end === 'too_busy').length;
  if (made > bound || made + busy < bound || made + busy + held !== ends.length)
    return [`${what}: of ${ends.length}, ${made} were ${before} and ${held} held up; the bound is ${bound}`];
  return [];
}
