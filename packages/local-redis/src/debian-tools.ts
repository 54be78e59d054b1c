/** Runs programs of Debian and Ubuntu that download and unpack packages without root. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Lists, state and cache of apt-get in a folder of its own: nothing of the machine changes. @param more settings beside these */
export function aptOptions(work: string, status: string, more: Record<string, string> = {}): string[] {
  const settings = {
    'Dir::State': join(work, 'state'),
    'Dir::State::status': status,
    'Dir::Cache': join(work, 'cache'),
    // As root, apt-get would download as the user _apt, which cannot write to this folder.
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
    'Debug::NoLocking': '1',
    ...more,
  };
  return ['-qq', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

/** @throws an Error with the last line that the program wrote to stderr */
export async function runTool(
  command: string,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    const { stdout } = await run(command, args, { cwd, signal, killSignal: 'SIGKILL', maxBuffer: 1 << 24, env: { ...env, LC_ALL: 'C' } });
    return stdout;
  } catch (error) {
    if (signal.aborted) throw new Error(`${command} did not end in time`, { cause: error });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`there is no ${command} (this is not Debian or Ubuntu)`, { cause: error });
    const said = ((error as { stderr?: string }).stderr ?? '').trim();
    throw new Error(said === '' ? errorText(error) : `${command}: ${said.split('\n').at(-1)}`, { cause: error });
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
