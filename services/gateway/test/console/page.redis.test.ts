import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { until } from '@perch/testkit';
import { GatewayUnderTest, useGateway } from '../gateway-under-test.js';

const html = '<!doctype html><title>Perch</title>';
const script = 'console.log("perch");'.repeat(50);

describe('the web page', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perch-page-'));
    await mkdir(join(folder, 'dist/assets'), { recursive: true });
    const put = (name: string, bytes: string | Buffer): Promise<void> => writeFile(join(folder, name), bytes);
    await put('secret.json', '{}');
    await put('dist/index.html', html);
    await put('dist/docs.html', html);
    await put('dist/notes.md', 'no part of the page');
    await put('dist/assets/main-abc123.js', script);
    await put('dist/assets/main-abc123.js.br', brotliCompressSync(script));
    await put('dist/assets/main-abc123.js.gz', gzipSync(script));
  });
  const system = useGateway(() => ({
    pageFolder: join(folder, 'dist'),
    linkPublicUrl: 'wss://robots.example',
    publicUrl: 'https://perch.example',
  }));
  after(() => rm(folder, { recursive: true }));

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(system.base + path, { headers });

  it('serves the page at each of its paths, to be revalidated each time', async () => {
    for (const path of [
      '/',
      '/sign-in',
      '/sign-up',
      '/pair?code=BCDF-2345',
      '/robots',
      '/robots/',
      '/robots/r-0123456789',
      '/robots/r-0123456789/settings',
      '/keys',
      '/authorize?client_id=x',
      '/webhooks',
      '/activity',
      '/account',
      '/access',
      '/virtual/r-0123456789',
    ]) {
      const answer = await get(path);
      assert.deepEqual([answer.status, await answer.text()], [200, html], path);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'no-cache');
      assert.match(answer.headers.get('x-request-id')!, /^gw-/);
    }
  });

  it('sends a policy that allows only own scripts and files and connections to the service and the robot-link', async () => {
    const { headers } = await get('/');
    assert.deepEqual(
      Object.fromEntries(
        headers
          .get('content-security-policy')!
          .split('; ')
          .map((rule) => [rule.split(' ', 1)[0]!, rule.slice(rule.indexOf(' ') + 1)]),
      ),
      {
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': "'self'",
        'img-src': "'self' data: blob:",
        'font-src': "'self'",
        'manifest-src': "'self'",
        'connect-src': "'self' wss://robots.example",
        'frame-ancestors': "'none'",
        'base-uri': "'none'",
        'form-action': "'self'",
      },
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.match(headers.get('permissions-policy')!, /camera=\(\)/);
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000');
    assert.equal((await get('/docs')).headers.get('content-security-policy'), headers.get('content-security-policy'));
  });

  it('no page can be framed, and only the consent keeps the window that opened it', async () => {
    for (const path of ['/', '/authorize', '/share', '/pair', '/account', '/keys', '/docs']) {
      const { headers } = await get(path);
      assert.match(headers.get('content-security-policy')!, /; frame-ancestors 'none';/, path);
      assert.equal(headers.get('cross-origin-opener-policy'), path === '/authorize' ? 'unsafe-none' : 'same-origin', path);
    }
  });

  it('serves files named by a hash of their content as immutable, in the smallest encoding that the browser accepts', async () => {
    const part = (accept: string): Promise<{ encoding: string | undefined; bytes: Buffer; cache: string | undefined }> =>
      new Promise((resolve, reject) => {
        request(`${system.base}/assets/main-abc123.js`, { headers: accept === '' ? {} : { 'accept-encoding': accept } }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(chunks), cache: response.headers['cache-control'] }),
          );
        })
          .on('error', reject)
          .end();
      });
    const plain = await part('');
    assert.deepEqual([plain.encoding, plain.bytes.toString(), plain.cache], [undefined, script, 'public, max-age=31536000, immutable']);
    const brotli = await part('gzip, deflate, br');
    assert.deepEqual([brotli.encoding, brotliDecompressSync(brotli.bytes).toString()], ['br', script]);
    assert.equal((await part('gzip, br;q=0')).encoding, 'gzip');
    assert.equal((await part('identity, gzip;q=0.0')).encoding, undefined);
    assert.equal((await get('/assets/main-abc123.js')).headers.get('vary'), 'accept-encoding');
  });

  it('answers 304 to a matching If-None-Match', async () => {
    const etag = (await get('/robots')).headers.get('etag')!;
    const again = await get('/', { 'if-none-match': etag });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag]);
    assert.equal((await get('/', { 'if-none-match': '"other"' })).status, 200);
    const head = await fetch(`${system.base}/`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, String(html.length), '']);
  });

  it('answers other paths with 404 in JSON', async () => {
    for (const path of [
      '/v10',
      '/V1/robots',
      '/robot',
      '/robots/r-1',
      '/robots/r-0123456789/more',
      '/nonsense',
      '/assets',
      '/assets/missing.js',
      '/assets/main-abc123.js.br',
      '/notes.md',
      '/%2e%2e/secret.json',
      '/assets/..%2f..%2fsecret.json',
      '/.git/config.json',
      '/__proto__',
      '/%',
    ]) {
      const { status, body } = await system.ask('GET', path);
      assert.deepEqual([status, body.code], [404, 'not_found'], path);
    }
    const raw = await new Promise<number | undefined>((resolve, reject) => {
      request({ host: '127.0.0.1', port: new URL(system.base).port, path: '/../secret.json' }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end();
    });
    assert.equal(raw, 404);
    assert.equal((await system.ask('POST', '/', { body: {} })).status, 404);
    assert.equal((await system.ask('GET', '/v1/robots')).status, 401);
  });

  it('answers other paths with the page and status 404 if the client accepts text/html, and never below /v1, /mcp and /console', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const path of ['/robot', '/robots/r-1', '/robots/r-0123456789/more', '/assets/missing.js', '/%']) {
      const answer = await get(path, { accept });
      assert.deepEqual([answer.status, await answer.text()], [404, html], path);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(answer.headers.get('content-security-policy')!, /default-src 'none'/);
    }
    const etag = (await get('/')).headers.get('etag')!;
    assert.equal((await get('/robot', { accept, 'if-none-match': etag })).status, 404);
    for (const path of ['/v1/nothing', '/console/nothing', '/console/v1/nothing', '/mcp'])
      assert.match((await get(path, { accept })).headers.get('content-type')!, /^application\/json/, path);
    assert.match((await get('/robot', { accept: '*/*' })).headers.get('content-type')!, /^application\/json/);
  });

  it('serves a page that is built while the gateway runs', async () => {
    await writeFile(join(folder, 'dist/index.html'), `${html}2`);
    await until(async () => (await (await get('/')).text()) === `${html}2`, { what: 'the new page' });
    await writeFile(join(folder, 'dist/index.html'), html);
    await until(async () => (await (await get('/')).text()) === html);
  });

  it('publishes the address where users enter pairing codes', async () => {
    assert.ok((await system.store.instances.offered('page')).includes('https://perch.example'));
  });

  it('answers 404 for a page that was not built, and still serves the API', async () => {
    const without = await GatewayUnderTest.start({ pageFolder: join(folder, 'nowhere') });
    try {
      assert.equal((await without.ask('GET', '/')).status, 404);
      const owner = await without.owner();
      assert.equal((await without.ask('GET', '/v1/robots', { apiKey: owner.apiKey })).status, 200);
    } finally {
      await without.stop();
    }
  });
});
