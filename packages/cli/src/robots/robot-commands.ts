import { labelsText, robotName, type Labels, limits } from '@perch/schema/plain';
import type { OwnersRobot } from '@perch/store';
import { Command } from 'commander';
import { mustExist } from '../accounts/account-commands.js';
import { ListOutput, type ListFormat, timeText } from '../output/table.js';
import { nameOption } from '../accounts/account-options.js';
import { recordChange } from '../accounts/record-change.js';
import { Refused } from '../refused.js';
import { withRobotFilter, type RobotFilterOptions, labelChange } from './robot-options.js';
import { robotCheckCommand } from '../check/robot-check-command.js';
import { robotInstallCommand } from '../device/robot-install-command.js';
import { robotExportCommand } from './robot-export-command.js';
import { robotImportCommand } from './robot-import-command.js';
import { robotSetCommand } from './robot-set-command.js';
import { robotSignCommand } from './robot-sign-command.js';
import { robotUpdateCommand } from './robot-update-command.js';
import type { Session } from '../session.js';

export function robotCommands(session: Session): Command {
  const robot = new Command('robot').description('manages robots: their accounts, tokens and labels, and the program on them');

  robot
    .command('add')
    .description('creates a robot with its token, or adds the robot that shows a pairing code')
    .requiredOption('--account <id>', 'account of the robot')
    .option('--name <text>', 'name of the robot', nameOption)
    .option('--code <code>', 'pairing code on its screen (XXXX-XXXX); the robot then fetches its token')
    .option('--replace', "with --code: replaces the account's robot with the same serial, whose token is revoked")
    .option('--json', 'prints {"robot", "robot_token"}; with --code {"robot"}')
    .addHelpText(
      'after',
      '\nExamples:\n  $ perch robot add --account a-0123456789 --name Desk\n  $ perch robot add --account a-0123456789 --code BCDF-2345',
    )
    .action(async (options: { account: string; name?: string; code?: string; replace?: boolean; json?: boolean }) => {
      const { account, name, code, replace, json } = options;
      if (code !== undefined && name !== undefined) throw new Refused('--name cannot be combined with --code', 'usage');
      await session.withStore(async (store) => {
        await mustExist(store, account);
        if (code !== undefined) {
          const approved = await store.pairing.approve(account, code, undefined, replace === true);
          if (approved !== null && 'replaces' in approved)
            throw new Refused(
              `robot ${approved.replaces} of this account has the same serial and would be replaced, revoking its token: add --replace`,
            );
          if (approved === null) throw new Refused(`no robot shows the pairing code ${code}: codes are valid for 10 minutes, once`);
          await recordChange(session, store, account, 'pairing_approve', { robot: approved.robot });
          session.print(json, { robot: approved.robot }, ({ robot }) => `robot ${robot}`);
          return;
        }
        const made = await store.robots.create({ account, ...(name === undefined ? {} : { name }) });
        await recordChange(session, store, account, 'robot_add', { robot: made.robot });
        session.print(
          json,
          { robot: made.robot, robot_token: made.token },
          ({ robot, robot_token }) => `robot ${robot}\ntoken ${robot_token}    (shown only now)`,
        );
      });
    });

  const list = robot
    .command('list')
    .description("lists an account's robots, ascending by id")
    .requiredOption('--account <id>', 'account of the robots')
    .option('--json', 'prints {"robots": [{"robot", "name", "model", "firmware", "online", "labels", "created_at"}]}');
  withRobotFilter(list).action(async ({ account, json, ...wanted }: RobotFilterOptions & { account: string; json?: boolean }) => {
    const output = new ListOutput<ListedRow>(session, json, listFormat);
    await session.withStore(async (store) => {
      await mustExist(store, account);
      let left = wanted.limit ?? Infinity;
      for await (const slice of store.robotList.forOwner(account, { labels: wanted.label ?? [] })) {
        const rows = slice.filter((one) => isWanted(one, wanted)).slice(0, left);
        output.add(rows.map(rowOf));
        left -= rows.length;
        if (left === 0) break;
      }
    });
    output.end();
  });

  robot
    .command('remove')
    .description('removes a robot: revokes its token, closes its connection and deletes its events')
    .argument('<robot>', 'id of the robot')
    .option('--json', 'prints {"robot", "removed": true}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await session.withStore(async (store) => {
        const record = await store.robots.get(id);
        const removed = record === null ? 'unknown' : await store.robots.remove(record.account, id);
        if (record === null || removed === 'unknown') throw new Refused(`there is no robot ${id}`);
        await recordChange(session, store, record.account, 'robot_remove', { robot: id });
        if (removed.holder !== null)
          await store.linkMailbox.send(removed.holder.instance, { t: 'close', robot: id, session: removed.holder.session, code: 4003 });
        session.print(json, { robot: id, removed: true }, ({ robot }) => `removed ${robot}`);
      });
    });

  for (const command of [
    robotSetCommand(session),
    robotLabelCommand(session),
    robotImportCommand(session),
    robotExportCommand(session),
    robotInstallCommand(session),
    robotCheckCommand(session),
    robotUpdateCommand(session),
    robotSignCommand(session),
  ])
    robot.addCommand(command);
  return robot;
}

