/** Mastra. Its own provider of OAuth registers no client, so that it is given the one of the official SDK, as its type allows. */
export const about = {
  name: 'Mastra MCP',
  node: '24',
  versions: [{ '@mastra/mcp': '2.0.0', '@mastra/core': '1.71.0', zod: '4.6.7', '@ai-sdk/google': '4.0.121', '@ai-sdk/openai': '4.0.118' }],
  converts: { 'Mastra, Google': 'gemini', 'Mastra, OpenAI': 'openai' },
};

export async function connect({ url, key, oauth }) {
  const { MCPClient } = await import('@mastra/mcp');
  const { auth } = await import('@modelcontextprotocol/client');
  const connected = async () => {
    const access = oauth === null ? { requestInit: { headers: { authorization: `Bearer ${key}` } } } : { authProvider: oauth.provider };
    const client = new MCPClient({ id: `bench-${Math.random()}`, servers: { perch: { url: new URL(url), ...access } } });
    const { toolsets, errors } = await client.listToolsetsWithErrors();
    const failure = Object.values(errors ?? {})[0];
    if (failure !== undefined) throw new Error(JSON.stringify(failure));
    return { client, tools: toolsets.perch };
  };
  const finish = (back) => auth(oauth.provider, { serverUrl: url, authorizationCode: back.get('code'), iss: back.get('iss') ?? undefined });
  const { client, tools } = oauth === null ? await connected() : await oauth.connected(connected, finish);
  return {
    list: async () => Object.keys(tools).map((name) => ({ name })),
    call: (name, args, abortSignal) => tools[name].execute(args, { abortSignal }),
    close: () => client.disconnect(),
  };
}

export async function convert({ what, url, key, provider }) {
  const { MCPClient } = await import('@mastra/mcp');
  const { Agent } = await import('@mastra/core/agent');
  const { createGoogle } = await import('@ai-sdk/google');
  const { createOpenAI } = await import('@ai-sdk/openai');
  const client = new MCPClient({ servers: { perch: { url: new URL(url), requestInit: { headers: { authorization: `Bearer ${key}` } } } } });
  const access = { apiKey: 'none', baseURL: provider };
  const model = what === 'Mastra, Google' ? createGoogle(access)('gemini-2.5-flash') : createOpenAI(access)('gpt-5');
  const agent = new Agent({ id: 'bench', name: 'Bench', instructions: 'Bench', model, tools: await client.listTools(), maxRetries: 0 });
  await agent.generate('Hi');
}
