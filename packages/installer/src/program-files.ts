/** Files of the robot program, as they lie on a robot. */
export interface ProgramFile {
  /** Below the folder of the robot that holds programs: `main.py`, `perch/robot.py`. */
  path: string;
  bytes: Uint8Array;
  /** In hexadecimal. */
  sha256: string;
}

/** Boards of computers, which a robot does not need. */
const notOnRobots = /^perch\/boards\/host/;
/** The files that start the program come after all that they need. */
const last = ['boot.py', 'main.py'];

/**
 * Selects the files that a robot needs. `boot.py` and `main.py`, which start the program, come last.
 * @param sources text or bytes by path below `robots/micropython`
 */
export async function programFiles(sources: Iterable<readonly [path: string, contents: string | Uint8Array]>): Promise<ProgramFile[]> {
  const chosen = Array.from(sources)
    .filter(([path]) => path.endsWith('.py') && !notOnRobots.test(path))
    .toSorted(([a], [b]) => last.indexOf(a) - last.indexOf(b) || (a < b ? -1 : 1));
  return Promise.all(
    chosen.map(async ([path, contents]) => {
      const bytes = typeof contents === 'string' ? new TextEncoder().encode(contents) : contents;
      return { path, bytes, sha256: await sha256Of(bytes) };
    }),
  );
}

export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
