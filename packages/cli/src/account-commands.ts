/** `perch account ...` */
import type { Store } from '@perch/store';
import { Command } from 'commander';
import { Refused } from './refused.js';
import type { Session } from './session.js';
import { table, timeText } from './table.js';

export function accountCommands(session: Session): Command {
  const account = new Command('account').description('accounts: who owns robots and keys');

  account
    .command('add')
    .description('makes an account')
    .requiredOption('--email <address>', 'its address, which no other account has')
    .option('--json', 'prints {"account"}')
    .addHelpText('after', '\nExample:\n  $ perch account add --email ada@example.org --json')
    .action(async ({ email, json }: { email: string; json?: boolean }) => {
      const made = await session.withStore((store) => store.accounts.create({ email }));
      session.print(json, { account: made.account }, `account ${made.account}`);
    });

  account
    .command('list')
    .description('lists all accounts, oldest first')
    .option('--json', 'prints {"accounts": [{"account", "email", "created_at"}]}')
    .action(async ({ json }: { json?: boolean }) => {
      const accounts = await session.withStore((store) => store.accounts.list());
      session.print(
        json,
        { accounts: accounts.map(({ id, email, createdAt }) => ({ account: id, email, created_at: timeText(createdAt) })) },
        table(
          ['ACCOUNT', 'EMAIL', 'SINCE'],
          accounts.map(({ id, email, createdAt }) => [id, email, timeText(createdAt)]),
          'There is no account yet.',
        ),
      );
    });

  return account;
}

/** @throws {Refused} when there is no such account */
export async function mustExist(store: Store, account: string): Promise<void> {
  if ((await store.accounts.get(account)) === null) throw new Refused(`there is no account ${account}: perch account list shows them`);
}
