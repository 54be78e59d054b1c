import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../speech-engine.mjs', import.meta.url));

/** Returns the command line of a program that behaves as Piper does, for PERCH_SPEECH_COMMAND; `speech-engine.mjs` has its options. */
export function speechCommand(...options: string[]): string {
  return [process.execPath, program, ...options].join(' ');
}
