/** The clients that `perch connect` configures: where each keeps its servers, and in which form. */
import { join } from 'node:path';

export type Scope = 'user' | 'project';

export interface Server {
  /** URL of /mcp. */
  url: string;
  /** Null: the client reads the key from `PERCH_API_KEY`, or asks for it. */
  apiKey: string | null;
}

export interface Places {
  home: string;
  project: string;
  environment: Record<string, string | undefined>;
  platform: NodeJS.Platform;
}

export interface AgentClient {
  title: string;
  form: 'json' | 'toml';
  /** Scopes of the client; the first one is the default. */
  scopes: readonly Scope[];
  file(scope: Scope, places: Places): string;
  /** Path of the entry in the file. */
  at: readonly string[];
  /** The client reads the key from the environment, or asks for it: its file contains no key. */
  keyless: boolean;
  entry(server: Server): Record<string, unknown>;
  /** Further values of the file, at their paths, with an identity by which an existing one is found in a list. */
  inputs?: { at: readonly string[]; id: string; value: Record<string, unknown> };
  /** Next step of the user, a sentence. */
  next: string;
}

const variable = 'PERCH_API_KEY';

function withHeader(server: Server, reference: string): { Authorization: string } {
  return { Authorization: `Bearer ${server.apiKey ?? reference}` };
}

export const agentClients = {
  'claude-code': {
    title: 'Claude Code',
    form: 'json',
    scopes: ['user', 'project'],
    file: (scope, { home, project }) => (scope === 'user' ? join(home, '.claude.json') : join(project, '.mcp.json')),
    at: ['mcpServers', 'perch'],
    keyless: true,
    entry: (server) => ({ type: 'http', url: server.url, headers: withHeader(server, `\${${variable}}`) }),
    next: `Start Claude Code with ${variable} in its environment; /mcp lists the server.`,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    form: 'json',
    scopes: ['user'],
    file: (_scope, places) => join(claudeDesktopFolder(places), 'claude_desktop_config.json'),
    at: ['mcpServers', 'perch'],
    keyless: false,
    // It starts programs only: mcp-remote passes on what it sends. A header with a blank in an argument is split on Windows.
    entry: (server) => ({
      command: 'npx',
      args: ['-y', 'mcp-remote', server.url, '--header', 'Authorization:${PERCH_AUTHORIZATION}'],
      env: { PERCH_AUTHORIZATION: `Bearer ${server.apiKey ?? ''}` },
    }),
    next: 'Restart Claude Desktop.',
  },
  codex: {
    title: 'Codex',
    form: 'toml',
    scopes: ['user', 'project'],
    file: (scope, { home, project, environment }) =>
      join(scope === 'project' ? join(project, '.codex') : environment['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
    at: ['mcp_servers', 'perch'],
    keyless: true,
    entry: ({ url, apiKey }) =>
      apiKey === null ? { url, bearer_token_env_var: variable } : { url, http_headers: { Authorization: `Bearer ${apiKey}` } },
    next: `Start Codex with ${variable} in its environment; /mcp lists the server.`,
  },
  cursor: {
    title: 'Cursor',
    form: 'json',
    scopes: ['user', 'project'],
    file: (scope, { home, project }) => join(scope === 'user' ? home : project, '.cursor', 'mcp.json'),
    at: ['mcpServers', 'perch'],
    keyless: true,
    entry: (server) => ({ url: server.url, headers: withHeader(server, `\${env:${variable}}`) }),
    next: `Start Cursor with ${variable} in its environment; Settings, MCP lists the server.`,
  },
  vscode: {
    title: 'VS Code',
    form: 'json',
    scopes: ['user', 'project'],
    file: (scope, places) => (scope === 'user' ? join(vscodeFolder(places), 'mcp.json') : join(places.project, '.vscode', 'mcp.json')),
    at: ['servers', 'perch'],
    keyless: true,
    entry: (server) => ({ type: 'http', url: server.url, headers: withHeader(server, '${input:perch-api-key}') }),
    inputs: {
      at: ['inputs'],
      id: 'perch-api-key',
      value: { type: 'promptString', id: 'perch-api-key', description: 'API key of Perch', password: true },
    },
    next: 'VS Code asks for the key when the server is first started, and keeps it in its secret storage.',
  },
  gemini: {
    title: 'Gemini CLI',
    form: 'json',
    scopes: ['user', 'project'],
    file: (scope, { home, project }) => join(scope === 'user' ? home : project, '.gemini', 'settings.json'),
    at: ['mcpServers', 'perch'],
    keyless: true,
    entry: (server) => ({ httpUrl: server.url, headers: withHeader(server, `$${variable}`) }),
    next: `Start Gemini CLI with ${variable} in its environment; /mcp lists the server.`,
  },
} as const satisfies Record<string, AgentClient>;

function claudeDesktopFolder({ home, environment, platform }: Places): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Claude');
  if (platform === 'win32') return join(environment['APPDATA'] || join(home, 'AppData', 'Roaming'), 'Claude');
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'Claude');
}

function vscodeFolder({ home, environment, platform }: Places): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Code', 'User');
  if (platform === 'win32') return join(environment['APPDATA'] || join(home, 'AppData', 'Roaming'), 'Code', 'User');
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'Code', 'User');
}
