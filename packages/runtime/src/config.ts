/** Settings of a service: its table is compared with those of docs/operate. `NAME_FILE` may name a file with a `secret` one, as Docker mounts them. */
import { readFileSync, statSync } from 'node:fs';

interface SettingBase {
  env: `PERCH_${string}`;
  description: string;
  unit?: string;
  /** The value must not be shown to others; `NAME_FILE` may name a file that contains it. */
  secret?: true;
}

/** Without `default` the variable is required. `default: null`: the variable is optional; if unset, the value is null. */
export interface StringSetting extends SettingBase {
  type: 'string';
  default?: string | null;
  /** Default: 1,000. */
  max?: number;
}
export interface IntSetting extends SettingBase {
  type: 'int';
  default?: number | null;
  min: number;
  max: number;
}
export interface NumberSetting extends SettingBase {
  type: 'number';
  default?: number | null;
  min: number;
  max: number;
}
export interface UrlSetting extends SettingBase {
  type: 'url';
  default?: string | null;
  /** Without colon: `redis`, `https`. The host part may be a list separated by commas (`redis-cluster://h:p,h:p`). */
  schemes: readonly string[];
  /** Scheme of a value that has none, such as `broker.local:1883`. If unset, such a value is refused. */
  defaultScheme?: string;
  /** Returns another problem of a URL that has one of the schemes, or null. The text must not contain the URL. */
  check?: (url: string) => string | null;
}
export interface ChoiceSetting extends SettingBase {
  type: 'choice';
  default?: string | null;
  choices: readonly string[];
}
export interface BoolSetting extends SettingBase {
  type: 'bool';
  default?: boolean | null;
}
/** The path of a file, which is read at start; the value is the content of the file. */
export interface FileSetting extends SettingBase {
  type: 'file';
  default: null;
}

export type Setting = StringSetting | IntSetting | NumberSetting | UrlSetting | ChoiceSetting | BoolSetting | FileSetting;
export type Settings = Record<string, Setting>;

type TypedValue<S extends Setting> = S extends { type: 'int' | 'number' }
  ? number
  : S extends { type: 'bool' }
    ? boolean
    : S extends { type: 'choice'; choices: readonly (infer C)[] }
      ? C
      : string;
type ValueOf<S extends Setting> = TypedValue<S> | (S extends { default: null } ? null : never);

export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** All problems of the environment. Never contains the value of a string or a URL, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings in the environment:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Address, key and robot of the command line, examples and docs: `npm start` prints them for a shell. */
const clientVariables: ReadonlySet<string> = new Set(['PERCH_BASE_URL', 'PERCH_API_KEY', 'PERCH_ROBOT']);

const renamedSettings: Readonly<Record<string, string>> = { PERCH_LINK_PROXIES: 'PERCH_TRUST_PROXY' };

export function defineSettings<const S extends Settings>(settings: S): S {
  return settings;
}

/**
 * Reads the settings from an environment. An empty value counts as unset.
 * Unknown `PERCH_*` variables are refused, because a misspelt one would silently have no effect. Ignored are `PERCH_TEST_*`, which belong to tests, and
 * the variables of clients, which people set in the shell from which they start a service.
 * @param options.others `pass`: accept unknown `PERCH_*` variables, for programs that read only some of the settings
 * @throws {ConfigError} with the problems of all variables
 */
export function loadConfig<const S extends Settings>(
  settings: S,
  env: Record<string, string | undefined>,
  options: { others?: 'refuse' | 'pass' } = {},
): ConfigOf<S> {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};

  for (const [name, setting] of Object.entries(settings)) {
    const given = textOf(setting, env);
    if ('problem' in given) {
      problems.push(`${given.from}: ${given.problem}`);
    } else if (given.text !== '') {
      const read = readValue(setting, given.text);
      if ('problem' in read) problems.push(`${given.from}: ${read.problem}`);
      else config[name] = read.value;
    } else if (setting.default === undefined) {
      problems.push(`${setting.env}: not set, and it has no default. ${descriptionOf(setting)}`);
    } else {
      config[name] = setting.default;
    }
  }
  if (options.others !== 'pass') problems.push(...unknownVariables(settings, env));

  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config) as ConfigOf<S>;
}

function textOf(setting: Setting, env: Record<string, string | undefined>): { from: string; text: string } | { from: string; problem: string } {
  const text = env[setting.env]?.trim() ?? '';
  const fileVariable = fileVariableOf(setting);
  const file = fileVariable === null ? '' : (env[fileVariable]?.trim() ?? '');
  if (fileVariable === null || file === '') return { from: setting.env, text };
  if (text !== '') return { from: setting.env, problem: `set together with ${fileVariable}; set one of them` };
  return { from: fileVariable, ...contentOfFile(file) };
}

function fileVariableOf(setting: Setting): string | null {
  return setting.secret === true ? `${setting.env}_FILE` : null;
}

