import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { openStore } from '@perch/store';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import { GatewayUnderTest, useGateway, useOwner } from './gateway-under-test.js';

const question = { question: 'Coffee?', answers: ['Yes', 'No'] };

describe('stopping a gateway', () => {
  const system = useGateway({ drainMs: 1500 }, { perTest: true });
  const owner = useOwner(system);

  const stop = (): Promise<void> => system.gateway.stop(AbortSignal.timeout(10_000));

  it('serves new connections, polls and waits between the announcement and the stop, and closes each connection with its response', async () => {
    system.gateway.stopsSoon();
    const poll = system.ask('GET', `/v1/robots/${owner.robot}/events?seconds=1`, { apiKey: owner.apiKey });
    const held = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    const { status, headers } = await system.act(owner, 'face', { emotion: 'happy' });
    assert.deepEqual([status, headers.get('connection')], [200, 'close']);
    await system.link.settle(owner.robot, system.link.waits[0]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await held).body.answer, 'Yes');
    assert.equal((await poll).status, 200);
    await stop();
  });

  it('accepts no new connection, and closes at once when nothing is in flight', async () => {
    const limit = AbortSignal.timeout(10_000);
    await system.gateway.stop(limit);
    assert.equal(limit.aborted, false);
    await assert.rejects(system.act(owner, 'state'));
  });

  it('resolves a second stop only when the drain has ended', async () => {
    const held = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    let ended = false;
    const first = stop().then(() => (ended = true));
    await stop();
    assert.ok(ended, 'the second stop resolved while a call was in flight');
    assert.equal((await held).body.code, 'draining');
    await first;
  });

  it('finishes calls in flight, and closes their connections', async () => {
    let answerNow = (): void => {};
    system.link.answer = ({ id }) => new Promise((resolve) => (answerNow = () => resolve({ t: 'ack', id, result: {} })));
    const answer = system.act(owner, 'face', { emotion: 'happy' });
    await until(() => system.link.commands.length === 1);
    const stopped = stop();
    answerNow();
    const { status, headers } = await answer;
    assert.equal(status, 200);
    assert.equal(headers.get('connection'), 'close');
    await stopped;
  });

  it('answers a request that was in transit on an idle connection, and closes the connection', async () => {
    const socket = connect(Number(new URL(system.base).port), '127.0.0.1');
    const request = `GET /v1/robots HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\n\r\n`;
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.write(request);
    await until(() => text.includes('"robots"'));
    text = '';
    const stopped = stop();
    socket.write(request);
    await until(() => text.includes('"robots"'));
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.match(text, /\r\nconnection: close\r\n/i);
    await stopped;
  });

  it('answers 503 draining with Retry-After to a later request on a kept-alive connection, and closes the connection', async () => {
    const held = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    // Half of the headers have arrived when the drain begins, so that the connection is not closed as idle.
    const arrived = new Promise<Socket>((resolve) => system.gateway.server.once('connection', resolve));
    const socket = connect(Number(new URL(system.base).port), '127.0.0.1');
    socket.write('GET /v1/robots HTTP/1.1\r\nhost: x\r\n');
    const serverSide = await arrived;
    await until(() => serverSide.bytesRead > 0);
    const began = performance.now();
    const stopped = stop();
    await until(() => performance.now() - began > 300);
    socket.write(`authorization: Bearer ${owner.apiKey}\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    assert.match(text, /^HTTP\/1\.1 503 /);
    assert.match(text, /\r\nretry-after: 1\r\n/i);
    assert.match(text, /\r\nconnection: close\r\n/i);
    assert.match(text, /"code":"draining"/);
    assert.equal((await held).body.code, 'draining');
    await stopped;
  });

  it('answers polls at once with the events found so far', async () => {
    const poll = system.ask('GET', `/v1/robots/${owner.robot}/events?seconds=60`, { apiKey: owner.apiKey });
    await system.untilHolds(1, 'poll');
    await stop();
    assert.deepEqual((await poll).body, { ok: true, events: [], last_seq: 0, first_seq: 0 });
  });

  it('continues a wait during the drain, and answers it after a tap', async () => {
    const answer = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    const stopped = stop();
    await system.link.settle(owner.robot, system.link.waits[0]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'Yes');
    await stopped;
  });

  it('cancels a wait that is still open after the drain with 503 draining', async () => {
    const answer = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    const before = performance.now();
    const stopped = stop();
    const { status, body, headers } = await answer;
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'draining', '1']);
    const tookMs = performance.now() - before;
    assert.ok(tookMs >= 1400, `${tookMs} ms`);
    await stopped;
    assert.deepEqual((await system.store.waits.read(owner.robot, system.link.waits[0]!.number))?.outcome, { outcome: 'cancelled' });
  });
});

describe('a lost Redis', () => {
  it('answers 503 service_unavailable with Retry-After while Redis is down, and recovers', async function () {
    needsRedisServer(this);
    const redis = await redisProcess();
    const system = await GatewayUnderTest.start({ url: redis.url });
    try {
      const owner = await system.ownerOnline();
      assert.equal((await system.act(owner, 'face', { emotion: 'happy' })).status, 200);
      const poll = system.ask('GET', `/v1/robots/${owner.robot}/events?seconds=3`, { apiKey: owner.apiKey });
      await system.untilHolds(1, 'poll');
      process.kill(redis.pid!, 'SIGSTOP');
      try {
        const answer = await system.act(owner, 'face', { emotion: 'happy' });
        assert.deepEqual([answer.status, answer.body.code, answer.headers.get('retry-after')], [503, 'service_unavailable', '1']);
        assert.equal((await poll).status, 503);
      } finally {
        process.kill(redis.pid!, 'SIGCONT');
      }
      await until(async () => (await system.act(owner, 'face', { emotion: 'happy' })).status === 200);
    } finally {
      await system.stop();
      await redis.stop();
    }
  });

  it('rejects opening the store with a clear error when Redis does not reply', async () => {
    await assert.rejects(openStore({ url: 'redis://127.0.0.1:1', instance: 'gw-000000' }), /did not answer/);
  });
});
