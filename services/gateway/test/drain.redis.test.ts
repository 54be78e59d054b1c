import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { openStore } from '@perch/store';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import { Bench, type Owner } from './bench.js';

const question = { question: 'Coffee?', answers: ['Yes', 'No'] };

describe('the end of a gateway', () => {
  let bench: Bench;
  let owner: Owner;

  beforeEach(async () => {
    bench = await Bench.start({ drainMs: 1500 });
    owner = await bench.ownerOnline();
  });
  afterEach(() => bench.stop());

  const stop = (): Promise<void> => bench.gateway.stop(AbortSignal.timeout(10_000));

  it('serves new connections, polls and waits between the announcement of the stop and the stop, and closes each connection with its answer', async () => {
    bench.gateway.stopsSoon();
    const poll = bench.ask('GET', `/v1/robots/${owner.robot}/events?seconds=1`, { apiKey: owner.apiKey });
    const held = bench.act(owner, 'ask', question);
    await until(() => bench.link.waits.length === 1);
    const { status, headers } = await bench.act(owner, 'face', { emotion: 'happy' });
    assert.deepEqual([status, headers.get('connection')], [200, 'close']);
    await bench.link.settle(owner.robot, bench.link.waits[0]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await held).body.answer, 'Yes');
    assert.equal((await poll).status, 200);
    await stop();
  });

  it('takes no new connection, and closes at once when nothing is in flight', async () => {
    const before = performance.now();
    await stop();
    assert.ok(performance.now() - before < 3000);
    await assert.rejects(bench.act(owner, 'state'));
  });

  it('resolves a second stop only when the drain has ended', async () => {
    const held = bench.act(owner, 'ask', question);
    await until(() => bench.link.waits.length === 1);
    let ended = false;
    const first = stop().then(() => (ended = true));
    await stop();
    assert.ok(ended, 'the second stop resolved while a call was in flight');
    assert.equal((await held).body.code, 'draining');
    await first;
  });

  it('calls in flight end, and their connection with them', async () => {
    let answerNow = (): void => {};
    bench.link.answer = ({ id }) => new Promise((resolve) => (answerNow = () => resolve({ t: 'ack', id, result: {} })));
    const answer = bench.act(owner, 'face', { emotion: 'happy' });
    await until(() => bench.link.commands.length === 1);
    const stopped = stop();
    answerNow();
    const { status, headers } = await answer;
    assert.equal(status, 200);
    assert.equal(headers.get('connection'), 'close');
    await stopped;
  });

  it('a request that was on its way on an idle connection is answered, and the connection closes', async () => {
    const socket = connect(Number(new URL(bench.base).port), '127.0.0.1');
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

  it('a request that comes later on a connection kept alive is 503 draining with Retry-After, and the connection closes', async () => {
    const held = bench.act(owner, 'ask', question);
    await until(() => bench.link.waits.length === 1);
    // Half of its headers are there when the drain begins, so that its connection is not closed as idle.
    const arrived = new Promise<Socket>((resolve) => bench.gateway.server.once('connection', resolve));
    const socket = connect(Number(new URL(bench.base).port), '127.0.0.1');
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

  it('polls are answered at once with what there is', async () => {
    const poll = bench.ask('GET', `/v1/robots/${owner.robot}/events?seconds=60`, { apiKey: owner.apiKey });
    await until(async () => /held_calls\{kind="poll"\} 1/.test(await bench.metrics.metrics()));
    const before = performance.now();
    await stop();
    assert.ok(performance.now() - before < 3000);
    assert.deepEqual((await poll).body, { ok: true, events: [], last_seq: 0, first_seq: 0 });
  });

  it('a wait goes on while it may, and is answered if the person taps', async () => {
    const answer = bench.act(owner, 'ask', question);
    await until(() => bench.link.waits.length === 1);
    const stopped = stop();
    await bench.link.settle(owner.robot, bench.link.waits[0]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'Yes');
    await stopped;
  });

  it('a wait that is left after the drain is 503 draining, and cancelled', async () => {
    const answer = bench.act(owner, 'ask', question);
    await until(() => bench.link.waits.length === 1);
    const before = performance.now();
    const stopped = stop();
    const { status, body, headers } = await answer;
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'draining', '1']);
    const tookMs = performance.now() - before;
    assert.ok(tookMs >= 1400 && tookMs < 5000, `${tookMs} ms`);
    await stopped;
    assert.deepEqual((await bench.store.waits.read(owner.robot, bench.link.waits[0]!.number))?.outcome, { outcome: 'cancelled' });
  });
});

describe('a lost Redis', () => {
  it('is 503 service_unavailable with Retry-After, and heals', async function () {
    this.timeout(30_000);
    needsRedisServer(this);
    const redis = await redisProcess();
    const bench = await Bench.start({ url: redis.url });
    try {
      const owner = await bench.ownerOnline();
      assert.equal((await bench.act(owner, 'face', { emotion: 'happy' })).status, 200);
      const poll = bench.ask('GET', `/v1/robots/${owner.robot}/events?seconds=3`, { apiKey: owner.apiKey });
      await until(async () => /held_calls\{kind="poll"\} 1/.test(await bench.metrics.metrics()));
      process.kill(redis.pid!, 'SIGSTOP');
      try {
        const before = performance.now();
        const answer = await bench.act(owner, 'face', { emotion: 'happy' });
        assert.deepEqual([answer.status, answer.body.code, answer.headers.get('retry-after')], [503, 'service_unavailable', '1']);
        assert.ok(performance.now() - before < 5000);
        assert.equal((await poll).status, 503);
      } finally {
        process.kill(redis.pid!, 'SIGCONT');
      }
      await until(async () => (await bench.act(owner, 'face', { emotion: 'happy' })).status === 200, { timeoutMs: 10_000 });
    } finally {
      await bench.stop();
      await redis.stop();
    }
  });

  it('at the start is an error that says so', async () => {
    await assert.rejects(openStore({ url: 'redis://127.0.0.1:1', instance: 'gw-000000' }), /did not answer/);
  });
});
