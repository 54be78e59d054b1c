/** Signs the robot program of this clone with a key of its own, which only this process reads: services get the signed file. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signedUpdateText, signingKey, signUpdate } from '@perch/installer/node';

export const keyFile = 'robot-program.key';
export const signedFile = 'robot-program.json';

/** The setting of an operator who signs elsewhere takes precedence. @returns the environment for the services */
export function withSignedProgram(stateDir: string, env: NodeJS.ProcessEnv, print: (line: string) => void): NodeJS.ProcessEnv {
  if (env['PERCH_ROBOT_PROGRAM']) return env;
  try {
    return { ...env, PERCH_ROBOT_PROGRAM: writeSignedProgram(stateDir) };
  } catch (error) {
    print(`the robot program is not signed, and robots refuse updates to it: ${error instanceof Error ? error.message : String(error)}`);
    return env;
  }
}

function writeSignedProgram(stateDir: string): string {
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, signedFile);
  const text = signedUpdateText(signUpdate(signingKey(join(stateDir, keyFile))));
  const part = `${path}.${process.pid}`;
  writeFileSync(part, text);
  renameSync(part, path);
  return path;
}
