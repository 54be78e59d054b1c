/** Limits under parallel requests: streams of one session, keys of an account, and tokens that work once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch, type Dispatcher } from 'undici';
import type { FuzzSystem } from '../fuzz-system.js';
import { tokenOf } from './requests/sender-headers.js';
import { password, type ConsoleUser, type ConsoleUsers } from './auth/console-users.js';
import type { ConsoleEndpoint } from './console-endpoint.js';

export interface ParallelLimitsOptions {
  system: FuzzSystem;
  users: ConsoleUsers;
  plain: ConsoleEndpoint;
  https: ConsoleEndpoint;
  sent: (how: string) => void;
  dispatcher: Dispatcher;
}

export const parallelLimits = { streams: 8, keys: 100 };
const atOnce = 6;
const busyTriesMax = 8;
const busyWaitMs = 1000;

export async function parallelLimitProblems({ system, users, plain, https, sent, dispatcher }: ParallelLimitsOptions): Promise<string[]> {
  const { store } = system;

  async function request(
    endpoint: ConsoleEndpoint,
    user: ConsoleUser | null,
    method: string,
    path: string,
    body: object | null,
    signal?: AbortSignal,
  ): Promise<number> {
    const by = user === null ? {} : { cookie: `${endpoint.cookie}=${user.secret}`, 'x-csrf-token': tokenOf(user.secret) };
    const response = await fetch(`http://127.0.0.1:${endpoint.port}/console/${path}`, {
      method,
      headers: { origin: `http://127.0.0.1:${endpoint.port}`, ...by, ...(body === null ? {} : { 'content-type': 'application/json' }) },
      body: body === null ? null : JSON.stringify(body),
      dispatcher,
      signal: signal ?? AbortSignal.timeout(60_000),
    });
    sent(String(response.status));
    if (signal === undefined) await response.text();
    return response.status;
  }

  const user = await users.once();
  const end = new AbortController();
  const streams = await Promise.all(Array.from({ length: parallelLimits.streams + 4 }, () => request(plain, user, 'GET', 'live', null, end.signal)));
  end.abort();

  const link = await store.signInTokens.make(user.account, 60_000);
  const links = await together((): Promise<number> => request(plain, null, 'POST', 'session', { link }));
  const invitation = await store.invitations.make('', 60_000);
  const invited = await together(async (n) => {
    const signUp = { email: `${n}-${invitation.slice(3, 20)}@new.fuzz`, password, invitation };
    for (let tries = 1; ; tries += 1) {
      const status = await request(https, null, 'POST', 'accounts', signUp);
      // A busy machine may have no time to hash the password.
      if (status !== 503 || tries === busyTriesMax) return status;
      await sleep(busyWaitMs);
    }
  });

  const more = 3;
  for (let n = 0; n < parallelLimits.keys - more; n++) await store.apiKeys.create({ account: user.account });
  await together(() => request(plain, user, 'POST', 'keys', { name: 'at once', robots: '*' }));
  const late = await request(plain, user, 'POST', 'keys', { name: 'late', robots: '*' });
  const keys = (await store.apiKeys.list(user.account)).length;

  return [
    ...countProblems('streams of one session that began at once', streams, 200, parallelLimits.streams, parallelLimits.streams),
    ...countProblems('sign-ins by one link at once', links, 200, 1, 1),
    ...countProblems('accounts made by one invitation at once', invited, 200, 1, 1),
    ...(keys !== parallelLimits.keys || late !== 409
      ? [`${keys} keys of an account that may have ${parallelLimits.keys}; the next is answered ${late}`]
      : []),
  ];
}

function together(one: (n: number) => Promise<number>): Promise<number[]> {
  return Promise.all(Array.from({ length: atOnce }, (_, n) => one(n)));
}

/** @returns nothing if `min` to `max` of the statuses are `status` and the others were refused */
export function countProblems(what: string, statuses: readonly number[], status: number, min: number, max: number): string[] {
  const count = statuses.filter((each) => each === status).length;
  const others = statuses.filter((each) => each !== status && (each < 400 || each >= 500));
  if (count >= min && count <= max && others.length === 0) return [];
  return [`${what}: ${count}, expected ${min === max ? min : `${min} to ${max}`}; all were ${statuses.join(', ')}`];
}
