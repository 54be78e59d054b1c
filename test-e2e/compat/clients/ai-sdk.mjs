/** Vercel's AI SDK. Its tools are called as a model's turn calls them. */
export const about = {
  name: 'AI SDK',
  node: '24',
  versions: [{ '@ai-sdk/mcp': '2.0.99', ai: '7.0.173', '@ai-sdk/google': '4.0.121', '@ai-sdk/openai': '4.0.118' }],
  converts: { 'AI SDK, Google': 'gemini', 'AI SDK, OpenAI': 'openai' },
};

export async function connect({ url, key, oauth }) {
  const { auth, createMCPClient } = await import('@ai-sdk/mcp');
  const connected = () =>
    createMCPClient({
      transport: { type: 'http', url, ...(oauth === null ? { headers: { authorization: `Bearer ${key}` } } : { authProvider: oauth.provider }) },
    });
  const finish = (back) =>
    auth(oauth.provider, {
      serverUrl: url,
      authorizationCode: back.get('code'),
      callbackState: back.get('state'),
      callbackIssuer: back.get('iss') ?? undefined,
    });
  const client = oauth === null ? await connected() : await oauth.connected(connected, finish);
  const tools = await client.tools();
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args, abortSignal) => tools[name].execute(args, { toolCallId: 'bench', messages: [], abortSignal }),
    close: () => client.close(),
  };
}

export async function convert({ what, url, key, provider }) {
  const { generateText } = await import('ai');
  const { createMCPClient } = await import('@ai-sdk/mcp');
  const { createGoogle } = await import('@ai-sdk/google');
  const { createOpenAI } = await import('@ai-sdk/openai');
  const client = await createMCPClient({ transport: { type: 'http', url, headers: { authorization: `Bearer ${key}` } } });
  const access = { apiKey: 'none', baseURL: provider };
  const model = what === 'AI SDK, Google' ? createGoogle(access)('gemini-2.5-flash') : createOpenAI(access)('gpt-5');
  await generateText({ model, tools: await client.tools(), prompt: 'Hi', maxRetries: 0 });
}
