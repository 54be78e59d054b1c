import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { onBrowserSystem } from './fixture/browser-suite.js';

/** An MCP client of the official SDK that lives in a page, and keeps what it knows there while the browser is at the consent. */
const program = `
  import { Client } from '@modelcontextprotocol/sdk/client/index.js';
  import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
  const kept = (name) => JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined;
  const keep = (name) => (value) => localStorage.setItem(name, JSON.stringify(value));
  const provider = {
    redirectUrl: location.origin + '/callback',
    clientMetadata: { client_name: 'Page agent', redirect_uris: [location.origin + '/callback'] },
    clientInformation: () => kept('client'), saveClientInformation: keep('client'),
    tokens: () => kept('tokens'), saveTokens: keep('tokens'),
    codeVerifier: () => kept('verifier'), saveCodeVerifier: keep('verifier'),
    redirectToAuthorization: keep('consent'),
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(window.mcpUrl), { authProvider: provider });
  const client = async () => {
    const one = new Client({ name: 'page', version: '1' });
    await one.connect(transport());
    return one;
  };
  window.agent = {
    consent: () => client().then(() => null, () => kept('consent')),
    finish: (code) => transport().finishAuth(code),
    tools: async () => (await (await client()).listTools()).tools.map(({ name }) => name),
    call: async (name, args) => (await (await client()).callTool({ name, arguments: args })).structuredContent,
  };
`;

onBrowserSystem('an MCP client in a page of another origin', ({ system, visit }) => {
  let server: Server;
  let site: string;

  before(async () => {
    const resolveDir = fileURLToPath(new URL('.', import.meta.url));
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir },
      bundle: true,
      format: 'iife',
      write: false,
      platform: 'browser',
    });
    server = createServer((request, response) => {
      const isProgram = request.url === '/agent.js';
      const page = '<!doctype html><title>Elsewhere</title>Elsewhere<script src="/agent.js"></script>';
      response.setHeader('content-type', isProgram ? 'text/javascript' : 'text/html').end(isProgram ? outputFiles[0]!.text : page);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('finds the authorization server, registers, is allowed by its user, lists the tools and calls one, without a cookie', async () => {
    const user = await visit({ elsewhere: site });
    await user.signUp();
    const { page } = user;
    const inPage = async <T>(body: string): Promise<T> => {
      await page.evaluate(`window.mcpUrl = ${JSON.stringify(`${system().gateway()}/mcp`)}`);
      return page.evaluate(`(async () => { ${body} })()`);
    };
    await page.goto(`${site}/`);
    const consent = await inPage<string>('return window.agent.consent()');
    assert.equal(new URL(consent).origin, system().gateway());

    await page.goto(consent);
    await page.getByRole('heading', { name: 'Connect Page agent?' }).waitFor();
    await page.getByText('All robots', { exact: true }).click();
    await page.getByText('Robots, their state and events').click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${site}/callback?**`);

    const code = new URL(page.url()).searchParams.get('code');
    await inPage(`await window.agent.finish(${JSON.stringify(code)})`);
    assert.ok((await inPage<string[]>('return window.agent.tools()')).includes('robot_list'));
    assert.deepEqual(await inPage("return (await window.agent.call('robot_list', {})).ok"), true);
  });
});