function unknownVariables(settings: Settings, env: Record<string, string | undefined>): string[] {
  const known = new Set(Object.values(settings).flatMap((setting) => [setting.env, fileVariableOf(setting) ?? setting.env]));
  return Object.keys(env)
    .sort()
    .filter((name) => name.startsWith('PERCH_') && !name.startsWith('PERCH_TEST_') && !clientVariables.has(name) && !known.has(name))
    .map((name) => {
      const renamed = renamedSettings[name];
      if (renamed !== undefined) return `${name}: renamed to ${renamed}, the one setting of all services for this. Set ${renamed} instead.`;
      return `${name}: not a setting of this service. Its settings are ${[...known].sort().join(', ')}`;
    });
}

export interface SettingRow {
  env: string;
  type: string;
  /** As written in the environment; `required` for a required setting, `-` for an optional one without a default. */
  default: string;
  /** `1..65535`, the choices, or the schemes; empty if all values are allowed. */
  values: string;
  unit: string;
  description: string;
}

export function settingRows(settings: Settings): SettingRow[] {
  return Object.values(settings).map((setting) => ({
    env: setting.env,
    type: setting.type,
    default: setting.default === undefined ? 'required' : setting.default === null ? '-' : String(setting.default),
    values: allowedValues(setting),
    unit: setting.unit ?? '',
    description: descriptionOf(setting),
  }));
}

function descriptionOf(setting: Setting): string {
  const fileVariable = fileVariableOf(setting);
  return fileVariable === null ? setting.description : `${setting.description} ${fileVariable} can name a file that contains it instead.`;
}

function allowedValues(setting: Setting): string {
  switch (setting.type) {
    case 'int':
    case 'number':
      return `${setting.min}..${setting.max}`;
    case 'choice':
      return setting.choices.join(', ');
    case 'url':
      return setting.schemes.map((scheme) => `${scheme}://`).join(', ');
    case 'bool':
      return 'true, false';
    case 'string':
    case 'file':
      return '';
  }
}

type Read = { value: string | number | boolean } | { problem: string };

function readValue(setting: Setting, text: string): Read {
  switch (setting.type) {
    case 'int':
      return readInt(setting, text);
    case 'number': {
      const value = Number(text);
      if (!/^\d{1,15}(\.\d{1,15})?$/.test(text) || value < setting.min || value > setting.max)
        return { problem: `must be a number from ${setting.min} to ${setting.max}, such as ${setting.default ?? setting.min}` };
      return { value };
    }
    case 'bool':
      if (text === 'true' || text === '1') return { value: true };
      if (text === 'false' || text === '0') return { value: false };
      return { problem: 'must be true or false' };
    case 'choice':
      if (setting.choices.includes(text)) return { value: text };
      return { problem: `must be one of ${setting.choices.join(', ')}` };
    case 'url':
      return readUrl(setting, text);
    case 'file': {
      const content = contentOfFile(text);
      return 'problem' in content ? content : { value: content.text };
    }
    case 'string':
      if (text.length > (setting.max ?? 1000)) return { problem: `must be at most ${setting.max ?? 1000} characters` };
      return { value: text };
  }
}

function readInt(setting: IntSetting, text: string): Read {
  const range = `a whole number from ${setting.min} to ${setting.max}${setting.unit === undefined ? '' : ` ${setting.unit}`}`;
  // Kubernetes sets PERCH_GATEWAY_PORT=tcp://10.0.0.7:8080 for a service named perch-gateway.
  if (text.startsWith('tcp://')) return { problem: `must be ${range}; this one is a Kubernetes service link (set enableServiceLinks: false)` };
  const value = Number(text);
  if (!/^-?\d{1,15}$/.test(text) || value < setting.min || value > setting.max) return { problem: `must be ${range}` };
  return { value };
}

/** For passwords that were put into a URL as they are. */
export const percentEncoding = 'a user or password in it must be percent-encoded: / is %2F, ? %3F, # %23, @ %40, : %3A, and % itself %25';

function readUrl(setting: UrlSetting, given: string): Read {
  const text = setting.defaultScheme === undefined || given.includes('://') ? given : `${setting.defaultScheme}://${given}`;
  const problem = { problem: `must be a URL that begins with ${setting.schemes.map((scheme) => `${scheme}://`).join(' or ')}` };
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)([/?#].*)?$/i.exec(text);
  if (parts === null) return problem;
  const [, scheme = '', hosts = '', rest = ''] = parts;
  if (!setting.schemes.includes(scheme.toLowerCase())) return problem;
  // A WHATWG URL has one host, so each host of a list is checked separately.
  if (!hosts.split(',').every((host) => URL.canParse(`${scheme}://${host}${rest}`))) return { problem: `is no URL; ${percentEncoding}` };
  const wrong = setting.check?.(text) ?? null;
  return wrong === null ? { value: text } : { problem: wrong };
}

const bytesMax = 1 << 20;

/** Returns the content of a file without its final newline, or the problem, which contains none of the content. */
function contentOfFile(path: string): { text: string } | { problem: string } {
  try {
    const stat = statSync(path);
    // Reading a pipe or a device may never end.
    if (!stat.isFile()) return { problem: 'does not name a regular file' };
    if (stat.size > bytesMax) return { problem: 'the file is larger than 1 MB' };
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text.trim() === '' ? { problem: 'the file is empty' } : { text };
  } catch (error) {
    return { problem: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` };
  }
}
