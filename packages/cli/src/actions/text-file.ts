import { open } from 'node:fs/promises';
import { Refused } from '../refused.js';

/** Removes a byte order mark. @throws {Refused} the file cannot be read, is larger than `bytesMax`, or is not UTF-8 text */
export async function textOfFile(path: string, bytesMax: number): Promise<string> {
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
