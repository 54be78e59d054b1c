import { randomBytes } from 'node:crypto';
import { type Store, type Account, limitMax, type AccountLimits, type Limit } from '@perch/store';
import { Command, InvalidArgumentError } from 'commander';
import { pageLink } from './page-link.js';
import { Refused } from '../refused.js';
import { recordChange } from './record-change.js';
import type { Session } from '../session.js';
import { table, timeText } from '../output/table.js';
import { open, rename, rm } from 'node:fs/promises';
import { printableText } from '../output/printable.js';

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

async function byEmail(store: Store, email: string): Promise<Account> {
  const account = await store.accounts.findByEmail(email);
  if (account === null) throw new Refused(`there is no account with the address ${email}: perch account list shows all accounts`);
  return account;
}

function limitsCommand(session: Session): Command {
  return new Command('limits')
    .description('shows and sets the limits of an account; running gateways apply them within seconds')
    .argument('<email>', "the account's address")
    .option('--robots <n>', 'maximum number of robots: a number, none (no limit), or default (from the settings of the services)', limit)
    .option('--keys <n>', 'maximum number of API keys: a number, none, or default', limit)
    .option(
      '--actions-per-second <n>',
      'maximum actions per second of all its API keys together, across all gateways: a number, none, or default',
      limit,
    )
    .option('--json', 'prints {"account", "robots", "keys", "actions_per_second"}; a limit is a number, "none" or "default"')
    .addHelpText(
      'after',
      '\nA limit below the current number removes nothing, but rejects new robots or keys.' +
        '\n\nExamples:\n  $ perch account limits ada@example.org' +
        '\n  $ perch account limits ada@example.org --robots 500 --keys none --actions-per-second 50',
    )
    .action(async (email: string, options: { robots?: Limit; keys?: Limit; actionsPerSecond?: Limit; json?: boolean }) => {
      const { robots, keys, actionsPerSecond: actionsPerS } = options;
      const answer = await session.withStore(async (store) => {
        const { id } = await byEmail(store, email);
        const wanted: Partial<AccountLimits> = {
          ...(robots === undefined ? {} : { robots }),
          ...(keys === undefined ? {} : { keys }),
          ...(actionsPerS === undefined ? {} : { actionsPerS }),
        };
        if (Object.keys(wanted).length > 0 && !(await store.accountLimits.set(id, wanted)))
          throw new Refused(`the account of ${email} is being removed`);
        const now = await store.accountLimits.get(id);
        return { account: id, robots: now.robots, keys: now.keys, actions_per_second: now.actionsPerS };
      });
      session.print(options.json, answer, (limits) =>
        [`robots              ${limits.robots}`, `keys                ${limits.keys}`, `actions per second  ${limits.actions_per_second}`].join('\n'),
      );
    });
}

function limit(text: string): Limit {
  if (text === 'none' || text === 'default') return text;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > limitMax) throw new InvalidArgumentError(`Must be a whole number from 1 to ${limitMax}, none or default.`);
  return value;
}

function exportCommand(session: Session): Command {
  return new Command('export')
    .description('prints all data stored about an account as one JSON document, without secrets')
    .argument('<email>', "the account's address")
    .option('--file <path>', 'writes to a file that only you can read, and prints {"account", "file", "bytes"}')
    .option('--json', 'changes nothing: the output is JSON without it, too')
    .addHelpText(
      'after',
      '\nThe fields are described in docs/reference/account-export.md.' +
        '\n\nExamples:\n  $ perch account export ada@example.org --file ada.json\n  $ perch account export ada@example.org | jq .account',
    )
    .action(async (email: string, { file }: { file?: string }) => {
      await session.withStore(async (store) => {
        const account = await byEmail(store, email);
        const pieces = store.accountExport.write(account);
        if (file === undefined) {
          for await (const piece of pieces) session.write(printableText(piece));
          session.write('\n');
          return;
        }
        session.print(true, { account: account.id, file, bytes: await writeFile(file, pieces) }, () => '');
      });
    });
}

/** Writes to a temporary file first, so that an incomplete file never has the name. @returns bytes written @throws {Refused} the file cannot be written */
async function writeFile(file: string, pieces: AsyncGenerator<string>): Promise<number> {
  const part = `${file}.part`;
  // An existing file, from a killed export or of another user, would keep its own mode.
  const opened = await rm(part, { force: true })
    .then(() => open(part, 'wx', 0o600))
    .catch((error: Error) => {
      throw new Refused(`--file ${file}: ${error.message}`);
    });
  let bytes = 0;
  try {
    for await (const piece of pieces) bytes += (await opened.write(piece)).bytesWritten;
    await opened.sync();
    await opened.close();
    await rename(part, file);
    return bytes;
  } catch (error) {
    await opened.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}

function removeCommand(session: Session): Command {
  return new Command('remove')
    .description('removes an account and all its data; without --yes, only shows what it would remove')
    .argument('<email>', "the account's address")
    .option('--yes', 'removes the account; only a backup can restore it')
    .option('--json', 'prints {"account", "robots", "keys", "webhooks", "removed": true}, with the numbers of removed objects')
    .addHelpText(
      'after',
      '\nRobots are disconnected with 4003, keys and sessions end at once, and the command returns when Redis no longer contains data of the account,' +
        '\nwhich takes at least three seconds. If it fails, run it again to complete the removal.' +
        '\n\nExamples:\n  $ perch account export ada@example.org --file ada.json\n  $ perch account remove ada@example.org --yes',
    )
    .action(async (email: string, { yes, json }: { yes?: boolean; json?: boolean }) => {
      const unknown = (): Refused => new Refused(`there is no account with the address ${email}: perch account list shows all accounts`);
      if (yes !== true) {
        const found = await session.withStore((store) => store.accountRemoval.find(email));
        if (found === null) throw unknown();
        throw new Refused(`this would remove account ${found.account} with ${contentsOf(found)}: add --yes`);
      }
      const removed = await session.withStore((store) => store.accountRemoval.remove(email));
      if (removed === null) throw unknown();
      session.print(json, { ...removed, removed: true }, (answer) => `removed ${answer.account} with ${contentsOf(answer)}`);
    });
}

export function contentsOf({ robots, keys, webhooks }: { robots: number; keys: number; webhooks: number }): string {
  const parts = [
    [robots, 'robot'],
    [keys, 'key'],
    [webhooks, 'webhook'],
  ] as const;
  return parts.map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`).join(', ');
}
