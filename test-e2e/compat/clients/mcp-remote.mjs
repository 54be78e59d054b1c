/** mcp-remote, with which Claude Desktop and others that start programs reach a service: the client is the official SDK over its standard input and output. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

export const about = {
  name: 'mcp-remote',
  versions: [{ 'mcp-remote': '0.15.1', '@modelcontextprotocol/sdk': '1.32.2' }],
};

export async function connect({ url, key, oauth }) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const proxy = join(createRequire(import.meta.url).resolve('mcp-remote/package.json'), '../dist/proxy.js');
  const access = oauth === null ? ['--header', `Authorization: Bearer ${key}`] : [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [proxy, url, '--transport', 'http-only', ...access],
    // Without a browser; the address is printed, too.
    env: { ...process.env, BROWSER: 'true', ...(oauth !== null && { MCP_REMOTE_CONFIG_DIR: oauth.folder }) },
    stderr: 'pipe',
  });
  const lines = [];
  createInterface({ input: transport.stderr }).on('line', async (line) => {
    lines.push(line);
    const asked = /https?:\/\/\S+\/authorize\?\S+/.exec(line)?.[0];
    if (asked !== undefined && oauth !== null) await fetch(await oauth.allow(asked));
  });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  // With time for the user's consent, which hosts give it.
  await client.connect(transport, { timeout: 60_000 }).catch((error) => {
    throw new Error(`${error.message}: ${lines.slice(-5).join(' / ')}`);
  });
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args, signal) => client.callTool({ name, arguments: args }, undefined, { signal }),
    close: () => client.close(),
  };
}
