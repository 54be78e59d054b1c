/** OpenAI's Agents SDK for JavaScript. */
export const about = {
  name: 'OpenAI Agents SDK',
  versions: [{ '@openai/agents': '0.20.0', zod: '4.6.7' }],
  converts: { 'OpenAI Agents SDK, default': 'openai', 'OpenAI Agents SDK, strict': 'openai' },
};

export async function connect({ url, key, oauth }) {
  const { MCPServerStreamableHttp } = await import('@openai/agents');
  const { auth } = await import('@modelcontextprotocol/client');
  const connected = async () => {
    const access = oauth === null ? { requestInit: { headers: { authorization: `Bearer ${key}` } } } : { authProvider: oauth.provider };
    const server = new MCPServerStreamableHttp({ url, name: 'perch', ...access });
    await server.connect();
    return server;
  };
  const finish = (back) => auth(oauth.provider, { serverUrl: url, authorizationCode: back.get('code'), iss: back.get('iss') ?? undefined });
  const server = oauth === null ? await connected() : await oauth.connected(connected, finish);
  return {
    list: () => server.listTools(),
    call: (name, args, signal) => server.callToolResult(name, args, null, { signal }),
    close: () => server.close(),
  };
}

export async function convert({ what, url, key, provider }) {
  const { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } = await import('@openai/agents');
  const server = new MCPServerStreamableHttp({ url, name: 'perch', requestInit: { headers: { authorization: `Bearer ${key}` } } });
  await server.connect();
  const convertSchemasToStrict = what.endsWith('strict');
  const agent = new Agent({ name: 'Bench', model: 'gpt-5', mcpServers: [server], mcpConfig: { convertSchemasToStrict } });
  const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: 'none', baseURL: provider }), tracingDisabled: true });
  await runner.run(agent, 'Hi');
}
