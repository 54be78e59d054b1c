/** Signs the robot program, and reads what was signed. The service offers it and has no private key: `npm start` and the operator's command sign. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { damagedProgram, signedProgramOf, signedText, wrongSignature, type SignedProgram } from '../signed-program.js';
import { keysIn, keysPath, withKeys } from './program-keys.js';
import { shippedProgram } from './program-folder.js';
import { updateFile, type UpdateFile } from './update-file.js';

export interface SignedUpdate extends SignedProgram, UpdateFile {
  /** Public keys in the program: that of the signer, and others. */
  keys: string[];
}

export interface SigningOptions {
  /** Public keys in hexadecimal that robots accept from then on beside that of the signer, and those in `perch/keys.py` of the folder. */
  otherKeys?: readonly string[];
  /** Default: any. */
  lowest?: string;
  /** Default: the version itself, so that it replaces no higher one. */
  highest?: string;
  /** In place of the program's own, for a program with other keys. */
  version?: string;
  /** Folder of the program. Default: that of this clone, image or package. */
  folder?: string;
  /** As for `updateFile`. */
  change?: (path: string, text: string) => string;
}

const versionForm = /^\d{1,6}(?:\.\d{1,6}){0,3}$/;
/** The DER form of an Ed25519 key is this, followed by its 32 bytes (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Returns the public half of a key as robots keep it. */
export function publicKeyOf(key: KeyObject): string {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('the key is not an Ed25519 key');
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(spkiPrefix.length).toString('hex');
}

/** Writes the keys into the program and signs it. @throws {Error} a version that robots cannot compare, or a key that is none */
export function signUpdate(
  privateKey: KeyObject,
  { otherKeys = [], lowest = '0', highest, version: given, folder = shippedProgram, change = (_, text) => text }: SigningOptions = {},
): SignedUpdate {
  const key = publicKeyOf(privateKey);
  const keys = [...new Set([key, ...otherKeys, ...keysIn(readFileSync(join(folder, keysPath), 'utf8'))])];
  const file = updateFile(folder, (path, text) => {
    const named = given !== undefined && path === 'perch/robot.py' ? text.replace(/^VERSION = .*$/m, `VERSION = "${given}"`) : text;
    return change(path, withKeys(path, named, keys));
  });
  const versions = { version: file.version, lowest, highest: highest ?? file.version };
  for (const version of Object.values(versions))
    if (!versionForm.test(version)) throw new Error(`${version} is not a version of up to four numbers with dots, which robots compare`);
  const signature = sign(null, Buffer.from(signedText({ ...versions, sha256: file.sha256 })), privateKey).toString('hex');
  return { ...file, ...versions, key, signature, program: file.bytes.toString(), keys };
}

/** Returns the content of the file that `readSignedUpdate` reads. */
export function signedUpdateText({ version, lowest, highest, sha256, key, signature, program, start }: SignedUpdate): string {
  return `${JSON.stringify({ version, lowest, highest, sha256, key, signature, program, start } satisfies SignedProgram)}\n`;
}

/** Checks the signature against the key that the file names; a robot compares that key with its own. @param name of the file, for the error @throws {Error} what is wrong */
export function readSignedUpdate(text: string, name = 'the file'): SignedUpdate {
  const signed = signedProgramOf(parsed(text), name);
  const bytes = Buffer.from(signed.program);
  if (createHash('sha256').update(bytes).digest('hex') !== signed.sha256) throw damagedProgram(name);
  const publicKey = createPublicKey({ key: Buffer.concat([spkiPrefix, Buffer.from(signed.key, 'hex')]), format: 'der', type: 'spki' });
  if (!verify(null, Buffer.from(signedText(signed)), publicKey, Buffer.from(signed.signature, 'hex'))) throw wrongSignature(name);
  return { ...signed, bytes, keys: keysIn(signed.program) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Returns the private key in a file in PEM, which is made with mode 0600 if there is none.
 * Two processes that start at once get the same one. @throws {Error} the file has no Ed25519 key
 */
export function signingKey(path: string): KeyObject {
  try {
    return keyIn(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(path), { recursive: true });
  const made = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, made, { mode: 0o600 });
  try {
    // Unlike a renaming, it does not replace a key that another process has just made.
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own);
  }
  return keyIn(path);
}

function keyIn(path: string): KeyObject {
  return signingKeyIn(readFileSync(path, 'utf8'), path);
}

/** @param name of the file or variable with the text @throws {Error} it has no Ed25519 key */
export function signingKeyIn(text: string, name: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    publicKeyOf(key);
    return key;
  } catch (error) {
    throw new Error(`${name} has no private Ed25519 key in PEM`, { cause: error });
  }
}
