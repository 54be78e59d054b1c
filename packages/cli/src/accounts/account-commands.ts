import { randomBytes } from 'node:crypto';
import type { Store } from '@perch/store';
import { Command } from 'commander';
import { exportCommand } from './account-export-command.js';
import { byEmail } from './account-by-email.js';
import { limitsCommand } from './account-limits-command.js';
import { removeCommand } from './account-remove-command.js';
import { pageLink } from './page-link.js';
import { Refused } from '../refused.js';
import { recordChange } from './record-change.js';
import type { Session } from '../session.js';
import { table, timeText } from '../output/table.js';

const linkLifeMs = 3_600_000;

export function accountCommands(session: Session): Command {
  const account = new Command('account').description('manages accounts, which own robots and keys');

  account
    .command('add')
    .description('creates an account')
    .requiredOption('--email <address>', 'e-mail address, unique among accounts')
    .option('--with-robot', 'also creates a robot in the account, with its token')
    .option('--with-key', 'also creates an API key for all robots of the account')
    .option('--json', 'prints {"account"}; --with-robot adds {"robot", "robot_token"}, --with-key adds {"api_key"}')
    .addHelpText(
      'after',
      '\nExamples:\n  $ perch account add --email ada@example.org --json\n  $ perch account add --email ada@example.org --with-robot --with-key',
    )
    .action(async ({ email, withRobot, withKey, json }: { email: string; withRobot?: boolean; withKey?: boolean; json?: boolean }) => {
      const made = await session.withStore(async (store) => {
        const { account } = await store.accounts.create({ email });
        await recordChange(session, store, account, 'sign_up');
        const robot = withRobot === true ? await store.robots.create({ account }) : null;
        if (robot !== null) await recordChange(session, store, account, 'robot_add', { robot: robot.robot });
        const key = withKey === true ? await store.apiKeys.create({ account }) : null;
        if (key !== null) await recordChange(session, store, account, 'key_create', { subject: key.id });
        return {
          account,
          ...(robot === null ? {} : { robot: robot.robot, robot_token: robot.token }),
          ...(key === null ? {} : { api_key: key.apiKey }),
        };
      });
      session.print(json, made, newAccountText);
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
        ({ accounts }) =>
          table(
            ['ACCOUNT', 'EMAIL', 'SINCE'],
            accounts.map(({ account, email, created_at }) => [account, email, created_at]),
            'There are no accounts yet.',
          ),
      );
    });

  account
    .command('link')
    .description('creates a URL that signs in to an account on the web page, once, within an hour')
    .argument('<email>', "the account's address")
    .option('--json', 'prints {"account", "url"}')
    .addHelpText('after', '\nExample:\n  $ perch account link ada@example.org')
    .action(async (email: string, { json }: { json?: boolean }) => {
      const made = await session.withStore(async (store) => {
        const { id } = await byEmail(store, email);
        const link = await store.signInTokens.make(id, linkLifeMs);
        await recordChange(session, store, id, 'sign_in_link');
        return { account: id, url: await pageLink(session, store, '/', `sign-in=${link}`) };
      });
      session.print(json, made, ({ url }) => `${url}\nworks once, within an hour`);
    });

  account
    .command('password')
    .description('sets a new random password, shown only now, and ends all sessions of the account')
    .argument('<email>', "the account's address")
    .option('--json', 'prints {"account", "password"}')
    .addHelpText('after', '\nExample:\n  $ perch account password ada@example.org')
    .action(async (email: string, { json }: { json?: boolean }) => {
      const password = randomBytes(15).toString('base64url');
      const id = await session.withStore(async (store) => {
        const { id } = await byEmail(store, email);
        if (!(await store.passwords.replace(id, await store.passwords.of(id), await store.passwords.hash(password))))
          throw new Refused(`the password of ${email} was changed at the same time: try again`);
        await store.endings.end({ reason: 'password_changed', account: id });
        await recordChange(session, store, id, 'password_change');
        return id;
      });
      session.print(json, { account: id, password }, ({ password }) => `password ${password}    (shown only now; change it on the web page)`);
    });

  account
    .command('sign-out')
    .description('ends all web sessions of an account, or with --all of every account, together with unused sign-in URLs and password resets')
    .argument('[email]', "the account's address")
    .option('--all', 'every account')
    .option('--json', 'prints {"accounts": number of accounts}')
    .addHelpText('after', '\nExamples:\n  $ perch account sign-out ada@example.org\n  $ perch account sign-out --all')
    .action(async (email: string | undefined, { all, json }: { all?: boolean; json?: boolean }) => {
      if ((email === undefined) === (all !== true)) throw new Refused('account sign-out takes an address, or --all', 'usage');
      const accounts = await session.withStore(async (store) => {
        const ids = email === undefined ? await store.accounts.list() : [await byEmail(store, email)];
        // Revokes sign-in URLs and password resets first, so that none starts a session meanwhile.
        if (email === undefined) await Promise.all([store.signInTokens.endAll(), store.passwordResets.endAll()]);
        for (const { id } of ids) {
          await store.endings.end({ reason: 'signed_out', account: id });
          await recordChange(session, store, id, 'session_end');
        }
        return ids.length;
      });
      session.print(json, { accounts }, ({ accounts }) => `signed out of ${accounts === 1 ? '1 account' : `${accounts} accounts`}`);
    });

  account.addCommand(limitsCommand(session));
  account.addCommand(exportCommand(session));
  account.addCommand(removeCommand(session));

  return account;
}

function newAccountText({
  account,
  robot,
  robot_token,
  api_key,
}: {
  account: string;
  robot?: string;
  robot_token?: string;
  api_key?: string;
}): string {
  return [
    `account ${account}`,
    ...(robot === undefined ? [] : [`robot   ${robot}`, `token   ${robot_token}    (shown only now)`]),
    ...(api_key === undefined ? [] : [`key     ${api_key}    (shown only now)`]),
  ].join('\n');
}

export async function mustExist(store: Store, account: string): Promise<void> {
  if ((await store.accounts.get(account)) === null) throw new Refused(`there is no account ${account}: perch account list shows all accounts`);
}
