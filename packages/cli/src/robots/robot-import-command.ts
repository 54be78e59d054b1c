import { labelsText, robotName, type Labels } from '@perch/schema/plain';
import { Command } from 'commander';
import { mustExist } from '../accounts/account-commands.js';
import { Refused } from '../refused.js';
import { robotsOfCsv, type LineProblem, type RobotLine } from './robots-csv.js';
import type { Session } from '../session.js';
import { table } from '../output/table.js';
import type { Store } from '@perch/store';
import { open } from 'node:fs/promises';

const fileBytesMax = 64 * 2 ** 20;
const namedMax = 50;

export function robotImportCommand(session: Session): Command {
  return new Command('import')
    .description('creates the robots of a CSV file, each with its token; creates none if any line is wrong')
    .requiredOption('--account <id>', 'account of the robots')
    .requiredOption('--file <path>', 'CSV file; the first line names the columns: name, serial, labels')
    .option('--update', 'updates name and labels of robots that the account already has; they keep their tokens')
    .option('--json', 'prints {"robots": [{"robot", "name", "serial", "labels", "robot_token"}]}; robot_token is null for an updated robot')
    .addHelpText(
      'after',
      '\nname,serial,labels\nDesk,SN-1,room=r1;floor=2\n\nserial is required, and unique within the account. Files of perch robot export have an additional column, id, which import also reads.' +
        '\n\nExample:\n  $ perch robot import --account a-0123456789 --file robots.csv --json > tokens.json',
    )
    .action(async ({ account, file, update, json }: { account: string; file: string; update?: boolean; json?: boolean }) => {
      const { robots: lines, problems } = robotsOfCsv(await textOfFile(file, fileBytesMax));
      await session.withStore(async (store) => {
        await mustExist(store, account);
        const { wanted, problems: more } = await wantedOf(store, account, lines, update === true);
        refuseWrongLines(file, [...problems, ...more]);
        await requireRoom(store, account, wanted);
        const imported = new Map<number, ImportedRobot>();
        const inOrder = (): ImportedRobot[] => wanted.flatMap((_, index) => imported.get(index) ?? []);
        try {
          await importWanted(store, account, wanted, (robot, index) => imported.set(index, robot));
        } catch (error) {
          throw incompleteImport(error, inOrder(), wanted.length);
        }
        session.print(json, { robots: inOrder() }, ({ robots }) => importedText(robots));
      });
    });
}

function refuseWrongLines(file: string, problems: readonly LineProblem[]): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((a, b) => a.line - b.line);
  const count = new Set(sorted.map(({ line }) => line)).size;
  const named = sorted.slice(0, namedMax);
  const lines = named.map(({ line, column, reason }) => `line ${line}${column === null ? '' : `, ${column}`}: ${reason}`);
  if (sorted.length > named.length) lines.push(`and ${sorted.length - named.length} more`);
  throw new Refused(`${file}: ${count === 1 ? '1 line is' : `${count} lines are`} wrong; nothing was imported`, 'failed', {
    lines,
    fields: { wrong_lines: count, problems: named },
  });
}

/** Returns an error with the new tokens, because they cannot be read again. */
function incompleteImport(error: unknown, imported: readonly ImportedRobot[], wanted: number): Refused {
  const reason = (error as Error).message.replace(/\.$/, '');
  const message = `${reason}. ${imported.length} of ${wanted} robots were imported; import the file again with --update for the others`;
  return new Refused(message, 'failed', { lines: imported.length === 0 ? [] : importedText(imported).split('\n'), fields: { robots: imported } });
}

function importedText(robots: readonly ImportedRobot[]): string {
  return table(
    ['ROBOT', 'NAME', 'SERIAL', 'LABELS', 'TOKEN (shown only now)'],
    robots.map(({ robot, name, serial, labels, robot_token }) => [robot, name, serial, labelsText(labels), robot_token ?? '- (unchanged)']),
    'The file has no robots.',
  );
}

/** A line of the CSV file, once it was created or updated. */
interface ImportedRobot {
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
async function wantedOf(
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

async function requireRoom(store: Store, account: string, wanted: readonly Wanted[]): Promise<void> {
  const toCreate = wanted.filter(({ robot }) => robot === null).length;
  const { robots: max } = await store.accountLimits.get(account);
  const isLimited = typeof max === 'number';
  if (toCreate === 0 || !isLimited) return;
  const has = await store.robots.count(account);
  if (has + toCreate > max)
    throw new Refused(`the account is limited to ${max} robots: it has ${has}, and the file would add ${toCreate}; nothing was imported`);
}

/** @param done called with each robot, in any order, and its index @throws {Refused} a serial went to another robot meanwhile; others are imported */
async function importWanted(
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

/** Removes a byte order mark. @throws {Refused} the file cannot be read, is larger than `bytesMax`, or is not UTF-8 text */
async function textOfFile(path: string, bytesMax: number): Promise<string> {
  const bytes = await bytesOfFile(path, bytesMax);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Reported below.
  }
  throw new Refused(`${path} is not a text file in UTF-8`);
}

async function bytesOfFile(path: string, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    const file = await open(path);
    try {
      for await (const part of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
        parts.push(part as Buffer);
        length += (part as Buffer).length;
        if (length > bytesMax) break;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new Refused(`${path} cannot be read: ${(error as Error).message}`);
  }
  if (length > bytesMax) throw new Refused(`${path} is larger than ${bytesMax / 2 ** 20} MB`);
  return Buffer.concat(parts);
}
