import type { ChangeKind } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Session } from '../session.js';

/** Adds an operator's change to the activity of the account. A failure is a warning, since the change itself was made. */
export async function recordChange(
  session: Pick<Session, 'warn'>,
  store: Store,
  account: string,
  action: ChangeKind,
  what: { robot?: string; subject?: string } = {},
): Promise<void> {
  const entry = { at: Math.floor(store.clock.now()), via: 'operator', action, outcome: 'ok', ...what } as const;
  try {
    await store.activity.append(account, { calls: [], changes: [entry], usage: new Map() });
  } catch {
    session.warn(`the change was made, but is missing in the activity of ${account}`);
  }
}
