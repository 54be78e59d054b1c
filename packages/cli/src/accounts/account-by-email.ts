import type { Account, Store } from '@perch/store';
import { Refused } from '../refused.js';

export async function byEmail(store: Store, email: string): Promise<Account> {
  const account = await store.accounts.findByEmail(email);
  if (account === null) throw new Refused(`there is no account with the address ${email}: perch account list shows all accounts`);
  return account;
}
