import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { limits } from '@perch/schema';
import { rawRequest } from './raw-request.js';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('bodies of HTTP requests', () => {
  const system = useGateway();
  const owner = useOwner(system);

  it('answers 400 with the advice to send {} for an empty body, with and without a content type', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }, { 'transfer-encoding': 'chunked', 'content-type': 'application/json' }]) {
      const lines = Object.entries({ host: 'x', authorization: `Bearer ${owner.apiKey}`, ...headers }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      const end = 'transfer-encoding' in headers ? '0\r\n\r\n' : '';
      const answer = await rawRequest(system.base, `POST /v1/robots/${owner.robot}/state HTTP/1.1\r\n${lines.join('')}\r\n${end}`);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /\{\}/);
    }
  });

  it('answers 415 for a wrong content type, charset or encoding', async () => {
    const path = `/v1/robots/${owner.robot}/face`;
    const body = '{"emotion":"happy"}';
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await system.ask('POST', path, { apiKey: owner.apiKey, body, headers: { 'content-type': type } });
      assert.equal(answer.status, 415, type);
      assert.equal(answer.body.code, 'not_json');
    }
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON']) {
      assert.equal((await system.ask('POST', path, { apiKey: owner.apiKey, body, headers: { 'content-type': type } })).status, 200, type);
    }
    const zipped = await fetch(`${system.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(body),
    });
    assert.equal(zipped.status, 415);
  });

  it('answers 413 for a body over 2 MB, declared or not, and reads one of exactly 2 MB', async () => {
    const path = `/v1/robots/${owner.robot}/state`;
    const exact = `{"pad":"${'x'.repeat(limits.bodyBytesMax - 10)}"}`;
    assert.equal(exact.length, limits.bodyBytesMax);
    assert.equal((await system.ask('POST', path, { apiKey: owner.apiKey, body: exact })).status, 200);
    const over = await system.ask('POST', path, { apiKey: owner.apiKey, body: `${exact} ` });
    assert.equal(over.status, 413);
    assert.equal(over.body.code, 'body_too_large');
    const undeclared = await fetch(`${system.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: new Blob([`${exact} `]).stream(),
      duplex: 'half',
    } as RequestInit);
    assert.equal(undeclared.status, 413);
    assert.equal(((await undeclared.json()) as { code: string }).code, 'body_too_large');
  });

  it('answers 400 for a body that is not a JSON object: broken, NaN, not UTF-8, a list, a string, null', async () => {
    const path = `/v1/robots/${owner.robot}/move`;
    for (const body of ['{', '{"yaw": NaN}', '{"yaw": Infinity}', "{'yaw': 1}", '{"yaw":1}}', '   ', '\ufeff{}x']) {
      const answer = await system.ask('POST', path, { apiKey: owner.apiKey, body });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'malformed_json', body);
    }
    for (const body of ['[]', '"{}"', 'null', '3', '[{"yaw":1}]']) {
      const answer = await system.ask('POST', path, { apiKey: owner.apiKey, body });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.body.code, 'bad_argument', body);
    }
    const latin = await fetch(`${system.base}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: Buffer.from('{"gesture":"\xe9"}', 'latin1'),
    });
    assert.equal(latin.status, 400);
    assert.equal(((await latin.json()) as { code: string }).code, 'malformed_json');
  });

  it('answers 400, never 500, for a million nested lists', async () => {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const answer = await system.ask('POST', `/v1/robots/${owner.robot}/command`, {
      apiKey: owner.apiKey,
      body: `{"command":"brightness","args":{"pct":${deep}}}`,
    });
    assert.equal(answer.status, 400);
  });
});
