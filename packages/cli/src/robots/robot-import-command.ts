import { labelsText } from '@perch/schema/plain';
import { Command } from 'commander';
import { mustExist } from '../accounts/account-commands.js';
import { Refused } from '../refused.js';
import { importWanted, requireRoom, wantedOf, type ImportedRobot } from './robot-import.js';
import { robotsOfCsv, type LineProblem } from './robots-csv.js';
import type { Session } from '../session.js';
import { table } from '../output/table.js';
import { textOfFile } from '../actions/text-file.js';

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
