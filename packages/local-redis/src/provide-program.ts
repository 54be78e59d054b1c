import { errorText } from './debian-tools.js';

export interface ProvidedProgram<T> {
  /** Completes "…: none could be downloaded", such as `mosquitto 2 is needed (on PATH)`. */
  missing: string;
  find: () => T | null;
  unpack: () => Promise<void>;
}

/** Finds a program, or downloads it where none is found; PERCH_TEST_DOWNLOAD=0 forbids that. @returns the reason if there is none */
export async function provideProgram<T>(env: NodeJS.ProcessEnv, { missing, find, unpack }: ProvidedProgram<T>): Promise<T | string> {
  const found = find();
  if (found !== null) return found;
  if (env['PERCH_TEST_DOWNLOAD'] === '0') return `${missing}: PERCH_TEST_DOWNLOAD=0 forbids the download`;
  try {
    await unpack();
  } catch (error) {
    return `${missing}: none could be downloaded: ${errorText(error)}`;
  }
  return find() ?? missing;
}
