/**
 * `node driver.mjs FILE`: runs a client of the bench in a process of its own, with the packages of the folder that it was copied into. It reads a request a line,
 * `{id, do, …}`, and answers `{id, result}` or `{id, error}` a line; `{allow: url, id}` asks for the address to which the user's browser is sent back.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const module = await import(pathToFileURL(process.argv[2]).href);
const allowed = new Map();
const calls = new Map();
let connection = null;
let asks = 0;

/** Resolves to the address with the code. */
function allow(url) {
  asks += 1;
  const id = `allow-${asks}`;
  send({ allow: String(url), id });
  return new Promise((resolve) => allowed.set(id, resolve));
}

/** Interface of the official SDKs and of those that copy it: an OAuthClientProvider that keeps everything in a folder, which processes share. */
function oauthIn(folder, callback) {
  mkdirSync(folder, { recursive: true });
  const path = (name) => join(folder, `${name}.json`);
  const kept = (name) => (existsSync(path(name)) ? JSON.parse(readFileSync(path(name), 'utf8')) : undefined);
  // Renamed, so that another process reads no half of it.
  const keep = (name) => (value) => {
    writeFileSync(`${path(name)}.${process.pid}`, JSON.stringify(value));
    renameSync(`${path(name)}.${process.pid}`, path(name));
  };
  const oauth = { folder, callback, allow, asked: null };
  oauth.provider = {
    redirectUrl: callback,
    clientMetadata: { client_name: 'Bench', redirect_uris: [callback], grant_types: ['authorization_code', 'refresh_token'] },
    state: () => 'state-of-the-bench',
    clientInformation: () => kept('client'),
    saveClientInformation: keep('client'),
    isClientInformationDynamicallyRegistered: () => true,
    tokens: () => kept('tokens'),
    saveTokens: keep('tokens'),
    redirectToAuthorization: (url) => void (oauth.asked = url),
    codeVerifier: () => kept('verifier'),
    saveCodeVerifier: keep('verifier'),
    discoveryState: () => kept('discovery'),
    saveDiscoveryState: keep('discovery'),
    storedState: () => 'state-of-the-bench',
    authorizationServerInformation: () => kept('server'),
    saveAuthorizationServerInformation: keep('server'),
  };
  /** Connects; if the client asks for consent instead, has the user give it, and connects again. @param finish exchanges the code */
  oauth.connected = async (connect, finish) => {
    try {
      return await connect();
    } catch (error) {
      if (oauth.asked === null) throw error;
      const back = new URL(await allow(oauth.asked));
      oauth.asked = null;
      await finish(back.searchParams);
      return connect();
    }
  };
  return oauth;
}

/** Compiles a program that uses what was generated, with the TypeScript of the file's packages. @throws with the compiler's output */
function compile(folder, program) {
  writeFileSync(join(folder, 'use.ts'), program);
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const options = [
    '--strict',
    '--noEmit',
    '--target',
    'es2022',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--lib',
    'es2022,dom,dom.iterable',
  ];
  try {
    execFileSync(process.execPath, [tsc, ...options, join(folder, 'use.ts')], { cwd: folder });
  } catch (cause) {
    throw new Error(String(cause.stdout), { cause });
  }
}

/** Sets the clock of this process forward. */
function setForward(ms) {
  const now = Date.now;
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...args) {
      super(...(args.length === 0 ? [now() + ms] : args));
    }
    static now = () => now() + ms;
  };
}

const commands = {
  later: async ({ ms }) => setForward(ms),
  async connect({ url, key, folder, callback }) {
    connection = await module.connect({ url, key, oauth: folder === undefined ? null : oauthIn(folder, callback) });
    return null;
  },
  list: async () => connection.list(),
  /** In the form of MCP, whatever the client makes of it. */
  async call({ id, tool, args }) {
    const abort = new AbortController();
    calls.set(id, abort);
    return answerOf(await connection.call(tool, args, abort.signal));
  },
  cancel: async ({ call }) => calls.get(call)?.abort(),
  close: async () => connection?.close(),
  convert: async (request) => module.convert({ ...request, compile }),
};

/** @param result a result of MCP, its content alone, or the text of the answer */
function answerOf(result) {
  if (result?.structuredContent !== undefined) return { answer: result.structuredContent, isError: result.isError === true };
  const content = Array.isArray(result) ? result.flat() : (result?.content ?? result);
  const text = typeof content === 'string' ? content : content?.find?.((part) => typeof part?.text === 'string')?.text;
  return { answer: text === undefined ? content : JSON.parse(text), isError: result?.isError === true };
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, do: command, ...rest } = JSON.parse(line);
  if (command === 'allowed') return void allowed.get(id)?.(rest.address);
  try {
    send({ id, result: (await commands[command]({ id, ...rest })) ?? null });
  } catch (error) {
    send({ id, error: `${error?.name ?? 'Error'}: ${error?.message ?? error}${error?.cause?.message ? ` (${error.cause.message})` : ''}` });
  }
  if (command === 'close') process.exit();
});
process.stdin.on('end', () => process.exit());
