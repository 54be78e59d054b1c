/** LangChain's adapters. Their tools are called as an agent calls them. */
export const about = {
  name: 'LangChain MCP adapters',
  versions: [{ '@langchain/mcp-adapters': '1.1.4', '@langchain/core': '1.4.0', '@langchain/google-genai': '2.3.2', '@langchain/openai': '1.6.0' }],
  converts: { 'LangChain, Google': 'gemini', 'LangChain, OpenAI': 'openai' },
};

export async function connect({ url, key, oauth }) {
  const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
  const { auth } = await import('@modelcontextprotocol/sdk/client/auth.js');
  const connected = async () => {
    const access = oauth === null ? { headers: { Authorization: `Bearer ${key}` } } : { authProvider: oauth.provider };
    const client = new MultiServerMCPClient({ mcpServers: { perch: { transport: 'http', url, ...access } } });
    return { client, tools: await client.getTools() };
  };
  const finish = (back) => auth(oauth.provider, { serverUrl: url, authorizationCode: back.get('code') });
  const { client, tools } = oauth === null ? await connected() : await oauth.connected(connected, finish);
  return {
    list: async () => tools.map(({ name, schema }) => ({ name, inputSchema: schema })),
    call: (name, args, signal) => tools.find((tool) => tool.name === name).invoke(args, { signal }),
    close: () => client.close(),
  };
}

export async function convert({ what, url, key, provider }) {
  const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
  const { ChatGoogleGenerativeAI } = await import('@langchain/google-genai');
  const { ChatOpenAI } = await import('@langchain/openai');
  const client = new MultiServerMCPClient({ mcpServers: { perch: { transport: 'http', url, headers: { Authorization: `Bearer ${key}` } } } });
  const model =
    what === 'LangChain, Google'
      ? new ChatGoogleGenerativeAI({ model: 'gemini-2.5-flash', apiKey: 'none', baseUrl: provider, maxRetries: 0 })
      : new ChatOpenAI({ model: 'gpt-5', apiKey: 'none', configuration: { baseURL: provider }, maxRetries: 0 });
  await model.bindTools(await client.getTools()).invoke('Hi');
}
