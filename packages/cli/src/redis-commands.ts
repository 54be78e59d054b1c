import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { DefaultUser } from '@perch/store';
import { exitCodes } from './exit-codes.js';
import { Refused } from './refused.js';
import type { Session } from './session.js';

const runbook = 'docs/runbooks/PerchRedisLostWrites.md';

const defaultUserTexts: Record<DefaultUser, string> = {
  off: 'off, and permitted everything: Redis keeps all data when it restarts',
  on: 'on with a password, and permitted everything: Redis keeps all data when it restarts, and a client with that password may do everything',
  open: 'on without a password: anyone who reaches Redis may do everything. Turn it off with ACL SETUSER default off resetpass, and in the users file',
  restricted: `not permitted everything: the next restart of Redis drops what scripts and transactions wrote. Write the new users file before it (${runbook})`,
  unknown:
    'unknown, because the user of PERCH_REDIS_URL may not read it. Set PERCH_REDIS_URL to that of an administrator of Redis, or name the users file with --users-file',
};

interface Checked {
  ok: boolean;
  default_users: { where: string; state: DefaultUser }[];
  /** Masters that dropped transactions; null: not read, because only a file was checked. */
  lost_writes: number | null;
}

export function redisCommands(session: Session): Command {
  const redis = new Command('redis').description('manages the Redis of the system');

  redis
    .command('restored')
    .description(
      'after restoring a backup or lost writes: makes event numbers jump ahead, so that no number is used twice, and counts stored bytes again',
    )
    .option('--json', 'prints {"ok": true}')
    .addHelpText('after', '\nStart Redis with the backup, run this, then start the services.\n\nExample:\n  $ perch redis restored')
    .action(async ({ json }: { json?: boolean }) => {
      const living = await session.withStore((store) => store.numbering.markRestored());
      if (living.length > 0)
        throw new Refused(`Stop the services first: ${living.join(', ')} ${living.length === 1 ? 'is' : 'are'} running.`, 'failed');
      session.print(json, { ok: true }, () => 'event numbers jump ahead with the next event of each robot');
    });

  redis
    .command('check')
    .description('says whether Redis keeps all data when it restarts, and whether it lost some: exit code 1 if not, or if that is unknown')
    .option('--users-file <file>', 'ACL file of Redis (- for standard input); its user default is checked in place of that of the running Redis')
    .option('--json', 'prints {"ok", "default_users": [{"where", "state"}], "lost_writes"}; state is off, on, open, restricted or unknown')
    .addHelpText(
      'after',
      '\nThe running Redis is checked with the URL of an administrator: the user perch of deploy/redis/users.acl may not read users.\n' +
        'With --users-file, PERCH_REDIS_URL is optional.\n\n' +
        'Examples:\n  $ PERCH_REDIS_URL=redis://admin:...@127.0.0.1:6379 perch redis check\n  $ perch redis check --users-file /etc/redis/users.acl',
    )
    .action(async ({ usersFile, json }: { usersFile?: string; json?: boolean }) => {
      const checked = await check(session, usersFile);
      session.print(json, checked, printed);
      if (!checked.ok) session.exitCode = exitCodes.failed.code;
    });

  return redis;
}

async function check(session: Session, usersFile: string | undefined): Promise<Checked> {
  const { defaultUserOfFile, defaultUsersOf } = await import('@perch/store');
  const users: Checked['default_users'] = [];
  if (usersFile !== undefined)
    users.push({ where: usersFile === '-' ? 'standard input' : usersFile, state: defaultUserOfFile(await read(session, usersFile)) });
  let lostWrites: number | null = null;
  if (usersFile === undefined || session.environment['PERCH_REDIS_URL'] || session.environment['PERCH_REDIS_URL_FILE']) {
    lostWrites = await session.withStore(async (store) => {
      if (usersFile === undefined) users.push(...(await defaultUsersOf(store.connections.commands)).map(([where, state]) => ({ where, state })));
      return store.lostWrites.check();
    });
  }
  const isSafe = users.every(({ state }) => state === 'off' || state === 'on');
  return { ok: isSafe && (lostWrites ?? 0) === 0, default_users: users, lost_writes: lostWrites };
}

async function read({ folder }: Session, file: string): Promise<string> {
  try {
    return file === '-' ? await textOf(process.stdin) : await readFile(resolve(folder, file), 'utf8');
  } catch (error) {
    throw new Refused(`--users-file: cannot be read: ${(error as Error).message}`, 'usage');
  }
}

function printed({ default_users: users, lost_writes: lost }: Checked): string {
  const lines = users.map(({ where, state }) => `default user (${where}): ${defaultUserTexts[state]}`);
  if (lost !== null)
    lines.push(lost === 0 ? 'lost writes: none found' : `lost writes: Redis dropped transactions at a restart; follow ${runbook} now`);
  return lines.join('\n');
}
