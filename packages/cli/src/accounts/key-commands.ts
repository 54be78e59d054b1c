import { keyScopes, robotName, type KeyScope } from '@perch/schema/plain';
import { Command } from 'commander';
import { mustExist } from './account-commands.js';
import { durationMs } from '../option-values.js';
import { nameOption, ownRobots } from './account-options.js';
import { recordChange } from './record-change.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { table, timeText } from '../output/table.js';

const overlapMsMax = 7 * 86_400_000;

export function keyCommands(session: Session): Command {
  const key = new Command('key').description('manages API keys, with which programs call the service');

  key
    .command('add')
    .description('creates a key, shown only now')
    .requiredOption('--account <id>', 'account whose robots the key can access')
    .option('--name <text>', 'purpose of the key', nameOption)
    .option('--robots <ids>', 'only these robots of the account, separated by commas (default: all, including later ones)')
    .option('--scopes <list>', 'what the key may do, separated by commas: read, act, ask, approve (default: read,act,ask)', scopesOption)
    .option('--expires <when>', 'expiry: a time from now (90m, 12h, 30d) or a date (2027-01-31, RFC 3339)')
    .option('--json', 'prints {"api_key", "id"}')
    .addHelpText(
      'after',
      '\nExamples:\n  $ perch key add --account a-0123456789\n  $ perch key add --account a-0123456789 --robots r-0123456789 --expires 30d --json',
    )
    .action(async (options: { account: string; name?: string; robots?: string; scopes?: KeyScope[]; expires?: string; json?: boolean }) => {
      await session.withStore(async (store) => {
        await mustExist(store, options.account);
        const made = await store.apiKeys.create({
          account: options.account,
          ...(options.name === undefined ? {} : { name: options.name }),
          ...(options.robots === undefined ? {} : { robots: await ownRobots(store, options.account, options.robots) }),
          ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
          ...(options.expires === undefined ? {} : { expiresAt: expiryOf(options.expires, store.clock.now()) }),
        });
        await recordChange(session, store, options.account, 'key_create', { subject: made.id });
        session.print(options.json, { api_key: made.apiKey, id: made.id }, ({ api_key, id }) => `key ${api_key}    (shown only now)\nid  ${id}`);
      });
    });

  key
    .command('list')
    .description("lists an account's valid keys, oldest first")
    .requiredOption('--account <id>', 'account that owns the keys')
    .option('--json', 'prints {"keys": [{"id", "name", "robots", "scopes", "created_at", "expires_at", "last_used", "former_secret_until"}]}')
    .action(async ({ account, json }: { account: string; json?: boolean }) => {
      const keys = await session.withStore(async (store) => {
        await mustExist(store, account);
        return store.apiKeys.list(account);
      });
      const shown = keys.map(({ id, name, robots, scopes, createdAt, expiresAt, lastUsed, formerUntil }) => ({
        id,
        name,
        robots,
        scopes,
        created_at: timeText(createdAt),
        expires_at: expiresAt === null ? null : timeText(expiresAt),
        last_used: lastUsed === null ? null : timeText(lastUsed),
        former_secret_until: formerUntil === null ? null : timeText(formerUntil),
      }));
      session.print(json, { keys: shown }, ({ keys }) => {
        const rows = keys.map((one) => [
          one.id,
          one.name,
          one.robots === '*' ? 'all' : one.robots.join(','),
          one.scopes.join(','),
          one.created_at,
          one.expires_at ?? '-',
          one.last_used ?? '-',
          one.former_secret_until ?? '-',
        ]);
        return table(['ID', 'NAME', 'ROBOTS', 'SCOPES', 'SINCE', 'EXPIRES', 'LAST USED', 'OLD SECRET UNTIL'], rows, 'The account has no keys.');
      });
    });

  key
    .command('find')
    .description('finds the key or the robot to which a secret belongs, which it reads from standard input')
    .option('--json', 'prints {"account", "id", "name", "secret": "current" or "former", "works_until"}; of a robot {"account", "robot", "name"}')
    .addHelpText(
      'after',
      '\nTakes an API key (pk_...), a token of an MCP client (pk_..., pf_...) or the token of a robot (rt_...), and asks for it in a terminal.\n\nExamples:\n  $ perch key find\n  $ perch key find < FILE',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const secret = (await session.readSecret('Secret (is not shown): ')).trim();
      if (secret === '') throw new Refused('standard input is empty: key find reads the secret there (kubectl exec needs -i for that)', 'usage');
      if (!/^(?:pk|pf|rt)_/.test(secret))
        throw new Refused('standard input is not the secret of a key (pk_..., pf_...) or the token of a robot (rt_...) alone', 'usage');
      if (secret.startsWith('rt_')) {
        const robot = await session.withStore((store) => store.robots.byToken(secret));
        if (robot === null) throw new Refused('no robot has this token: it was replaced, its robot was removed, or it is of another installation');
        const { account, id } = robot;
        session.print(json, { account, robot: id, name: robotName(id, robot.name) }, (found) => columns({ ...found }));
        return;
      }
      const found = await session.withStore((store) => store.apiKeys.find(secret));
      if (found === null) throw new Refused('no key has this secret: it was revoked or replaced, has expired, or is of another installation');
      const { account, id, name, isCurrent, worksUntil } = found;
      const until = worksUntil === null ? null : timeText(worksUntil);
      session.print(json, { account, id, name, secret: isCurrent ? 'current' : 'former', works_until: until }, (shown) =>
        columns({
          account: shown.account,
          key: shown.id,
          name: shown.name,
          secret: `${shown.secret}, works ${until === null ? 'until it is revoked' : `until ${until}`}`,
        }),
      );
    });

  key
    .command('roll-secret')
    .description('replaces the secret of a key, shown only now; the previous one keeps working for a while')
    .argument('<id>', 'id of the key (k-...), from key list')
    .requiredOption('--account <id>', 'account that owns the key')
    .option('--overlap <time>', 'how long the old secret keeps working: 0m, 90m, 12h, 7d', '1d')
    .option('--json', 'prints {"api_key", "id", "former_secret_until"}')
    .addHelpText('after', '\nExample:\n  $ perch key roll-secret k-0123456789 --account a-0123456789 --overlap 12h')
    .action(async (id: string, { account, overlap, json }: { account: string; overlap: string; json?: boolean }) => {
      const ms = overlap === '0' ? 0 : durationMs(overlap);
      if (ms === null || ms > overlapMsMax) throw new Refused(`--overlap ${overlap}: must be a time such as 90m, 12h or 7d, at most 7d`, 'usage');
      const rolled = await session.withStore(async (store) => {
        await mustExist(store, account);
        const made = await store.keyRotation.roll(account, id, ms);
        if (made !== null && typeof made !== 'string') await recordChange(session, store, account, 'key_secret_roll', { subject: id });
        return made;
      });
      if (rolled === null) throw new Refused(`the account ${account} has no key ${id}`);
      if (rolled === 'client') throw new Refused(`a connected client has the key ${id} and replaces its tokens itself; revoke it instead`);
      if (rolled === 'changed') throw new Refused(`the key ${id} was changed at the same time: try again`);
      const until = rolled.formerUntil === null ? null : timeText(rolled.formerUntil);
      session.print(json, { api_key: rolled.apiKey, id, former_secret_until: until }, ({ api_key }) =>
        [`key ${api_key}    (shown only now)`, ...(until === null ? [] : [`the old secret works until ${until}`])].join('\n'),
      );
    });

  key
    .command('end-overlap')
    .description('ends the secret that roll-secret replaced: within a second no instance accepts it')
    .argument('<id>', 'id of the key (k-...), from key list')
    .requiredOption('--account <id>', 'account that owns the key')
    .option('--json', 'prints {"id", "ended": true}')
    .action(async (id: string, { account, json }: { account: string; json?: boolean }) => {
      const ended = await session.withStore(async (store) => {
        await mustExist(store, account);
        const isEnded = await store.keyRotation.endFormer(account, id);
        if (isEnded) await recordChange(session, store, account, 'key_overlap_end', { subject: id });
        return isEnded;
      });
      if (!ended) throw new Refused(`the account ${account} has no key ${id} with an old secret that still works`);
      session.print(json, { id, ended }, () => `only the newest secret of ${id} works now`);
    });

  key
    .command('revoke')
    .description('revokes a key: within a second no instance accepts it, and its open calls end')
    .argument('<id>', 'id of the key (k-...), from key list')
    .requiredOption('--account <id>', 'account that owns the key')
    .option('--webhooks', 'also removes the webhooks that the key created, of a key that is revoked already, too')
    .option('--json', 'prints {"id", "revoked": true, "webhooks": [{"id", "url", "removed"}]}')
    .action(async (id: string, { account, webhooks: remove = false, json }: { account: string; webhooks?: boolean; json?: boolean }) => {
      const { webhooks, wasRevoked } = await session.withStore(async (store) => {
        await mustExist(store, account);
        const ended = await store.endings.end({ reason: 'key_revoked', account, key: id, removeWebhooks: remove });
        const wasRevoked = ended.counts.key === 0;
        if (wasRevoked && ended.webhooks.length === 0)
          throw new Refused(`the account ${account} has no key ${id}, and no webhook of a revoked key ${id}`);
        if (!wasRevoked) await recordChange(session, store, account, 'key_revoke', { subject: id });
        if (remove) for (const webhook of ended.webhooks) await recordChange(session, store, account, 'webhook_remove', { subject: webhook.id });
        return { webhooks: ended.webhooks, wasRevoked };
      });
      const created = webhooks.map((webhook) => ({ id: webhook.id, url: webhook.url, removed: remove }));
      const what = remove ? 'removed its webhook' : 'its webhook stays (--webhooks removes it)';
      session.print(json, { id, revoked: true, webhooks: created }, (answer) =>
        [
          wasRevoked ? `${answer.id} was revoked before` : `revoked ${answer.id}`,
          ...answer.webhooks.map((webhook) => `${what} ${webhook.id} ${webhook.url}`),
        ].join('\n'),
      );
    });

  return key;
}

function columns(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(8)}${value}`.trimEnd())
    .join('\n');
}

function scopesOption(text: string): KeyScope[] {
  const named = text.split(',').map((each) => each.trim());
  const unknown = named.find((each) => !keyScopes.includes(each as KeyScope));
  if (unknown !== undefined) throw new Refused(`--scopes ${text}: must be some of ${keyScopes.join(', ')}, separated by commas`, 'usage');
  return keyScopes.filter((scope) => named.includes(scope));
}

/** Redis ms. */
function expiryOf(text: string, now: number): number {
  const span = durationMs(text);
  const at = span === null ? Date.parse(text) : now + span;
  if (Number.isNaN(at)) throw new Refused(`--expires ${text}: must be a time such as 90m, 12h or 30d, or a date such as 2027-01-31`, 'usage');
  if (at <= now) throw new Refused(`--expires ${text}: is not in the future`, 'usage');
  return at;
}
