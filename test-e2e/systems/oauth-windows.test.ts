/** Windows of a program that share a login, over hours: real processes of the official SDKs, which keep the login in a file. */
import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@perch/testkit';
import { OAuthAgent } from '../fixture/clients/oauth-agent.js';
import { passForTokens } from '../fixture/system/later-tokens.js';
import { useSystem } from '../fixture/system/system-under-test.js';

const program = fileURLToPath(new URL('../programs/oauth-window.mjs', import.meta.url));
const minuteMs = 60_000;

/** The one address of two gateways, in turns. Holds answers with tokens while it is told to. */
class Front {
  readonly address: string;
  /** Refreshes that were answered, passed on or not. */
  answered = 0;
  holds = false;
  readonly #server: Server;
  #turn = 0;

  private constructor(server: Server, gateways: readonly string[]) {
    this.#server = server;
    // Longer than a window is idle: Node's 5 s pass on a busy machine, and a call on a connection that ends fails.
    server.keepAliveTimeout = 60_000;
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (asked: IncomingMessage, answering: ServerResponse) => {
      const isRefresh = asked.url === '/oauth/token';
      const { method, headers } = asked;
      const sent = request(gateways[this.#turn++ % gateways.length]! + asked.url!, { method: method!, headers, agent: false }, (answer) => {
        if (isRefresh) this.answered++;
        if (isRefresh && this.holds) return;
        answering.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(answering);
      });
      asked.pipe(sent);
      sent.on('error', () => answering.destroy());
      answering.on('close', () => sent.destroy());
    });
  }

  static async open(gateways: readonly string[]): Promise<Front> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Front(server, gateways);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

class Window {
  readonly #child: ChildProcess;
  readonly #ended: Promise<{ text: string }>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit').then(() => ({ text: 'the process ended' }));
  }

  static async open(version: string, front: Front, file: string): Promise<Window> {
    // With a query of the program's own, which the service ignores.
    const window = new Window(
      fork(program, [version, `${front.address}/mcp?server_id=65aebdca`, file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
    assert.equal(await window.#said(), 'connected');
    return window;
  }

  call(): Promise<string> {
    this.#child.send({ tool: 'robot_list' });
    return this.#said();
  }

  async #said(): Promise<string> {
    const message = once(this.#child, 'message').then(([said]) => said as { text: string });
    return (await Promise.race([message, this.#ended])).text;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

for (const version of ['v1', 'v2'] as const)
  describe(`windows that share a login (client ${version} of the official SDK, 2 gateways behind one address)`, () => {
    const system = useSystem({ gateways: 2, links: 1, renderers: 0 });
    const windows: Window[] = [];
    let folder: string;
    let front: Front;
    let account: string;
    let file: string;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'perch-windows-'));
      file = join(folder, 'login.json');
      front = await Front.open([system.gateway(0), system.gateway(1)]);
      ({ account } = await system.tenant());
      const agent = await OAuthAgent.open(version, front.address);
      try {
        await agent.finish(new URL(await allowed((await agent.begin()).search.slice(1))).searchParams);
        await writeFile(file, JSON.stringify({ redirectUrl: agent.callback, client: agent.client, tokens: agent.tokens }));
      } finally {
        agent.close();
      }
    });
    afterEach(async () => {
      await Promise.all(windows.splice(0).map((window) => window.kill()));
      front.close();
      await rm(folder, { recursive: true });
    });

    /** Allows the request as the page does, at the address of the client. @returns where the browser goes */
    async function allowed(query: string): Promise<string> {
      const { secret } = await system.store.sessions.begin(account);
      const ask = async (method: string, path: string, more: RequestInit = {}): Promise<any> => {
        const headers = { cookie: `perch_session=${secret}`, ...(more.headers as Record<string, string>) };
        const response = await fetch(`${front.address}/console/${path}`, { ...more, method, headers });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        return JSON.parse(text);
      };
      const { csrf } = await ask('GET', 'session');
      const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf };
      return (await ask('POST', 'authorizations', { headers, body: JSON.stringify({ query, robots: '*', scopes: ['read'] }) })).redirect;
    }

    async function opened(): Promise<Window> {
      const window = await Window.open(version, front, file);
      windows.push(window);
      return window;
    }

    const pass = (ms: number): Promise<void> => passForTokens(system.store, account, ms);
    const both = (one: Window, other: Window): Promise<string[]> => Promise.all([one.call(), other.call()]);
    const tokens = async (): Promise<{ access_token: string; refresh_token: string }> => JSON.parse(await readFile(file, 'utf8')).tokens;

    it('every call of both windows succeeds, over three hours in which their access tokens end and both refresh at once', async () => {
      const [one, other] = [await opened(), await opened()];
      const seen = new Set<string>();
      for (let minutes = 0; minutes <= 200; minutes += 20) {
        assert.deepEqual(await both(one, other), ['ok', 'ok'], `after ${minutes} minutes`);
        seen.add((await tokens()).access_token);
        await pass(20 * minuteMs);
      }
      assert.ok(seen.size >= 3, `${seen.size} access tokens`);
      assert.ok(front.answered >= 4, `${front.answered} refreshes: not each window refreshed`);
    });

    it('a window that is killed while it refreshes takes the login from no other window, nor from itself when it is started again', async () => {
      const [one, other] = [await opened(), await opened()];
      assert.deepEqual(await both(one, other), ['ok', 'ok']);
      const before = await tokens();
      await pass(63 * minuteMs);
      const refreshes = front.answered;
      front.holds = true;
      void one.call();
      await until(() => front.answered > refreshes, { what: 'the answer with new tokens' });
      await one.kill();
      front.holds = false;
      assert.deepEqual(await tokens(), before, 'the answer was lost');
      assert.equal(await other.call(), 'ok');
      const again = await opened();
      assert.deepEqual(await both(again, other), ['ok', 'ok']);
      await pass(63 * minuteMs);
      assert.deepEqual(await both(again, other), ['ok', 'ok']);
    });
  });