interface ListedRow {
  robot: string;
  name: string;
  model: string | null;
  firmware: string | null;
  online: boolean;
  labels: Labels;
  created_at: string;
}

const listFormat: ListFormat<ListedRow> = {
  field: 'robots',
  heads: ['ROBOT', 'NAME', 'NOW', 'MODEL', 'FIRMWARE', 'SINCE', 'LABELS'],
  row: ({ robot, name, online, model, firmware, created_at, labels }) => [
    robot,
    name,
    online ? 'online' : 'away',
    model ?? '-',
    firmware ?? '-',
    created_at,
    labelsText(labels),
  ],
  none: 'No robots.',
};

function rowOf({ id, name, model, firmware, online, labels, createdAt }: OwnersRobot): ListedRow {
  return { robot: id, name: robotName(id, name), model, firmware, online, labels, created_at: timeText(createdAt) };
}

function isWanted(robot: OwnersRobot, { online, firmware }: RobotFilterOptions): boolean {
  return (online === undefined || robot.online === online) && (firmware === undefined || (robot.firmware ?? '') === firmware);
}

const { labelsMax, labelKeyCharsMax, labelValueCharsMax } = limits.robots;

function robotLabelCommand(session: Session): Command {
  return new Command('label')
    .description('sets and removes labels of a robot, for filtering lists with --label; without changes, prints its labels')
    .argument('<robot>', 'id of the robot')
    .argument('[changes...]', 'key=value to set a label, key- to remove it')
    .option('--json', 'prints {"robot", "labels"}')
    .addHelpText(
      'after',
      `\nAt most ${labelsMax} labels. A key is 1 to ${labelKeyCharsMax} of a to z, 0 to 9, _ and -; a value has at most ${labelValueCharsMax} characters and no semicolon.` +
        '\n\nExamples:\n  $ perch robot label r-7k2m9qx4tb room=r7 floor=2\n  $ perch robot label r-7k2m9qx4tb floor-',
    )
    .action(async (robot: string, changes: string[], { json }: { json?: boolean }) => {
      const change = labelChange(changes);
      const labels = await session.withStore(async (store) => {
        const record = await store.robots.get(robot);
        if (record === null) throw new Refused(`there is no robot ${robot}`);
        if (changes.length === 0) return store.robotLabels.of(record.account, robot);
        const now = await store.robotLabels.change(record.account, robot, change);
        if (now === 'unknown') throw new Refused(`there is no robot ${robot}`);
        if (now === 'too_many') throw new Refused(`a robot has at most ${labelsMax} labels: remove some first`);
        return now;
      });
      session.print(json, { robot, labels }, (answer) => `${robot} ${labelsText(answer.labels) || 'has no labels'}`);
    });
}
