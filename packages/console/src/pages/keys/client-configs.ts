/** What to give each common MCP client, ready to paste: the tool interface's address with the key in its header; without the key, what lies among a project's files. */

export interface ClientConfig {
  id: string;
  name: string;
  /** Where it goes, or what to do with it. */
  where: string;
  text: string;
}

/** @param baseUrl without a slash at its end */
export function clientConfigs(baseUrl: string, apiKey: string): ClientConfig[] {
  const url = `${baseUrl}/mcp`;
  const headers = { Authorization: `Bearer ${apiKey}` };
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
      where: 'Into claude_desktop_config.json (Settings, Developer, Edit config). Needs Node.',
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
    { id: 'cursor', name: 'Cursor', where: 'Into ~/.cursor/mcp.json.', text: json({ mcpServers: { perch: { url, headers } } }) },
    {
      id: 'vscode',
      name: 'VS Code',
      where: 'Into .vscode/mcp.json, which may be committed: the key is not in it. VS Code asks for the key once, and keeps it.',
      text: json({
        inputs: [{ type: 'promptString', id: 'perch-key', description: 'Key of Perch', password: true }],
        servers: { perch: { type: 'http', url, headers: { Authorization: 'Bearer ${input:perch-key}' } } },
      }),
    },
    {
      id: 'codex',
      name: 'Codex',
      where: 'Into ~/.codex/config.toml.',
      text: `[mcp_servers.perch]\nurl = ${JSON.stringify(url)}\nhttp_headers = { Authorization = ${JSON.stringify(headers.Authorization)} }`,
    },
    { id: 'gemini', name: 'Gemini CLI', where: 'Into ~/.gemini/settings.json.', text: json({ mcpServers: { perch: { httpUrl: url, headers } } }) },
    {
      id: 'other',
      name: 'Others',
      where: 'The form most clients take.',
      text: json({ mcpServers: { perch: { type: 'http', url, headers } } }),
    },
  ];
}

/** For the shell: what README's commands take. */
export function shellLines(baseUrl: string, apiKey: string, robot: string | undefined): string {
  return `BASE=${baseUrl} KEY=${apiKey}${robot === undefined ? '' : ` ROBOT=${robot}`}\ncurl -s $BASE/v1/robots -H "Authorization: Bearer $KEY"`;
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
