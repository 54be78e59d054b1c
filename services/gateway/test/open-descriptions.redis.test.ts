import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { actions, compounds } from '@perch/schema';
import { useGateway } from './gateway-under-test.js';

describe('descriptions without a key', () => {
  const system = useGateway();

  it('/openapi.json answers pages of any origin with the OpenAPI document, the same as under /v1', async () => {
    const response = await fetch(`${system.base}/openapi.json`, { headers: { origin: 'https://docs.example' } });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const owner = await system.owner();
    const { body } = await system.ask('GET', '/v1/openapi.json', { apiKey: owner.apiKey });
    assert.deepEqual(await response.json(), body);
  });

  it('/llms.txt has an introduction, the base URL, every action with its summary, and valid links', async () => {
    const response = await fetch(`${system.base}/llms.txt`);
    assert.match(response.headers.get('content-type')!, /^text\/plain/);
    const text = await response.text();
    assert.match(text, /^# Perch\n\n> Drive a small desktop robot/);
    for (const { name, summary } of [...actions, ...compounds]) {
      const line = text.split('\n').find((each) => each.startsWith(`- [POST /v1/robots/{robot}/${name}]`));
      assert.ok(line?.endsWith(`: ${summary}`), name);
    }
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => new URL(link!));
    assert.ok(links.length > actions.length);
    const document = (await (await fetch(`${system.base}/openapi.json`)).json()) as Record<string, unknown>;
    for (const { origin, pathname, hash } of links) {
      assert.equal(origin, system.base);
      assert.ok(['/openapi.json', '/docs', '/mcp'].includes(pathname), pathname);
      if (hash !== '') assert.ok(at(document, hash), hash);
    }
  });

  it('answers with the OpenAPI document, not llms.txt, when the request target /openapi.json is in absolute form', async () => {
    const { host, port } = new URL(system.base);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`GET http://${host}/openapi.json HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      });
      let text = '';
      socket.on('data', (data) => (text += data.toString())).on('close', () => resolve(text));
      socket.on('error', reject);
    });
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.equal((JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { openapi: string }).openapi.slice(0, 4), '3.1.');
  });

  it('descriptions without a key reject methods other than GET and HEAD', async () => {
    for (const path of ['/openapi.json', '/llms.txt']) {
      assert.equal((await fetch(system.base + path, { method: 'HEAD' })).status, 200);
      const { status, headers } = await fetch(system.base + path, { method: 'POST' });
      assert.equal(status, 405);
      assert.equal(headers.get('allow'), 'GET, HEAD');
    }
  });
});

function at(document: unknown, fragment: string): unknown {
  return decodeURIComponent(fragment.slice(2))
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((inside: any, key) => inside?.[key], document);
}
