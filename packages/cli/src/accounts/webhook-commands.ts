import { Command } from 'commander';
import { validateSecretOverlap, validateWebhookChanges, type WebhookChanges } from '@perch/schema';
import type { Store, WebhookRecord } from '@perch/store';
import { durationMs } from '../option-values.js';
import { table, timeText } from '../output/table.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { mustExist } from './account-commands.js';
import { ownRobots } from './account-options.js';
import { recordChange } from './record-change.js';

interface OwnerOptions {
  account: string;
  json?: boolean;
}

export function webhookCommands(session: Session): Command {
  const webhook = new Command('webhook').description('manages webhooks, to which the events of robots are sent');
  const ownerCommand = (name: string, description: string, json: string): Command =>
    webhook
      .command(name)
      .description(description)
      .requiredOption('--account <id>', 'account that owns the webhook')
      .option('--json', `prints ${json}`);
  const webhookCommand = (name: string, description: string, json = '{"webhook": {…}}'): Command =>
    ownerCommand(name, description, json).argument('<id>', 'id of the webhook (w-...), from webhook list');

  async function changed(id: string, { account, json }: OwnerOptions, changes: (store: Store) => Promise<WebhookChanges>): Promise<void> {
    const record = await session.withStore(async (store) => {
      await mustExist(store, account);
      const record = await store.webhooks.change(account, id, await changes(store));
      if (record !== null) await recordChange(session, store, account, 'webhook_change', { subject: id });
      return record;
    });
    if (record === null) throw noWebhook(account, id);
    session.print(json, { webhook: viewOf(record) }, () => `changed ${id}`);
  }

  ownerCommand(
    'list',
    "lists an account's webhooks, oldest first",
    '{"webhooks": [{"id", "url", "robots", "names", "created_at", "paused", "disabled", "key"}]}',
  ).action(async ({ account, json }: OwnerOptions) => {
    const webhooks = await session.withStore(async (store) => {
      await mustExist(store, account);
      const records = await store.webhooks.list(account);
      const keys = await store.apiKeys.named(
        account,
        records.flatMap(({ keyHash }) => keyHash ?? []),
      );
      return records.map((record) => ({ ...viewOf(record), key: record.revokedKey ?? keys.get(record.keyHash ?? '')?.id ?? null }));
    });
    session.print(json, { webhooks }, ({ webhooks: shown }) => {
      const rows = shown.map((each) => [
        each.id,
        each.url,
        each.robots?.join(',') ?? 'all',
        each.names?.join(',') ?? 'all',
        each.created_at,
        each.key ?? '-',
        each.disabled ?? 'sends',
      ]);
      return table(['ID', 'URL', 'ROBOTS', 'EVENTS', 'SINCE', 'KEY', 'STATE'], rows, 'The account has no webhooks.');
    });
  });

  webhookCommand('change', 'changes the URL, the robots or the events of a webhook')
    .option('--url <url>', 'where events are sent')
    .option('--robots <ids>', 'only events of these robots of the account, separated by commas; all: of all, including later ones')
    .option('--names <names>', 'only these events, separated by commas; all: all')
    .addHelpText('after', '\nExample:\n  $ perch webhook change w-0123456789 --account a-0123456789 --names tap,pat')
    .action(async (id: string, options: OwnerOptions & { url?: string; robots?: string; names?: string }) => {
      const { account, url, robots, names } = options;
      const body = {
        ...(url === undefined ? {} : { url }),
        ...(names === undefined ? {} : { names: names === 'all' ? null : names.split(',').map((name) => name.trim()) }),
      };
      if (Object.keys(body).length === 0 && robots === undefined) throw new Refused('name what changes: --url, --robots or --names', 'usage');
      // The webhooks service checks the address when it sends.
      await changed(id, options, async (store) => ({
        ...(Object.keys(body).length === 0 ? {} : validateWebhookChanges(body, true)),
        ...(robots === undefined ? {} : { robots: robots === 'all' ? null : await ownRobots(store, account, robots) }),
      }));
    });

  webhookCommand('pause', 'pauses a webhook: nothing is sent to it, and events are not sent later').action((id: string, options: OwnerOptions) =>
    changed(id, options, async () => ({ paused: true })),
  );

  webhookCommand('resume', 'resumes a webhook that is paused or disabled, for events from now on').action((id: string, options: OwnerOptions) =>
    changed(id, options, async () => ({ paused: false })),
  );

  webhookCommand('remove', 'removes a webhook with its messages: nothing is sent to it any more', '{"id", "removed": true}').action(
    async (id: string, { account, json }: OwnerOptions) => {
      const removed = await session.withStore(async (store) => {
        await mustExist(store, account);
        const existed = await store.webhooks.remove(account, id);
        if (existed) await recordChange(session, store, account, 'webhook_remove', { subject: id });
        return existed;
      });
      if (!removed) throw noWebhook(account, id);
      session.print(json, { id, removed: true }, () => `removed ${id}`);
    },
  );

  webhookCommand('roll-secret', 'replaces the secret of a webhook, shown only now', '{"id", "secret", "former_secret_until"}')
    .option('--overlap <time>', 'how long messages are signed with the old secret as well: 0m, 90m, 12h, 7d', '1d')
    .addHelpText('after', '\nExample:\n  $ perch webhook roll-secret w-0123456789 --account a-0123456789 --overlap 12h')
    .action(async (id: string, { account, json, overlap }: OwnerOptions & { overlap: string }) => {
      const ms = overlap === '0' ? 0 : durationMs(overlap);
      if (ms === null) throw new Refused(`--overlap ${overlap}: must be a time such as 90m, 12h or 7d`, 'usage');
      const overlapMs = validateSecretOverlap({ overlap_s: Math.floor(ms / 1000) });
      const record = await session.withStore(async (store) => {
        await mustExist(store, account);
        const rolled = await store.webhooks.rollSecret(account, id, overlapMs);
        if (rolled !== null) await recordChange(session, store, account, 'webhook_secret_roll', { subject: id });
        return rolled;
      });
      if (record === null) throw noWebhook(account, id);
      const until = record.former === undefined ? null : timeText(record.former.until);
      session.print(json, { id, secret: record.secret, former_secret_until: until }, ({ secret }) =>
        [`secret ${secret}    (shown only now)`, ...(until === null ? [] : [`the old secret signs until ${until}`])].join('\n'),
      );
    });

  return webhook;
}

function noWebhook(account: string, id: string): Refused {
  return new Refused(`the account ${account} has no webhook ${id}`);
}

function viewOf({ id, url, robots, names, createdAt, paused, disabled }: WebhookRecord) {
  return { id, url, robots, names, created_at: timeText(createdAt), paused: paused === true, disabled };
}
