/** Settings from flags, the environment or the configuration file, in this order. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ConfigError, defineSettings, loadConfig } from '@perch/runtime/settings';
import { Refused } from './refused.js';

export interface Settings {
  baseUrl: string;
  apiKey: string;
  /** If unset: the key's only robot. */
  robot?: string | undefined;
  /** Address and key as the user named them: `--base-url`, `PERCH_BASE_URL`, or `base_url` with its file. */
  named: { baseUrl: string; apiKey: string };
}

/** In the configuration file. Flags are `--base-url` and so on, variables `PERCH_BASE_URL` and so on. */
const names = ['base_url', 'api_key', 'robot'] as const;
type Given = Partial<Record<(typeof names)[number], string | undefined>>;

const keySettings = defineSettings({
  apiKey: { env: 'PERCH_API_KEY', type: 'string', secret: true, default: null, description: 'API key for the robots.' },
});

/** Reads PERCH_API_KEY, or the file named by PERCH_API_KEY_FILE. @throws {Refused} if they are invalid */
function apiKeyOf(environment: Record<string, string | undefined>): string | undefined {
  try {
    return loadConfig(keySettings, environment, { others: 'pass' }).apiKey ?? undefined;
  } catch (error) {
    throw error instanceof ConfigError ? new Refused(error.problems.join('; '), 'usage') : error;
  }
}

export const baseUrlDefault = 'http://127.0.0.1:8080';

/** @returns `$XDG_CONFIG_HOME/perch/config.json`, or below `~/.config`; never relative to the working directory */
export function configFile(environment: Record<string, string | undefined>): string {
  const { XDG_CONFIG_HOME: folder = '', HOME: home = '' } = environment;
  return join(isAbsolute(folder) ? folder : join(isAbsolute(home) ? home : homedir(), '.config'), 'perch', 'config.json');
}

/** @param flags by their names in the file @throws {Refused} the file is invalid, or there is no key */
export async function settingsOf(flags: Given, environment: Record<string, string | undefined>): Promise<Settings> {
  const file = configFile(environment);
  const kept = await readConfig(file);
  const ofEnvironment: Record<string, string | undefined> = { ...environment, PERCH_API_KEY: apiKeyOf(environment) };
  const given = (name: (typeof names)[number]): { named: string; value: string | undefined } => {
    const variable = `PERCH_${name.toUpperCase()}`;
    const places = [
      { named: `--${name.replace('_', '-')}`, value: flags[name] },
      { named: variable, value: ofEnvironment[variable] },
      { named: `"${name}" in ${file}`, value: kept[name] },
    ];
    return places.find(({ value }) => value !== undefined && value !== '') ?? { named: variable, value: undefined };
  };
  const [baseUrl, apiKey, robot] = [given('base_url'), given('api_key'), given('robot')];
  if (apiKey.value === undefined) {
    throw new Refused(
      `no API key: set PERCH_API_KEY or PERCH_API_KEY_FILE, or "api_key" in ${file}. npm start prints one, perch key add creates one.`,
      'usage',
    );
  }
  return {
    baseUrl: baseUrl.value ?? baseUrlDefault,
    apiKey: apiKey.value,
    robot: robot.value,
    named: { baseUrl: baseUrl.named, apiKey: apiKey.named },
  };
}

async function readConfig(file: string): Promise<Given> {
  let config: unknown;
  try {
    // Editors of Windows begin a file with a byte order mark.
    config = JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new Refused(`the configuration file ${file} ${code === undefined ? 'is not JSON' : `cannot be read (${code})`}`, 'usage');
  }
  const wrong = Object.entries(typeof config === 'object' && config !== null ? config : { '': null }).find(
    ([name, value]) => !(names as readonly string[]).includes(name) || typeof value !== 'string',
  );
  if (wrong === undefined) return config as Given;
  throw new Refused(
    `the configuration file ${file} must be an object of strings with the fields ${names.join(', ')}; ${JSON.stringify(wrong[0])} is unknown or not a string`,
    'usage',
  );
}
