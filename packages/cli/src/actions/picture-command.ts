/** `perch picture upload FILE`: keeps a picture for a day, to use it by its id. */
import { readFile } from 'node:fs/promises';
import { Command, type OptionValues } from 'commander';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { perchAt, serviceCommand, settingsFrom } from './action-commands.js';

const examples = `
Examples:
  $ perch show --image "$(perch picture upload photo.jpg)"
`;

export function pictureCommand(session: Session): Command {
  const upload = serviceCommand('upload', 'Upload a JPEG or PNG of up to 2 MB, and print its id.')
    .argument('<file>', 'JPEG or PNG file')
    .option('--json', 'prints the response as JSON')
    .addHelpText('after', `\nThe same picture has the same id; uploading it again keeps it for a day from then.\n${examples}`)
    .action(async (file: string, { json, ...options }: OptionValues) => {
      const perch = perchAt(await settingsFrom(session, options));
      const answer = await perch.uploadPicture(await bytesOf(file));
      session.print(json === true, answer, ({ picture }) => picture);
    });
  return new Command('picture')
    .helpGroup('Robots, over HTTP:')
    .description('Pictures that are kept for a day, and shown by their id.')
    .addCommand(upload);
}

async function bytesOf(file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    throw new Refused(`the picture ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, 'usage');
  }
}
