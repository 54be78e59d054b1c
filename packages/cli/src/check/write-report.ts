import { writeFile } from 'node:fs/promises';
import { Refused } from '../refused.js';

export async function writeReport(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Refused(`the report cannot be written to ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}
