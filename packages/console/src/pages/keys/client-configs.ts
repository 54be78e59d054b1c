/** Configurations ready to paste: the URL of /mcp with the key in a header. Files that are committed with a project do not contain the key. */

export interface ClientConfig {
  id: string;
  name: string;
  where: string;
  text: string;
  /** Address that opens the program and adds the configuration there. */
  install?: string;
}

/** @param baseUrl without a trailing slash */
export function clientConfigs(baseUrl: string, apiKey: string): ClientConfig[] {
  const url = `${baseUrl}/mcp`;
  const headers = { Authorization: `Bearer ${apiKey}` };
  const vscode = {
    inputs: [{ type: 'promptString', id: 'perch-key', description: 'Perch API key', password: true }],
    server: { type: 'http', url, headers: { Authorization: 'Bearer ${input:perch-key}' } },
  };
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      where: 'Run in a terminal.',
      text: `claude mcp add --transport http perch ${url} --header "Authorization: Bearer ${apiKey}"`,
    },
    {
      id: 'claude-desktop',
      name: 'Claude Desktop',
      where: 'Add to claude_desktop_config.json (Settings, Developer, Edit config). Requires Node.',
      text: json({
        mcpServers: {
          perch: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, ...(url.startsWith('http:') ? ['--allow-http'] : []), '--header', 'Authorization:${PERCH_AUTH}'],
            env: { PERCH_AUTH: headers.Authorization },
          },
        },
      }),
    },
    {
      id: 'cursor',
      name: 'Cursor',
      where: 'Add to ~/.cursor/mcp.json, or install it with the button below.',
      text: json({ mcpServers: { perch: { url, headers } } }),
      install: `cursor://anysphere.cursor-deeplink/mcp/install?name=perch&config=${encodeURIComponent(base64(JSON.stringify({ url, headers })))}`,
    },
    {
      id: 'vscode',
      name: 'VS Code',
      where: 'Add to .vscode/mcp.json. You can commit it: it does not contain the key. VS Code asks for the key once and stores it.',
      text: json({ inputs: vscode.inputs, servers: { perch: vscode.server } }),
      install: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'perch', inputs: vscode.inputs, ...vscode.server }))}`,
    },
    {
      id: 'codex',
      name: 'Codex',
      where: 'Add to ~/.codex/config.toml.',
      text: `[mcp_servers.perch]\nurl = ${JSON.stringify(url)}\nhttp_headers = { Authorization = ${JSON.stringify(headers.Authorization)} }`,
    },
    { id: 'gemini', name: 'Gemini CLI', where: 'Add to ~/.gemini/settings.json.', text: json({ mcpServers: { perch: { httpUrl: url, headers } } }) },
    {
      id: 'other',
      name: 'Others',
      where: 'The format that most clients accept.',
      text: json({ mcpServers: { perch: { type: 'http', url, headers } } }),
    },
  ];
}

/** Variables of the approval hook (plugins/perch). A key for approvals is in no configuration of a client, whose tools its agent uses. */
export function hookConfig(baseUrl: string, apiKey: string, robot: string | undefined): ClientConfig {
  return {
    id: 'hook',
    name: 'Approval hook',
    where:
      "Run in the terminal in which you start the agent, with the id of the robot at which you sit. The agent's commands can read the key there; it lets them ask, not answer. Give the agent's tools another key.",
    text: `export PERCH_BASE_URL=${baseUrl} PERCH_APPROVAL_KEY=${apiKey} PERCH_ROBOT=${robot ?? 'r-...'}`,
  };
}

/** Sets the variables that clients, docs and examples use. */
export function shellLines(baseUrl: string, apiKey: string, robot: string | undefined): string {
  const robotLine = robot === undefined ? '' : ` PERCH_ROBOT=${robot}`;
  return `export PERCH_BASE_URL=${baseUrl} PERCH_API_KEY=${apiKey}${robotLine}\ncurl -s $PERCH_BASE_URL/v1/robots -H "Authorization: Bearer $PERCH_API_KEY"`;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
