/**
 * Settings of a service: one table says every environment variable with its type, default, unit, bounds and description.
 * The table is the only source: `loadConfig` reads the environment by it and the table of docs/operate.md is tested against `settingRows`.
 */

interface SettingBase {
  env: `PERCH_${string}`;
  /** One sentence for the person who runs the service. */
  description: string;
  /** Of a number: `ms`, `bytes`, ... */
  unit?: string;
}

/** `default` absent: the variable is required. `default: null`: it may be left out and is then null. */
export interface StringSetting extends SettingBase {
  type: 'string';
  default?: string | null;
  /** Most characters; 1,000 unless said. */
  max?: number;
}
export interface IntSetting extends SettingBase {
  type: 'int';
  default?: number | null;
  min: number;
  max: number;
}
export interface UrlSetting extends SettingBase {
  type: 'url';
  default?: string | null;
  /** Without colon: `redis`, `https`. Hosts may be a list separated by commas (`redis-cluster://h:p,h:p`). */
  schemes: readonly string[];
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

export type Setting = StringSetting | IntSetting | UrlSetting | ChoiceSetting | BoolSetting;
export type Settings = Record<string, Setting>;

type TypedValue<S extends Setting> = S extends { type: 'int' }
  ? number
  : S extends { type: 'bool' }
    ? boolean
    : S extends { type: 'choice'; choices: readonly (infer C)[] }
      ? C
      : string;
type ValueOf<S extends Setting> = TypedValue<S> | (S extends { default: null } ? null : never);

/** The values of a table of settings, by the table's own names. */
export type ConfigOf<S extends Settings> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** Everything that is wrong with the environment; never holds the value of a string or a URL, which may be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The environment does not fit this service:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Former names of settings, refused with the name that replaced them. */
const renamedSettings: Readonly<Record<string, string>> = { PERCH_LINK_PROXIES: 'PERCH_TRUST_PROXY' };

/** Types a table of settings literally, so that `ConfigOf` knows choices and what may be null. */
export function defineSettings<const S extends Settings>(settings: S): S {
  return settings;
}

/**
 * Reads the settings from an environment. An empty value counts as not set.
 * `PERCH_*` variables the table does not know are refused, since a misspelt one would silently do nothing; `PERCH_TEST_*` belong to tests and pass.
 * @throws {ConfigError} naming every wrong variable at once
 */
export function loadConfig<const S extends Settings>(settings: S, env: Record<string, string | undefined>): ConfigOf<S> {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  const known = new Set<string>();

  for (const [name, setting] of Object.entries(settings)) {
    known.add(setting.env);
    const text = env[setting.env]?.trim() ?? '';
    if (text !== '') {
      const read = readValue(setting, text);
      if ('problem' in read) problems.push(`${setting.env}: ${read.problem}`);
      else config[name] = read.value;
    } else if (setting.default === undefined) {
      problems.push(`${setting.env}: not set, and it has no default. ${setting.description}`);
    } else {
      config[name] = setting.default;
    }
  }

  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith('PERCH_') || name.startsWith('PERCH_TEST_') || known.has(name)) continue;
    const renamed = renamedSettings[name];
    if (renamed !== undefined) {
      problems.push(`${name}: renamed to ${renamed}, the one setting of all services for this. Set ${renamed} instead.`);
      continue;
    }
    problems.push(`${name}: not a setting of this service. It knows ${[...known].sort().join(', ')}`);
  }

  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config) as ConfigOf<S>;
}

/**
 * `loadConfig` for a main: what is wrong goes to stderr as sentences without a stack, and the process ends with 1.
 * @param together what is wrong between settings that are right each by itself, a sentence each
 */
export function configOrExit<const S extends Settings>(
  settings: S,
  env: Record<string, string | undefined>,
  together: (config: ConfigOf<S>) => string[] = () => [],
): ConfigOf<S> {
  try {
    const config = loadConfig(settings, env);
    const problems = together(config);
    if (problems.length > 0) throw new ConfigError(problems);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

export interface SettingRow {
  env: string;
  type: string;
  /** As one would write it in the environment; `required` or `-` where there is none. */
  default: string;
  /** `1..65535`, the choices, or the schemes; empty where anything goes. */
  values: string;
  unit: string;
  description: string;
}

/** A table of settings as rows of text, for docs/operate.md and its test. */
export function settingRows(settings: Settings): SettingRow[] {
  return Object.values(settings).map((setting) => ({
    env: setting.env,
    type: setting.type,
    default: setting.default === undefined ? 'required' : setting.default === null ? '-' : String(setting.default),
    values: allowedValues(setting),
    unit: setting.unit ?? '',
    description: setting.description,
  }));
}

function allowedValues(setting: Setting): string {
  switch (setting.type) {
    case 'int':
      return `${setting.min}..${setting.max}`;
    case 'choice':
      return setting.choices.join(', ');
    case 'url':
      return setting.schemes.map((scheme) => `${scheme}://`).join(', ');
    case 'bool':
      return 'true, false';
    case 'string':
      return '';
  }
}

type Read = { value: string | number | boolean } | { problem: string };

function readValue(setting: Setting, text: string): Read {
  switch (setting.type) {
    case 'int':
      return readInt(setting, text);
    case 'bool':
      if (text === 'true' || text === '1') return { value: true };
      if (text === 'false' || text === '0') return { value: false };
      return { problem: 'must be true or false' };
    case 'choice':
      if (setting.choices.includes(text)) return { value: text };
      return { problem: `must be one of ${setting.choices.join(', ')}` };
    case 'url':
      return readUrl(setting, text);
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

function readUrl(setting: UrlSetting, text: string): Read {
  const problem = { problem: `must be a URL that begins with ${setting.schemes.map((scheme) => `${scheme}://`).join(' or ')}` };
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)([/?#].*)?$/i.exec(text);
  if (parts === null) return problem;
  const [, scheme = '', hosts = '', rest = ''] = parts;
  if (!setting.schemes.includes(scheme.toLowerCase())) return problem;
  // WHATWG URLs know one host, so that each of a cluster's list is checked alone.
  if (!hosts.split(',').every((host) => URL.canParse(`${scheme}://${host}${rest}`))) return problem;
  return { value: text };
}
