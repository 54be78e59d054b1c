/** A robot program with the signature of who vouches for it, as one JSON file (docs/decisions/robots.md), in browsers and in Node. */
import { programFiles, sha256Of, type ProgramFile } from './program-files.js';

/** What `perch robot sign` writes. */
export interface SignedProgram {
  version: string;
  /** Versions that it may replace. */
  lowest: string;
  highest: string;
  /** SHA-256 of `program`, hexadecimal. */
  sha256: string;
  /** Public key, 32 bytes in hexadecimal. */
  key: string;
  /** 64 bytes in hexadecimal. */
  signature: string;
  /** The file of the update. */
  program: string;
  /** Files that start the program, by path. No update replaces them; the first line of `program` has their SHA-256. */
  start: Record<string, string>;
}

const texts = ['version', 'lowest', 'highest', 'sha256', 'key', 'signature', 'program'] as const;
const purpose = 'perch robot program v1';
const keyForm = /^[0-9a-f]{64}$/;
const signatureForm = /^[0-9a-f]{128}$/;

/** @param name of the file, for the error @throws {Error} it has other fields */
export function signedProgramOf(read: unknown, name: string): SignedProgram {
  if (typeof read !== 'object' || read === null) throw new Error(`${name} is no signed robot program`);
  const fields = read as Record<string, unknown>;
  for (const field of texts) if (typeof fields[field] !== 'string') throw new Error(`${name} is no signed robot program: it has no ${field}`);
  const { start } = fields;
  if (typeof start !== 'object' || start === null || !Object.values(start).every((text) => typeof text === 'string'))
    throw new Error(`${name} is no signed robot program: it has no start`);
  const { version, lowest, highest, sha256, key, signature, program } = fields as unknown as SignedProgram;
  if (!keyForm.test(key)) throw new Error(`${name} names no Ed25519 key`);
  return { version, lowest, highest, sha256, key, signature, program, start: start as Record<string, string> };
}

/** The robot makes the same text (`robots/micropython/perch/signed.py`). */
export function signedText({ version, lowest, highest, sha256 }: Pick<SignedProgram, 'version' | 'lowest' | 'highest' | 'sha256'>): string {
  return [purpose, version, lowest, highest, sha256, ''].join('\n');
}

/**
 * Checks the signature with the Web Crypto API against the key that the file names; a robot compares that key with its own. Node checks with its own
 * function (`node/signed-update.ts`), because its Web Crypto API warns of Ed25519 before Node 24.
 * @throws {Error} the file is damaged, or the browser has no Ed25519
 */
export async function requireSignature(signed: SignedProgram, name: string): Promise<void> {
  const encoder = new TextEncoder();
  if ((await sha256Of(encoder.encode(signed.program))) !== signed.sha256) throw damagedProgram(name);
  let key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
  try {
    key = await crypto.subtle.importKey('raw', bytesOf(signed.key), 'Ed25519', false, ['verify']);
  } catch (error) {
    throw new Error('This browser cannot check who signed the robot program. Chrome and Edge can from version 137 on', { cause: error });
  }
  const isRight =
    signatureForm.test(signed.signature) &&
    (await crypto.subtle.verify('Ed25519', key, bytesOf(signed.signature), encoder.encode(signedText(signed))));
  if (!isRight) throw wrongSignature(name);
}

export function damagedProgram(name: string): Error {
  return new Error(`${name} is damaged: its program has another sha256`);
}

export function wrongSignature(name: string): Error {
  return new Error(`${name} is damaged: its signature does not fit`);
}

/** Returns the files for a robot, of a program whose signature is checked. @throws {Error} a file that starts the program is not the one that was signed */
export async function signedProgramFiles({ program, start }: Pick<SignedProgram, 'program' | 'start'>, name: string): Promise<ProgramFile[]> {
  const bytes = new TextEncoder().encode(program);
  const end = bytes.indexOf(10) + 1;
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as {
    files: [path: string, size: number][];
    start: Record<string, string>;
  };
  let at = end;
  const updated = head.files.map(([path, size]) => [path, bytes.subarray(at, (at += size))] as const);
  const starting = await programFiles(Object.entries(start));
  const expected = Object.entries(head.start);
  for (const [path, sha256] of expected)
    if (starting.find((file) => file.path === path)?.sha256 !== sha256) throw new Error(`${name} is damaged: its ${path} has another sha256`);
  if (starting.length !== expected.length) throw new Error(`${name} is damaged: it has a file that was not signed`);
  return programFiles([...updated, ...Object.entries(start)]);
}

function bytesOf(hexadecimal: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hexadecimal.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
