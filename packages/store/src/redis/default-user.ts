/**
 * The user `default` of Redis. While Redis loads its append-only file it checks the commands of transactions against this user, also if it is off
 * (`lost-writes.ts`): it must be permitted everything. So it must stay off, or have a password.
 */
import { Cluster, type Redis } from 'ioredis';
import { mastersOf } from './cluster-nodes.js';
import { addressOf } from './redis-vitals.js';

export type DefaultUser =
  /** Permitted everything; nobody can authenticate as it, or only with its password. */
  | 'off'
  | 'on'
  /** Anyone who reaches Redis may do everything. */
  | 'open'
  /** Some permission is missing: the next load of the append-only file drops transactions. */
  | 'restricted'
  /** The user of this connection may not read it. */
  | 'unknown';

/** Returns the user `default` of an ACL file. Redis creates it with all permissions and without a password where the file does not name it. */
export function defaultUserOfFile(text: string): DefaultUser {
  const rules = rulesOf(text, 'default');
  return rules === null ? 'open' : defaultUserOf(rules);
}

/** Returns whether a user of an ACL file may run WAITAOF, so that writes are waited for; null if the file does not have the user. */
export function permitsWaitaof(text: string, user: string): boolean | null {
  const rules = rulesOf(text, user);
  if (rules === null) return null;
  const last = rules.findLast((rule) => waitaofRule.test(rule));
  return last !== undefined && /^(?:\+|allcommands)/.test(last);
}

/** WAITAOF and its categories in Redis 8.0 (`ACL CAT`). */
const waitaofRule = /^(?:[+-](?:waitaof|@(?:all|blocking|connection|slow))|allcommands|nocommands|reset)$/;

/** Returns the rules of a user, in lower case, since Redis ignores case; null if the file does not have the user. */
function rulesOf(text: string, user: string): string[] | null {
  const line = text.split(/\r?\n/).find((each) => /^\s*user\s+(\S+)/.exec(each)?.[1] === user);
  // A selector permits more, within its own keys and channels: it neither completes the other rules nor takes anything away.
  const rules = line
    ?.trim()
    .replaceAll(/\s\([^)]*\)/g, '')
    .toLowerCase();
  return rules?.split(/\s+/).slice(2) ?? null;
}

/** Returns the user `default` of each node: `host:port` and the user. */
export async function defaultUsersOf(commands: Redis | Cluster): Promise<[node: string, user: DefaultUser][]> {
  const nodes: Redis[] = commands instanceof Cluster ? commands.nodes('all') : [commands];
  return Promise.all(
    nodes.map(async (node): Promise<[string, DefaultUser]> => {
      const rules = await node.call('ACL', 'LIST').catch(() => null);
      return [addressOf(node), Array.isArray(rules) ? defaultUserOfFile(rules.join('\n')) : 'unknown'];
    }),
  );
}

/** Returns whether a client without a user and a password may run commands. */
export async function servesWithoutPassword(commands: Redis | Cluster): Promise<boolean> {
  const [node] = mastersOf(commands);
  if (node === undefined) return false;
  const stranger = node.duplicate({
    username: '',
    password: '',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: null,
    reconnectOnError: null,
  } as never);
  stranger.on('error', () => {});
  try {
    await stranger.connect();
    return (await stranger.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    stranger.disconnect();
  }
}

/** @param rules of an ACL line, in order, as they apply to a user that has none yet */
function defaultUserOf(rules: readonly string[]): DefaultUser {
  const all = { commands: false, keys: false, channels: false };
  let isOn = false;
  let needsPassword = true;
  for (const rule of rules) {
    if (rule === 'on' || rule === 'off') isOn = rule === 'on';
    else if (rule === 'nopass' || rule === 'resetpass') needsPassword = rule === 'resetpass';
    else if (rule.startsWith('>') || rule.startsWith('#')) needsPassword = true;
    else if (rule === '+@all' || rule === 'allcommands') all.commands = true;
    else if (rule.startsWith('-') || rule === 'nocommands') all.commands = false;
    else if (rule === '~*' || rule === 'allkeys' || rule === '%rw~*') all.keys = true;
    else if (rule === 'resetkeys') all.keys = false;
    else if (rule === '&*' || rule === 'allchannels') all.channels = true;
    else if (rule === 'resetchannels') all.channels = false;
    else if (rule === 'reset') {
      Object.assign(all, { commands: false, keys: false, channels: false });
      [isOn, needsPassword] = [false, true];
    }
  }
  if (isOn && !needsPassword) return 'open';
  if (!all.commands || !all.keys || !all.channels) return 'restricted';
  return isOn ? 'on' : 'off';
}
