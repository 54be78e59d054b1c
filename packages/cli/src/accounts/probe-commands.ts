import { probeAccount, type Store } from '@perch/store';
import { Command } from 'commander';
import { nameOption } from './account-options.js';
import { recordChange } from './record-change.js';
import { contentsOf } from './account-commands.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

/** Limit of the account that all probes share; one probe makes about one action in 10 s. */
const actionsPerS = 10;

export function probeCommands(session: Session): Command {
  const probe = new Command('probe').description('manages what a probe (services/probe) calls the service with');

  probe
    .command('add')
    .description('creates a robot and an API key for one probe, in the account of the probes, and prints its settings')
    .option('--name <text>', 'where the probe runs: the name of its robot and key', nameOption, 'probe')
    .option('--json', 'prints {"account", "robot", "robot_token", "api_key", "key_id"}')
    .addHelpText(
      'after',
      `\nEach probe needs a robot of its own: run it once for each. All are in one account, ${probeAccount.id}, which nobody can sign in to; its calls and` +
        '\nrobots are in no metric, in no activity and not in perch fleet. The key reaches the robot alone, with the scopes read and ask.' +
        '\n\nExamples:\n  $ perch probe add >> probe.env\n  $ perch probe add --name "second site" --json',
    )
    .action(async ({ name, json }: { name: string; json?: boolean }) => {
      const made = await session.withStore(async (store) => {
        await ensureAccount(session, store);
        const account = probeAccount.id;
        const { robot, token } = await store.robots.create({ account, name });
        await recordChange(session, store, account, 'robot_add', { robot });
        const key = await store.apiKeys.create({ account, name, robots: [robot], scopes: ['read', 'ask'] });
        await recordChange(session, store, account, 'key_create', { subject: key.id });
        return { account, robot, robot_token: token, api_key: key.apiKey, key_id: key.id };
      });
      session.print(json, made, ({ account, robot, robot_token, api_key, key_id }) =>
        [
          `# Robot ${robot} and key ${key_id} of account ${account}; the secrets are shown only now.`,
          `PERCH_PROBE_API_KEY=${api_key}`,
          `PERCH_PROBE_ROBOT_TOKEN=${robot_token}`,
        ].join('\n'),
      );
    });

  probe
    .command('remove')
    .description('removes the account of the probes with the robots and keys of all probes; without --yes, only shows what it would remove')
    .option('--yes', 'removes the account')
    .option('--json', 'prints {"account", "robots", "keys", "webhooks", "removed": true}, with the numbers of removed objects')
    .addHelpText(
      'after',
      '\nOf a single probe, remove the robot and the key: perch robot remove, perch key revoke.\n\nExample:\n  $ perch probe remove --yes',
    )
    .action(async ({ yes, json }: { yes?: boolean; json?: boolean }) => {
      const removed = await session.withStore(async (store) => {
        if (yes === true) return store.accountRemoval.remove(probeAccount.email);
        const found = await store.accountRemoval.find(probeAccount.email);
        if (found !== null) throw new Refused(`this would remove account ${found.account} with ${contentsOf(found)}: add --yes`);
        return null;
      });
      if (removed === null) throw new Refused('there is no account of probes: perch probe add creates it');
      session.print(json, { ...removed, removed: true }, (answer) => `removed ${answer.account} with ${contentsOf(answer)}`);
    });

  return probe;
}

async function ensureAccount(session: Session, store: Store): Promise<void> {
  const { id } = probeAccount;
  if (!(await store.accounts.ensureProbes())) return;
  await store.accountLimits.set(id, { actionsPerS });
  await recordChange(session, store, id, 'sign_up');
}
