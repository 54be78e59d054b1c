/** `perch connect CLIENT`: writes the configuration of an agent's client, after showing it. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { baseUrlDefault, settingsOf } from '../settings.js';
import { agentClients, type AgentClient, type Places, type Scope } from './agent-clients.js';
import { BadConfig, setInJson, setInJsonList, setInToml, lineDifference } from './config-text.js';

const names = Object.keys(agentClients) as (keyof typeof agentClients)[];
const hiddenKey = 'pk_...';

interface ConnectOptions {
  scope?: Scope;
  baseUrl?: string;
  apiKey?: string;
  writeKey?: boolean;
  print?: boolean;
  yes?: boolean;
  json?: boolean;
}

const more = `
It shows the file and what changes in it, and writes after a yes; everything else of the file stays. The key is read from PERCH_API_KEY by the client,
and is not written; --write-key writes it, and Claude Desktop, which can read no variable, needs that. The approval hook of plugins/perch takes another
key, with the scope approve, from PERCH_APPROVAL_KEY.

Examples:
  $ perch connect claude-code
  $ perch connect vscode --scope project --yes
  $ perch connect codex --print`;

export function connectCommand(session: Session): Command {
  return new Command('connect')
    .description('Connects an agent: writes the configuration of its client, after showing it.')
    .addArgument(new Argument('<client>').choices(names))
    .addOption(new Option('--scope <scope>', 'for all your projects, or for the one in this folder (default: user)').choices(['user', 'project']))
    .option('--base-url <url>', `URL of the service (default: PERCH_BASE_URL, or ${baseUrlDefault})`)
    .option('--api-key <key>', 'the key that --write-key writes (default: PERCH_API_KEY)')
    .option('--write-key', 'writes the key into the file, in place of a reference to PERCH_API_KEY')
    .option('--print', 'prints the entry, and writes nothing')
    .option('--yes', 'writes without asking')
    .option('--json', 'prints {"ok", "file", "changed"}')
    .addHelpText('after', more)
    .action(async (name: keyof typeof agentClients, options: ConnectOptions) => connect(session, agentClients[name], options));
}

async function connect(session: Session, client: AgentClient, options: ConnectOptions): Promise<void> {
  const scope = options.scope ?? client.scopes[0]!;
  if (!client.scopes.includes(scope)) throw new Refused(`${client.title} has no configuration of a project; leave --scope out`, 'usage');
  const writesKey = options.writeKey === true || !client.keyless;
  const { url, apiKey } = await serverOf(session, options, writesKey && options.print !== true);
  const shownKey = writesKey ? hiddenKey : null;
  if (options.print === true) {
    const entry = textWith(client, '', { url, apiKey: shownKey });
    return session.print(options.json, { ok: true, file: client.file(scope, placesOf(session)), entry }, () => entry.trimEnd());
  }
  const file = client.file(scope, placesOf(session));
  const before = await textOf(file);
  const server = { url, apiKey: writesKey ? apiKey : null };
  const after = changed(file, () => textWith(client, before ?? '', server));
  const result = { ok: true, file, changed: after !== before };
  if (after === before) return session.print(options.json, result, (answer) => `${client.title} is connected already: ${answer.file}`);
  const lines = lineDifference(before ?? '', after).map((line) => (apiKey === null ? line : line.replaceAll(apiKey, hiddenKey)));
  const warning = !writesKey
    ? []
    : [`The API key itself is written to this file${scope === 'project' ? ', which is in the project: do not commit it' : ''}.`];
  if (options.json !== true || options.yes !== true)
    session.showLines([`${client.title} (${scope}), ${before === null ? 'new file' : 'file'} ${file}:`, ...lines, ...warning].join('\n'));
  if (options.yes !== true && !(await session.confirm('Write it? [y/N] '))) throw new Refused('nothing was written; --yes writes without asking');
  await writeWhole(file, after, writesKey);
  session.print(options.json, result, (answer) => `written: ${answer.file}\n${client.next}`);
}

/** @throws {Refused} if the file needs the key, and no key is configured */
async function serverOf(session: Session, options: ConnectOptions, needsKey: boolean): Promise<{ url: string; apiKey: string | null }> {
  const given = { base_url: options.baseUrl, api_key: options.apiKey };
  // Without a key the settings are refused, but the base URL is known.
  const settings = await settingsOf(needsKey ? given : { ...given, api_key: hiddenKey }, session.environment);
  if (!URL.canParse(settings.baseUrl) || !/^https?:$/.test(new URL(settings.baseUrl).protocol))
    throw new Refused(`--base-url: ${settings.baseUrl} is not an http or https URL`, 'usage');
  return { url: `${settings.baseUrl.replace(/\/+$/, '')}/mcp`, apiKey: needsKey ? settings.apiKey : null };
}

function placesOf({ environment, folder }: Session): Places {
  const { HOME: home = '' } = environment;
  return { home: isAbsolute(home) ? home : homedir(), project: folder, environment, platform: process.platform };
}

function textWith(client: AgentClient, text: string, server: { url: string; apiKey: string | null }): string {
  const entry = client.entry(server);
  if (client.form === 'toml') return setInToml(text, [client.at[0]!, client.at[1]!], entry);
  const { inputs } = client;
  const withInputs = inputs === undefined || server.apiKey !== null ? text : setInJsonList(text, inputs.at, inputs.id, inputs.value);
  return setInJson(withInputs, client.at, entry);
}

function changed(file: string, change: () => string): string {
  try {
    return change();
  } catch (error) {
    throw error instanceof BadConfig ? new Refused(`${file} is not changed: ${error.message}`) : error;
  }
}

/** @returns null if there is no file @throws {Refused} it cannot be read */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new Refused(`${file} cannot be read (${code}); nothing was written`);
  }
}

/** Replaces the file at once, and keeps its mode; the target of a link is replaced, not the link. @param isSecret a new file is for its owner alone */
async function writeWhole(file: string, text: string, isSecret: boolean): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => (isSecret ? 0o600 : 0o644),
  );
  const whole = `${target}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(whole, text, { mode: 0o600 });
    await chmod(whole, mode);
    await rename(whole, target);
  } catch (error) {
    await rm(whole, { force: true });
    throw new Refused(`${file} cannot be written: ${(error as Error).message}`);
  }
}
