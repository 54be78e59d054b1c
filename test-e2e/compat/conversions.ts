/** Converts the tools and the OpenAPI document, and judges the results by the rules of those who receive them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { geminiProblems, isJson, llamaGrammar, openaiProblems, type Json } from '@perch/testkit';
import type { Target } from './catalog.js';
import type { Bench } from './checks.js';
import { ClientProcess } from './client-process.js';

const toolCount = 18;

/** A provider of models that keeps what it is sent, and refuses it. */
class Provider {
  readonly bodies: Json[] = [];
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (text.startsWith('{')) this.bodies.push(JSON.parse(text) as Json);
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"code":400,"message":"kept","status":"INVALID_ARGUMENT"}}');
    });
  });

  static async open(): Promise<Provider> {
    const provider = new Provider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Entries of `tools` of one request: Gemini's declarations, or functions of OpenAI's two interfaces. */
function declared(body: Json): Json[] {
  const tools = (body['tools'] ?? []) as Json[];
  return tools.flatMap((tool): Json[] => [tool['functionDeclarations'] ?? tool['function'] ?? tool].flat() as Json[]);
}

const problemsIn = { gemini: geminiProblems, openai: openaiProblems };

/** @returns null: accepted; else the reason */
export async function converted(bench: Bench, what: string, target: Target): Promise<string | null> {
  const { system, program } = bench;
  const tenant = await system.tenant();
  const provider = await Provider.open();
  // Folder of the packages of the converter.
  const folder = await mkdtemp(join(program.cwd, 'out-'));
  const client = new ClientProcess(program, () => Promise.reject(new Error('no consent is asked for here')));
  try {
    const { tools, document } = await published(system.gateway(), tenant.key);
    const grammars = tools.map(({ name, inputSchema }) => ({ name, ...llamaGrammar(inputSchema as Json) }));
    const url = `${system.gateway()}/mcp`;
    const inputs =
      target === 'llama.cpp' ? { grammars } : target === 'TypeScript' ? { document, folder } : { url, key: tenant.key, provider: provider.url };
    await client.convert({ what, ...inputs }).catch((error: Error) => {
      // The provider refuses every request.
      if (target === 'llama.cpp' || target === 'TypeScript' || provider.bodies.length === 0) throw error;
    });
    if (target === 'llama.cpp')
      assert.deepEqual(
        grammars.flatMap(({ problems }) => problems),
        [],
      );
    if (target === 'llama.cpp' || target === 'TypeScript') return null;
    const found = declared(provider.bodies[0]!);
    assert.equal(found.length, toolCount, `${found.length} tools reach the provider`);
    const problems = found.flatMap((declaration) => problemsIn[target](declaration).map((problem) => `${String(declaration['name'])}: ${problem}`));
    return problems.length === 0 ? null : problems.slice(0, 4).join('; ');
  } catch (error) {
    return (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 500);
  } finally {
    await client.close();
    provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function published(base: string, key: string): Promise<{ tools: Json[]; document: Json }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const text = await (await fetch(`${base}/mcp`, { method: 'POST', headers, body })).text();
  const message = JSON.parse(text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!) as { result: { tools: Json[] } };
  const document: unknown = await (await fetch(`${base}/v1/openapi.json`, { headers })).json();
  assert.ok(isJson(document));
  return { tools: message.result.tools, document };
}
