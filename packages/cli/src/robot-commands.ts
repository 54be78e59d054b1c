/** `perch robot ...` */
import { robotName } from '@perch/schema/plain';
import { Command } from 'commander';
import { mustExist } from './account-commands.js';
import { nameOption } from './name-option.js';
import { Refused } from './refused.js';
import type { Session } from './session.js';
import { table, timeText } from './table.js';

export function robotCommands(session: Session): Command {
  const robot = new Command('robot').description('robots: who they belong to, and the token each dials in with');

  robot
    .command('add')
    .description('makes a robot with its token, or takes in the robot that shows a pairing code')
    .requiredOption('--account <id>', 'whose robot it is')
    .option('--name <text>', 'what people call it', nameOption)
    .option('--code <code>', 'the pairing code on its screen (XXXX-XXXX); the robot then fetches its token itself')
    .option('--replace', "with --code: replaces the account's robot of the same serial, whose token then ends")
    .option('--json', 'prints {"robot", "robot_token"}; with --code {"robot"}')
    .addHelpText(
      'after',
      '\nExamples:\n  $ perch robot add --account a-0123456789 --name Desk\n  $ perch robot add --account a-0123456789 --code BCDF-2345',
    )
    .action(async (options: { account: string; name?: string; code?: string; replace?: boolean; json?: boolean }) => {
      const { account, name, code, replace, json } = options;
      if (code !== undefined && name !== undefined) throw new Refused('--name goes with a robot that is made here, not with --code', 'usage');
      await session.withStore(async (store) => {
        await mustExist(store, account);
        if (code !== undefined) {
          const approved = await store.pairing.approve(account, code, undefined, replace === true);
          if (approved !== null && 'replaces' in approved)
            throw new Refused(`robot ${approved.replaces} of this account has the same serial and would be replaced: its token ends; add --replace`);
          if (approved === null) throw new Refused(`no robot shows the pairing code ${code}: codes are good for 10 minutes, once`);
          session.print(json, { robot: approved.robot }, ({ robot }) => `robot ${robot}`);
          return;
        }
        const made = await store.robots.create({ account, ...(name === undefined ? {} : { name }) });
        session.print(
          json,
          { robot: made.robot, robot_token: made.token },
          ({ robot, robot_token }) => `robot ${robot}\ntoken ${robot_token}    (shown only now)`,
        );
      });
    });

  robot
    .command('list')
    .description("lists an account's robots, oldest first")
    .requiredOption('--account <id>', 'whose robots')
    .option('--json', 'prints {"robots": [{"robot", "name", "model", "firmware", "online", "created_at"}]}')
    .action(async ({ account, json }: { account: string; json?: boolean }) => {
      const robots = await session.withStore(async (store) => {
        await mustExist(store, account);
        const { robots } = await store.robotList.read(account, Infinity);
        return robots.map(({ id, name, model, firmware, online, createdAt }) => ({
          robot: id,
          name: robotName(id, name),
          model,
          firmware,
          online,
          created_at: timeText(createdAt),
        }));
      });
      session.print(json, { robots }, ({ robots }) => {
        const rows = robots.map((one) => [
          one.robot,
          one.name,
          one.online ? 'online' : 'away',
          one.model ?? '-',
          one.firmware ?? '-',
          one.created_at,
        ]);
        return table(['ROBOT', 'NAME', 'NOW', 'MODEL', 'FIRMWARE', 'SINCE'], rows, 'The account has no robot.');
      });
    });

  robot
    .command('remove')
    .description('removes a robot: its token opens nothing any more, its connection is closed, its events are gone')
    .argument('<robot>', 'its id')
    .option('--json', 'prints {"robot", "removed": true}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await session.withStore(async (store) => {
        const record = await store.robots.get(id);
        const removed = record === null ? 'unknown' : await store.robots.remove(record.account, id);
        if (removed === 'unknown') throw new Refused(`there is no robot ${id}`);
        if (removed.holder !== null)
          await store.links.send(removed.holder.instance, { t: 'close', robot: id, session: removed.holder.session, code: 4003 });
        session.print(json, { robot: id, removed: true }, ({ robot }) => `removed ${robot}`);
      });
    });

  return robot;
}
