import type { Account, Store } from '@perch/store';
import { Refused } from '../refused.js';

/** Returns the account with this e-mail address. @throws {Refused} if there is none */
export async function byEmail(store: Store, email: string): Promise<Account> {
  const account = await store.accounts.findByEmail(email);
  if (account === null) throw new Refused(`there is no account with the address ${email}: perch account list shows all accounts`);
  return account;
}
