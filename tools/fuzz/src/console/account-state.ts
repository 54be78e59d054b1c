import type { Store } from '@perch/store';
import type { ConsoleUser } from './auth/console-users.js';

export async function accountState(store: Store, { account, email, secret, virtualRobot }: ConsoleUser): Promise<object> {
  const [record, password, robots, keys, webhooks, session, sessions, passkeys, people, shared] = await Promise.all([
    store.accounts.get(account),
    store.passwords.of(account),
    store.robots.list(account),
    store.apiKeys.list(account),
    store.webhooks.list(account),
    store.apiKeys.admit({ apiKey: secret, cost: 0 }),
    store.sessions.list(account),
    store.passkeys.list(account),
    store.guests.of(virtualRobot, 0),
    store.sharedRobots.with(account),
  ]);
  return {
    record,
    email,
    password,
    robots,
    keys: keys.map(({ id, name }) => ({ id, name })),
    webhooks,
    signedIn: session.ok,
    sessions: sessions.map(({ id }) => id),
    passkeys: passkeys.map(({ id, name }) => ({ id, name })),
    people,
    shared,
  };
}
