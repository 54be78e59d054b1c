/** Checks the robots of a CSV file against those of the account, then creates and updates them. The caller imports only if there are no problems. */
import type { Store } from '@perch/store';
import { robotName, type Labels } from '@perch/schema/plain';
import { Refused } from '../refused.js';
import type { LineProblem, RobotLine } from './robots-csv.js';

export interface ImportedRobot {
  robot: string;
  name: string;
  serial: string;
  labels: Labels;
  /** Null for an updated robot, which keeps its token. */
  robot_token: string | null;
}

/** Robots updated per batch; a batch waits for the disk once for all labels. */
const updatedAtOnce = 500;

/** A line with the existing robot it refers to, or null for a new one. */
interface Wanted extends RobotLine {
  robot: string | null;
}

/**
 * Finds conflicts with other lines or with the account's robots. A line refers to the account's robot with its id, or with its serial, or otherwise
 * to a new one. An id of another account is ignored, so that its export can be imported here as new robots.
 */
export async function wantedOf(
  store: Store,
  account: string,
  lines: readonly RobotLine[],
  update: boolean,
): Promise<{ wanted: Wanted[]; problems: LineProblem[] }> {
  const given = (field: 'id' | 'serial'): string[] => lines.flatMap((line) => (line[field] === '' ? [] : [line[field]]));
  const [bySerial, own] = await Promise.all([store.robots.bySerials(account, given('serial')), store.robots.own(account, given('id'))]);
  const problems: LineProblem[] = [];
  const serialLines = new Map<string, number>();
  const robotLines = new Map<string, number>();
  const wanted = lines.map((line): Wanted => {
    const { serial } = line;
    const wrong = (column: string, reason: string): void => void problems.push({ line: line.line, column, reason });
    const ofSerial = bySerial.get(serial) ?? null;
    const robot = own.has(line.id) ? line.id : ofSerial;
    const sameSerial = serial === '' ? undefined : serialLines.get(serial);
    const sameRobot = robot === null ? undefined : robotLines.get(robot);
    if (sameSerial !== undefined) wrong('serial', `${JSON.stringify(serial)} is on line ${sameSerial}, too`);
    else if (robot === null && serial === '') wrong('serial', `is missing, and the account has no robot ${line.id}`);
    else if (robot !== null && serial !== '' && ofSerial !== robot)
      wrong('serial', `${JSON.stringify(serial)} is not the serial of robot ${robot}; a serial cannot be changed`);
    else if (sameRobot !== undefined) wrong('id', `robot ${robot} is on line ${sameRobot}, too`);
    else if (robot !== null && !update)
      wrong(serial === '' ? 'id' : 'serial', `robot ${robot} of the account already has it; --update changes its name and labels`);
    if (serial !== '' && sameSerial === undefined) serialLines.set(serial, line.line);
    if (robot !== null && sameRobot === undefined) robotLines.set(robot, line.line);
    return { ...line, robot };
  });
  return { wanted, problems };
}

export async function requireRoom(store: Store, account: string, wanted: readonly Wanted[]): Promise<void> {
  const toCreate = wanted.filter(({ robot }) => robot === null).length;
  const { robots: max } = await store.accountLimits.get(account);
  const isLimited = typeof max === 'number';
  if (toCreate === 0 || !isLimited) return;
  const has = await store.robots.count(account);
  if (has + toCreate > max)
    throw new Refused(`the account is limited to ${max} robots: it has ${has}, and the file would add ${toCreate}; nothing was imported`);
}

/** @param done called with each robot, in any order, and its index @throws {Refused} a serial went to another robot meanwhile; others are imported */
export async function importWanted(
  store: Store,
  account: string,
  wanted: readonly Wanted[],
  done: (robot: ImportedRobot, index: number) => void,
): Promise<void> {
  const all = wanted.map((line, index) => ({ ...line, index }));
  const toCreate = all.filter(({ robot }) => robot === null);
  const taken = await store.robots.createAll(
    account,
    toCreate.map(({ name = '', serial, labels = {} }) => ({ account, name, serial, labels })),
    ({ robot, token }, i) => {
      const { name = '', serial, labels = {}, index } = toCreate[i]!;
      done({ robot, name: robotName(robot, name), serial, labels, robot_token: token }, index);
    },
  );
  const toUpdate = all.flatMap((line) => (line.robot === null ? [] : [{ ...line, robot: line.robot }]));
  for (let i = 0; i < toUpdate.length; i += updatedAtOnce) await change(store, account, toUpdate.slice(i, i + updatedAtOnce), done);
  if (taken.length > 0)
    throw new Refused(
      `${taken.length === 1 ? 'a serial was' : `${taken.length} serials were`} assigned to another robot in the meantime, such as ${taken[0]}: import the file again with --update`,
    );
}

/** Skips robots removed in the meantime. */
async function change(
  store: Store,
  account: string,
  lines: readonly (Wanted & { robot: string; index: number })[],
  done: (robot: ImportedRobot, index: number) => void,
): Promise<void> {
  const changes = lines.map(({ robot, labels }) => ({ robot, change: labels === undefined ? {} : { set: labels, dropOthers: true } }));
  const labels = await store.robotLabels.changeAll(account, changes);
  await Promise.all(
    lines.map(async ({ robot, name, serial, index }, i) => {
      const now = labels[i]!;
      const isThere = name === undefined ? true : await store.robots.rename(account, robot, name);
      // A text says why the labels were not changed.
      if (typeof now === 'string' || !isThere) return;
      const named = robotName(robot, name ?? (await store.robots.chosenOf(robot)).name);
      done({ robot, name: named, serial, labels: now, robot_token: null }, index);
    }),
  );
}
