import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { openStore } from '@perch/store';
import { redisProcess, until } from '@perch/testkit';
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

  it('takes no new connection, and closes at once when nothing is in flight', async () => {
    const before = performance.now();
    await stop();
    assert.ok(performance.now() - before < 500);
    await assert.rejects(bench.act(owner, 'state'));
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

  it('a request on a connection kept alive is 503 draining with Retry-After', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (): Promise<{ status: number | undefined; headers: Record<string, unknown>; body: any }> =>
      new Promise((resolve, reject) => {
        httpRequest(`${bench.base}/v1/actions`, { agent, headers: { authorization: `Bearer ${owner.apiKey}` } }, (response) => {
          let text = '';
          response.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) }));
        })
          .on('error', reject)
          .end();
      });
    // The call in flight keeps the server from closing this connection; the next one waits behind it.
    bench.link.answer = () => null;
    const first = send();
    const held = bench.act(owner, 'ask', question);
    await first;
    await until(() => bench.link.waits.length === 1);
    const second = new Promise<Awaited<ReturnType<typeof send>>>((resolve, reject) => {
      // A connection that is half through a request is not idle and stays open.
      const request = httpRequest(`${bench.base}/v1/robots/${owner.robot}/face`, { agent, method: 'POST', headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json', 'content-length': 2 } }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) }));
      });
      request.on('error', reject);
      request.once('socket', (socket) => {
        socket.cork();
        request.flushHeaders();
        setTimeout(() => {
          void stop();
          request.end('{}');
          socket.uncork();
        }, 20);
      });
    }).catch((error: NodeJS.ErrnoException) => error);
    const outcome = await second;
    if (outcome instanceof Error) assert.match(String(outcome.code), /ECONNRESET|EPIPE/, 'an idle connection was closed before the request got there');
    else assert.deepEqual([outcome.status, outcome.body.code, outcome.headers['retry-after'], outcome.headers['connection']], [503, 'draining', '1', 'close']);
    assert.equal((await held).status, 503);
    agent.destroy();
  });

  it('polls are answered at once with what there is', async () => {
    const poll = bench.ask('GET', `/v1/robots/${owner.robot}/events?seconds=60`, { apiKey: owner.apiKey });
    await until(async () => /held_calls\{kind="poll"\} 1/.test(await bench.metrics.metrics()));
    const before = performance.now();
    await stop();
    assert.ok(performance.now() - before < 500);
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
    assert.ok(tookMs >= 1400 && tookMs < 2500, `${tookMs} ms`);
    await stopped;
    assert.deepEqual((await bench.store.waits.read(owner.robot, bench.link.waits[0]!.number))?.outcome, { outcome: 'cancelled' });
  });
});

describe('a lost Redis', () => {
  it('is 503 service_unavailable with Retry-After, and heals', async function () {
    this.timeout(30_000);
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
        assert.ok(performance.now() - before < 3000);
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
