import { open, rename, rm } from 'node:fs/promises';
import { Command } from 'commander';
import { byEmail } from './account-by-email.js';
import { printableText } from '../output/printable.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

export function exportCommand(session: Session): Command {
  return new Command('export')
    .description('prints all data stored about an account as one JSON document, without secrets')
    .argument('<email>', "the account's address")
    .option('--file <path>', 'writes to a file that only you can read, and prints {"account", "file", "bytes"}')
    .option('--json', 'changes nothing: the output is JSON without it, too')
    .addHelpText(
      'after',
      '\nThe fields are described in docs/reference/account-export.md.' +
        '\n\nExamples:\n  $ perch account export ada@example.org --file ada.json\n  $ perch account export ada@example.org | jq .account',
    )
    .action(async (email: string, { file }: { file?: string }) => {
      await session.withStore(async (store) => {
        const account = await byEmail(store, email);
        const pieces = store.accountExport.write(account);
        if (file === undefined) {
          for await (const piece of pieces) session.write(printableText(piece));
          session.write('\n');
          return;
        }
        session.print(true, { account: account.id, file, bytes: await writeFile(file, pieces) }, () => '');
      });
    });
}

/** Writes to a temporary file first, so that an incomplete file never has the name. @returns bytes written @throws {Refused} the file cannot be written */
async function writeFile(file: string, pieces: AsyncGenerator<string>): Promise<number> {
  const part = `${file}.part`;
  // An existing file, from a killed export or of another user, would keep its own mode.
  const opened = await rm(part, { force: true })
    .then(() => open(part, 'wx', 0o600))
    .catch((error: Error) => {
      throw new Refused(`--file ${file}: ${error.message}`);
    });
  let bytes = 0;
  try {
    for await (const piece of pieces) bytes += (await opened.write(piece)).bytesWritten;
    await opened.sync();
    await opened.close();
    await rename(part, file);
    return bytes;
  } catch (error) {
    await opened.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}
