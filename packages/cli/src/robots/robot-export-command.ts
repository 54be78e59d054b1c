import { open } from 'node:fs/promises';
import { labelsText, type Labels } from '@perch/schema/plain';
import type { OwnersRobot } from '@perch/store';
import { Command } from 'commander';
import { mustExist } from '../accounts/account-commands.js';
import { ListOutput, type ListFormat } from '../output/table.js';
import { printableLines } from '../output/printable.js';
import { Refused } from '../refused.js';
import { csvHeader, csvOfRobots } from './robots-csv.js';
import type { Session } from '../session.js';

export function robotExportCommand(session: Session): Command {
  return new Command('export')
    .description("writes an account's robots as CSV with the columns id, name, serial, labels, which import reads")
    .requiredOption('--account <id>', 'account of the robots')
    .option('--file <path>', 'file to create; default: standard output')
    .option('--json', 'prints {"robots": [{"robot", "name", "serial", "labels"}]} instead; serial is null for a robot without one')
    .addHelpText(
      'after',
      '\nTokens are not exported: only their hashes are stored.\n\nExample:\n  $ perch robot export --account a-0123456789 --file robots.csv',
    )
    .action(async ({ account, file, json }: { account: string; file?: string; json?: boolean }) => {
      if (json === true && file !== undefined) throw new Refused('--json cannot be combined with --file', 'usage');
      await session.withStore(async (store) => {
        await mustExist(store, account);
        const slices = store.robotList.forOwner(account);
        if (json === true) await printJson(session, slices);
        else if (file === undefined) await writeCsv(slices, async (text) => session.write(printableLines(text)));
        else await writeFile(file, slices);
      });
    });
}

interface ExportedRobot {
  robot: string;
  name: string;
  serial: string | null;
  labels: Labels;
}

const format: ListFormat<ExportedRobot> = {
  field: 'robots',
  heads: ['ROBOT', 'NAME', 'SERIAL', 'LABELS'],
  row: ({ robot, name, serial, labels }) => [robot, name, serial ?? '-', labelsText(labels)],
  none: 'No robots.',
};

async function printJson(session: Session, slices: AsyncIterable<readonly OwnersRobot[]>): Promise<void> {
  const output = new ListOutput<ExportedRobot>(session, true, format);
  for await (const slice of slices) output.add(slice.map(({ id, name, serial, labels }) => ({ robot: id, name, serial, labels })));
  output.end();
}

async function writeCsv(slices: AsyncIterable<readonly OwnersRobot[]>, write: (text: string) => Promise<void>): Promise<void> {
  await write(csvHeader);
  for await (const slice of slices) await write(csvOfRobots(slice.map((robot) => ({ ...robot, serial: robot.serial ?? '' }))));
}

async function writeFile(path: string, slices: AsyncIterable<readonly OwnersRobot[]>): Promise<void> {
  const file = await open(path, 'wx').catch((error: unknown) => {
    throw new Refused(`${path} cannot be written: ${(error as Error).message}`);
  });
  try {
    await writeCsv(slices, async (text) => void (await file.write(text)));
  } finally {
    await file.close();
  }
}
