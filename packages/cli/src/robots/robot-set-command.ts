import { canonicalTimeZone, settingsProblem, type QuietHours, type RobotSettings } from '@perch/schema/plain';
import type { Store } from '@perch/store';
import { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { nameOption } from '../accounts/account-options.js';
import { recordChange } from '../accounts/record-change.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

/** A robot-link that reads the message later has read newer settings by then. */
const readWithinMs = 5000;

interface Options {
  name?: string;
  timeZone?: string;
  volumeMax?: number | null;
  quietHours?: QuietHours | null;
  json?: boolean;
}

export function robotSetCommand(session: Session): Command {
  return new Command('set')
    .description('changes the name, time zone, highest volume and quiet hours of a robot; without changes, prints them')
    .argument('<robot>', 'id of the robot')
    .option('--name <text>', 'name of the robot', nameOption)
    .option('--time-zone <name>', 'time zone of the quiet hours, such as Europe/Berlin', timeZoneOption)
    .option('--volume-max <percent>', 'highest volume of sounds and speech, 0 to 100, or none', volumeOption)
    .option('--quiet-hours <from-to>', 'hours without sounds and speech, such as 22:00-07:00, or none', quietHoursOption)
    .option('--json', 'prints {"robot", "name", "time_zone", "volume_max", "quiet_hours"}')
    .addHelpText(
      'after',
      '\nExamples:\n  $ perch robot set r-7k2m9qx4tb --time-zone Europe/Berlin --quiet-hours 22:00-07:00\n  $ perch robot set r-7k2m9qx4tb --volume-max none',
    )
    .action(async (robot: string, { json, ...change }: Options) => {
      const { name, settings } = await session.withStore(async (store) => {
        const record = await store.robots.get(robot);
        if (record === null) throw new Refused(`there is no robot ${robot}`);
        if (Object.keys(change).length > 0) await changeRobot(session, store, record.account, robot, change);
        return store.robots.chosenOf(robot);
      });
      const { timeZone, volumeMax, quietHours } = settings;
      session.print(
        json,
        { robot, name, time_zone: timeZone, volume_max: volumeMax, quiet_hours: quietHours },
        () => `${robot} ${name || '(no name)'}\n${settingsText(settings)}`,
      );
    });
}

async function changeRobot(session: Session, store: Store, account: string, robot: string, change: Omit<Options, 'json'>): Promise<void> {
  const holder = await store.robots.change(account, robot, change);
  if (holder === 'unknown') throw new Refused(`there is no robot ${robot}`);
  await recordChange(session, store, account, 'robot_change', { robot });
  if (holder === null) return;
  // A request for the state with `settings` makes the robot-link read the robot's settings again.
  const expires = store.clock.now() + readWithinMs;
  await store.linkMailbox.send(holder.instance, {
    t: 'state',
    id: randomUUID(),
    robot,
    session: holder.session,
    gateway: store.instance,
    expires,
    settings: true,
  });
}

function settingsText({ timeZone, volumeMax, quietHours }: RobotSettings): string {
  const quiet = quietHours === null ? 'none' : `${quietHours.from}-${quietHours.to}`;
  return `time zone ${timeZone}, highest volume ${volumeMax === null ? 'not limited' : `${volumeMax} %`}, quiet hours ${quiet}`;
}

function timeZoneOption(text: string): string {
  refuseIf(settingsProblem({ time_zone: text, volume_max: undefined, quiet_hours: undefined })?.message, '--time-zone', text);
  return canonicalTimeZone(text)!;
}

function volumeOption(text: string): number | null {
  if (text === 'none') return null;
  const isWrong = !/^\d{1,3}$/.test(text) || Number(text) > 100;
  refuseIf(isWrong ? 'must be a whole number from 0 to 100, or none' : undefined, '--volume-max', text);
  return Number(text);
}

function quietHoursOption(text: string): QuietHours | null {
  if (text === 'none') return null;
  const [, from = '', to = ''] = /^([^-]*)-([^-]*)$/.exec(text) ?? [];
  const hours = { from, to };
  const problem = settingsProblem({ time_zone: undefined, volume_max: undefined, quiet_hours: hours });
  const sentence = from !== '' && from === to ? 'must begin and end at different times' : 'must be two times of day, such as 22:00-07:00, or none';
  refuseIf(problem === null ? undefined : sentence, '--quiet-hours', text);
  return hours;
}

function refuseIf(problem: string | undefined, option: string, text: string): void {
  if (problem !== undefined) throw new Refused(`${option} ${JSON.stringify(text)}: ${problem}`, 'usage');
}
