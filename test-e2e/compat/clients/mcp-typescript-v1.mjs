/** The official TypeScript SDK of the first version; its oldest and middle releases are in many programs. */
export const about = {
  name: 'MCP TypeScript SDK',
  versions: ['1.10.0', '1.20.2', '1.32.2'].map((version) => ({ '@modelcontextprotocol/sdk': version })),
};

export async function connect({ url, key, oauth }) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const options = oauth === null ? { requestInit: { headers: { authorization: `Bearer ${key}` } } } : { authProvider: oauth.provider };
  const transport = () => new StreamableHTTPClientTransport(new URL(url), options);
  const connected = async () => {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(transport());
    return client;
  };
  const client = oauth === null ? await connected() : await oauth.connected(connected, (back) => transport().finishAuth(back.get('code')));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args, signal) => client.callTool({ name, arguments: args }, undefined, { signal }),
    close: () => client.close(),
  };
}
