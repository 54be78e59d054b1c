import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { DefaultUser, RedisCapability, RedisReport } from '@perch/store';
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
    'unknown, because the user of PERCH_REDIS_URL may not read it. Set PERCH_REDIS_URL to that of an administrator of Redis, or name the users file with --users-file; where neither is to be had, as on a hosted Redis, "lost writes" says whether a restart dropped something',
};

const capabilityTexts: Record<RedisCapability, { yes: string; unknown: string }> = {
  master: {
    yes: 'Redis is a master, which takes writes',
    unknown: 'INFO does not tell whether Redis is a master. The connection of a replica is refused with READONLY; ask ROLE as an administrator',
  },
  noeviction: {
    yes: 'Redis never evicts keys: its maxmemory-policy is noeviction',
    unknown:
      'INFO does not tell whether Redis evicts keys when its memory is full. Look at maxmemory-policy in the settings of the hosted Redis, or ask CONFIG GET maxmemory-policy as an administrator; it must be noeviction',
  },
  aof: {
    yes: 'Redis has an append-only file',
    unknown:
      'INFO does not tell whether Redis has an append-only file, without which a stop loses what was stored since its last snapshot. Look at appendonly in the settings of the hosted Redis, or ask CONFIG GET appendonly as an administrator',
  },
  waitaof: {
    yes: 'Redis tells when a write is on disk, and answers wait for it',
    unknown:
      'a replica, or a proxy, did not tell whether it has WAITAOF, by which answers wait for the disk: Redis 7.2 and newer have it. Check the master',
  },
  commands: {
    yes: 'Redis permits all commands that Perch needs',
    unknown:
      'the commands that Perch needs could not be tried in a transaction. Give the user of PERCH_REDIS_URL what follows the password in the line perch of deploy/redis/users.acl, and watch perch_redis_capability{name="commands"}',
  },
  maxclients: {
    yes: 'Redis has room for more clients',
    unknown:
      'INFO does not tell how many clients Redis permits. Look at maxclients in the settings of the hosted Redis; docs/operate/size.md says how many Perch needs',
  },
};

/** Added to what services log. */
const adviceTexts: Partial<Record<RedisCapability, string>> = {
  noeviction: '. A new installation does not begin on it (PERCH_REDIS_ALLOW_EVICTION)',
  waitaof: '. Redis 7.2 and newer, and Valkey, can, if the user of PERCH_REDIS_URL has +waitaof',
};

/** Without the others Perch runs, with weaker promises, and many a hosted Redis cannot have them: they are no failure. They have no alert either. */
const required: ReadonlySet<RedisCapability> = new Set(['master', 'noeviction', 'commands']);

const withoutWaitaof =
  'may not run WAITAOF, as in a file that was written for Redis 7.0. On Redis 7.2 and newer no answer waits for the disk then: ' +
  'write the file anew with deploy/redis/write-users.sh, without a redis-server 7.0 on PATH, and load it with ACL LOAD';

const withoutOptional: Record<string, string> = {
  wait: 'without it no answer waits for a replica, so that a failover may lose acknowledged writes',
  bgsave: 'without it numbers of events jump when the services stop, where Redis has snapshots alone',
};

interface Checked {
  ok: boolean;
  default_users: { where: string; state: DefaultUser }[];
  /** Masters that dropped transactions; null: unknown, or only a file was checked. */
  lost_writes: number | null;
  /** Empty: only a file was checked. */
  capabilities: { name: RedisCapability; state: State; text: string }[];
  /** Whether the user `perch` of the users file may run WAITAOF; null: there is none, or no file was checked. */
  file_permits_waitaof: boolean | null;
}

