import type { KeyObject } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { signedUpdateText, signingKey, signingKeyIn, signUpdate } from '@perch/installer/node';
import { Command } from 'commander';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

interface SignFlags {
  key?: string;
  out: string;
  trust: string[];
  lowest?: string;
  highest?: string;
  programVersion?: string;
  json?: boolean;
}

/** For a job that has the private key as a secret: it then writes none to a disk. */
const keyVariable = 'PERCH_ROBOT_SIGNING_KEY';

export function robotSignCommand(session: Session): Command {
  return new Command('sign')
    .description('signs the robot program of this release with an own key, without Redis')
    .option(
      '--key <file>',
      `private Ed25519 key in PEM; made with mode 0600 if there is none. Keep it where no service runs (default: the PEM in ${keyVariable})`,
    )
    .requiredOption('--out <file>', 'the signed program, for PERCH_ROBOT_PROGRAM of robot-links and gateways, and for perch robot install')
    .option(
      '--trust <key>',
      'another public key whose updates robots then accept, in hexadecimal, beside those in perch/keys.py; may be repeated',
      collected,
      [],
    )
    .option('--lowest <version>', 'lowest version that it may replace (default: any)')
    .option('--highest <version>', 'highest version that it may replace, to go back from one (default: its own)')
    .option('--program-version <version>', 'version in place of its own: robots are offered another version than they run alone')
    .option('--json', 'prints {"version", "key", "keys", "lowest", "highest", "sha256"}')
    .addHelpText(
      'after',
      '\nnpm start signs by itself, with a key that it makes in .perch. docs/runbooks/robot-program-key.md says how to change a key.' +
        '\n\nExamples:\n  $ perch robot sign --key ~/perch-robots.pem --out robot-program.json' +
        `\n  $ ${keyVariable}="$SECRET" perch robot sign --out robot-program.json`,
    )
    .action(({ key, out, trust, lowest, highest, programVersion, json }: SignFlags) => {
      try {
        const signed = signUpdate(privateKey(session, key), {
          otherKeys: trust,
          ...(lowest !== undefined && { lowest }),
          ...(highest !== undefined && { highest }),
          ...(programVersion !== undefined && { version: programVersion }),
        });
        writeFileSync(`${out}.part`, signedUpdateText(signed));
        renameSync(`${out}.part`, out);
        const { version, keys, sha256 } = signed;
        const answer = { version, key: signed.key, keys, lowest: signed.lowest, highest: signed.highest, sha256 };
        session.print(json, answer, () => `signed ${version} with the key ${signed.key}\nwritten to ${out}`);
      } catch (error) {
        throw new Refused((error as Error).message, 'usage');
      }
    });
}

function privateKey({ environment }: Session, path: string | undefined): KeyObject {
  if (path !== undefined) return signingKey(path);
  const text = environment[keyVariable];
  if (!text) throw new Error(`--key FILE, or ${keyVariable} with the key itself, is required`);
  return signingKeyIn(text, keyVariable);
}

function collected(value: string, before: string[]): string[] {
  return [...before, value];
}
