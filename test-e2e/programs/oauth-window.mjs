/**
 * A window of a program with the official SDK, whose windows share a login in a file. Asked for a call over IPC, it calls a tool and sends how that went.
 * Arguments: v1 or v2 (of the SDK), address of /mcp, file.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const [version, address, file] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } =
  version === 'v2'
    ? await import('@modelcontextprotocol/client')
    : {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
      };

const kept = () => JSON.parse(readFileSync(file, 'utf8'));
function keep(changes) {
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ ...kept(), ...changes }));
  renameSync(`${file}.${process.pid}`, file);
}

const authProvider = {
  redirectUrl: kept().redirectUrl,
  clientMetadata: { client_name: 'Window', redirect_uris: [kept().redirectUrl] },
  clientInformation: () => kept().client,
  saveClientInformation: (client) => keep({ client }),
  tokens: () => kept().tokens,
  saveTokens: (tokens) => keep({ tokens }),
  codeVerifier: () => '',
  saveCodeVerifier: () => {},
  redirectToAuthorization: () => {
    throw new Error('the user has to log in again');
  },
};

const client = new Client({ name: 'window', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(address), { authProvider }));
process.on('message', async ({ tool }) => {
  try {
    const { isError, content } = await client.callTool({ name: tool, arguments: {} });
    process.send({ text: isError ? content[0].text : 'ok' });
  } catch (error) {
    process.send({ text: String(error) });
  }
});
process.once('disconnect', () => process.exit());
process.send({ text: 'connected' });