type State = 'yes' | 'no' | 'unknown';

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
    .description(
      'says what Redis can do for Perch, whether it keeps all data when it restarts, and whether it lost some: exit code 1 if something is wrong',
    )
    .option('--users-file <file>', 'ACL file of Redis (- for standard input); its user default is checked in place of that of the running Redis')
    .option('--json', 'prints {"ok", "default_users": [{"where", "state"}], "lost_writes", "capabilities": [{"name", "state", "text"}], …}')
    .addHelpText(
      'after',
      '\nCapabilities: master, noeviction, aof, waitaof, commands, maxclients (docs/operate/redis-check.md). Wrong are a replica, a Redis that evicts keys, a missing\n' +
        'command, a user default that is open or restricted, and lost writes. What is unknown, or only weakens what Perch promises, is no failure.\n\n' +
        'The user perch of deploy/redis/users.acl may not read users: the user default is checked with the URL of an administrator, or the users file.\n' +
        'With --users-file, PERCH_REDIS_URL is optional. In JSON, state of a user is off, on, open, restricted or unknown, of a capability yes, no or\n' +
        'unknown; null is unknown or not checked.\n\n' +
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
  const { defaultUserOfFile, permitsWaitaof } = await import('@perch/store');
  const file = usersFile === undefined ? null : { where: usersFile === '-' ? 'standard input' : usersFile, text: await read(session, usersFile) };
  const isRunning = file === null || session.environment['PERCH_REDIS_URL'] || session.environment['PERCH_REDIS_URL_FILE'];
  const report = isRunning ? await session.readRedis() : null;
  const users =
    file === null
      ? (report?.defaultUsers ?? []).map(([where, state]) => ({ where, state }))
      : [{ where: file.where, state: defaultUserOfFile(file.text) }];
  const capabilities = report === null ? [] : capabilitiesOf(report);
  const isWrong =
    users.some(({ state }) => state === 'open' || state === 'restricted') ||
    (report?.lostWrites ?? 0) > 0 ||
    capabilities.some(({ name, state }) => state === 'no' && required.has(name));
  return {
    ok: !isWrong,
    default_users: users,
    lost_writes: report && report.lostWrites,
    capabilities,
    file_permits_waitaof: file && permitsWaitaof(file.text, 'perch'),
  };
}

function capabilitiesOf({ capabilities, refusedCommands }: RedisReport): Checked['capabilities'] {
  return capabilities.map(({ name, has, finding }) => {
    const { yes, unknown } = capabilityTexts[name];
    const state: State = has === null ? 'unknown' : has ? 'yes' : 'no';
    const no = name === 'commands' ? refusedText(refusedCommands ?? []) : `${finding.trim().replace(/\.$/, '')}${adviceTexts[name] ?? ''}`;
    const optional = name === 'commands' ? optionalTexts(refusedCommands ?? []) : [];
    return { name, state, text: [{ yes, no, unknown }[state], ...optional].join('. ') };
  });
}

function refusedText(refused: readonly string[]): string {
  const missing = refused.filter((command) => withoutOptional[command] === undefined);
  return `Redis refuses ${missing.join(' ')} to the user of PERCH_REDIS_URL. Give it what follows the password in the line perch of deploy/redis/users.acl`;
}

function optionalTexts(refused: readonly string[]): string[] {
  return refused.flatMap((command) => (withoutOptional[command] === undefined ? [] : [`${command} is refused: ${withoutOptional[command]}`]));
}

function printed({ default_users: users, lost_writes: lost, capabilities, file_permits_waitaof: permitsWaitaof }: Checked): string {
  const lines = users.map(({ where, state }) => `default user (${where}): ${defaultUserTexts[state]}`);
  if (permitsWaitaof === false) lines.push(`user perch (${users[0]?.where}): ${withoutWaitaof}`);
  lines.push(...capabilities.map(({ name, state, text }) => `${name}: ${state}: ${text}`));
  if (lost !== null)
    lines.push(lost === 0 ? 'lost writes: none found' : `lost writes: Redis dropped transactions at a restart; follow ${runbook} now`);
  else if (capabilities.length > 0)
    lines.push(
      'lost writes: unknown, because Redis did not take the writes by which they are found. Run this again once what is said above is put right',
    );
  return lines.join('\n');
}

async function read({ folder }: Session, file: string): Promise<string> {
  try {
    return file === '-' ? await textOf(process.stdin) : await readFile(resolve(folder, file), 'utf8');
  } catch (error) {
    throw new Refused(`--users-file: cannot be read: ${(error as Error).message}`, 'usage');
  }
}
