import { Command } from 'commander';
import { pageLink } from './page-link.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

const daysMax = 365;

export function invitationCommands(session: Session): Command {
  const invitation = new Command('invitation').description('manages invitations, which are required to sign up if PERCH_SIGN_UP=invitation');

  invitation
    .command('create')
    .description('creates an invitation for one account, shown only now')
    .option('--days <n>', 'days until it expires', '7')
    .option('--json', 'prints {"invitation", "url"}')
    .addHelpText('after', '\nExample:\n  $ perch invitation create --days 3')
    .action(async ({ days, json }: { days: string; json?: boolean }) => {
      const lifeDays = Number(days);
      if (!/^\d+$/.test(days) || lifeDays < 1 || lifeDays > daysMax)
        throw new Refused(`--days ${days}: must be a whole number from 1 to ${daysMax}`, 'usage');
      const made = await session.withStore(async (store) => {
        const secret = await store.invitations.make('', lifeDays * 86_400_000);
        return { invitation: secret, url: await pageLink(session, store, '/sign-up', `invitation=${secret}`) };
      });
      session.print(json, made, ({ url }) => `${url}\nvalid for one account, for ${lifeDays} days`);
    });

  invitation
    .command('revoke')
    .description('revokes all unused invitations')
    .requiredOption('--all', 'required: only hashes are stored, so single invitations cannot be selected')
    .option('--json', 'prints {"invitations": number of invitations}')
    .addHelpText('after', '\nExample:\n  $ perch invitation revoke --all')
    .action(async ({ json }: { json?: boolean }) => {
      const invitations = await session.withStore((store) => store.invitations.endAll());
      session.print(json, { invitations }, ({ invitations }) => `revoked ${invitations === 1 ? '1 invitation' : `${invitations} invitations`}`);
    });

  return invitation;
}
