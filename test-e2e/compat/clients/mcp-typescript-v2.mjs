/** The official TypeScript client of the second version, in the newest revision that both sides know. */
export const about = {
  name: 'MCP TypeScript client',
  versions: ['2.0.0', '2.4.0'].map((version) => ({ '@modelcontextprotocol/client': version })),
};

export async function connect({ url, key, oauth }) {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const options = oauth === null ? { requestInit: { headers: { authorization: `Bearer ${key}` } } } : { authProvider: oauth.provider };
  const transport = () => new StreamableHTTPClientTransport(new URL(url), options);
  const connected = async () => {
    const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(transport());
    return client;
  };
  const client = oauth === null ? await connected() : await oauth.connected(connected, (back) => transport().finishAuth(back));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args, signal) => client.callTool({ name, arguments: args }, { signal }),
    close: () => client.close(),
  };
}
