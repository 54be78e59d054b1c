import assert from 'node:assert/strict';
import { openStore } from '@perch/store';
import { embeddedRedis, until } from '@perch/testkit';
import type { Call } from '../src/actions/call.js';
import { Replies } from '../src/robots/replies.js';
import { ServiceTime } from '../src/telemetry/service-time.js';
import { RobotCommands } from '../src/robots/robot-commands.js';
import { RobotDirectory } from '../src/robots/robot-directory.js';
import { Bench, type Owner } from './bench.js';
import { hello, TestLink } from './test-link.js';

describe('commands on their way to a robot', () => {
  let bench: Bench;
  let other: TestLink;
  let owner: Owner;

  before(async () => {
    bench = await Bench.start();
    other = await TestLink.start(bench.url);
  });
  beforeEach(async () => {
    owner = await bench.ownerOnline();
    for (const link of [bench.link, other]) {
      link.commands.length = 0;
      link.answer = ({ id }) => ({ t: 'ack', id, result: {} });
    }
  });
  after(async () => {
    await other.stop();
    await bench.stop();
  });

  const happy = { emotion: 'happy' };

  it('a robot that went to another instance is found there, and the command is done once', async () => {
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
    bench.link.commands.length = 0;
    await other.take(owner.robot, owner.token);
    await bench.link.release(owner.robot, 'away');
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
    assert.equal(bench.link.commands.length, 0);
    assert.equal(other.commands.length, 1);
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
    assert.equal(other.commands.length, 2);
  });

  it('an away robot is 503 at once; it is reached as soon as it is back', async () => {
    await bench.link.release(owner.robot, 'away');
    const before = performance.now();
    const answer = await bench.act(owner, 'face', happy);
    assert.deepEqual([answer.status, answer.body.code], [503, 'robot_offline']);
    assert.ok(performance.now() - before < 2000);
    await bench.link.take(owner.robot, owner.token);
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
  });

  it('a robot that is moving is waited for', async () => {
    await bench.link.release(owner.robot, 'moving');
    const answered = bench.act(owner, 'face', happy);
    setTimeout(() => void other.take(owner.robot, owner.token), 400);
    assert.equal((await answered).status, 200);
    assert.equal(other.commands.length, 1);
  });

  it('a robot that was moving and did not come is 503 within 3 s and a little', async () => {
    await bench.link.release(owner.robot, 'moving');
    const before = performance.now();
    const answers = await Promise.all([bench.act(owner, 'face', happy), bench.act(owner, 'move', { gesture: 'nod' })]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503],
    );
    const tookMs = performance.now() - before;
    assert.ok(tookMs > 2000 && tookMs < 6000, `${tookMs} ms`);
  });

  it('an instance that died without a word is noticed at once, and the robot found where it dialled in', async () => {
    const dying = await TestLink.start(bench.url);
    await dying.take(owner.robot, owner.token);
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
    dying.store.connections.commands.disconnect();
    await dying.store.connections.close().catch(() => {});
    await until(async () => (await bench.store.connections.commands.pubsub('NUMSUB', `perch:{${dying.store.instance}}:inbox`))[1] === 0);
    setTimeout(() => void bench.link.take(owner.robot, owner.token), 300);
    const before = performance.now();
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
    assert.ok(performance.now() - before < 5000);
    assert.equal(bench.link.commands.length, 1);
    await dying.stop().catch(() => {});
  });

  it('a command names the session, its expiry in Redis time, and the request', async () => {
    const before = bench.store.clock.now();
    await bench.ask('POST', `/v1/robots/${owner.robot}/face`, { apiKey: owner.apiKey, body: happy, headers: { 'x-request-id': 'trace-me' } });
    const [sent] = bench.link.commands;
    assert.equal(sent?.session, bench.link.sessionOf(owner.robot));
    assert.equal(sent?.gateway, bench.store.instance);
    assert.equal(sent?.requestId, 'trace-me');
    assert.ok(sent!.expires > before + 9000 && sent!.expires < before + 11_000);
  });

  it('silence is an error and never a success: outcome_unknown once another session holds the robot', async () => {
    bench.link.answer = () => null;
    const answered = bench.act(owner, 'face', happy);
    await until(() => bench.link.commands.length === 1);
    await other.take(owner.robot, owner.token);
    const answer = await answered;
    assert.deepEqual([answer.status, answer.body.code], [503, 'outcome_unknown']);
    assert.equal(bench.link.commands.length + other.commands.length, 1, 'not sent a second time');
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
    assert.equal(other.commands.length, 1);
  });

  it('silence ends after 13 s', async function () {
    this.timeout(20_000);
    bench.link.answer = () => null;
    const before = performance.now();
    const answer = await bench.act(owner, 'face', happy);
    assert.deepEqual([answer.status, answer.body.code], [503, 'outcome_unknown']);
    const tookMs = performance.now() - before;
    assert.ok(tookMs > 12_500 && tookMs < 15_000, `${tookMs} ms`);
    assert.equal(bench.link.commands.length, 1);
  });

  it('a command that Redis is late with is waited for, since it may be done still; of one whose connection went nothing is known', async () => {
    const server = await embeddedRedis();
    const late = await Bench.start({ url: server.url });
    const store = await openStore({ url: server.url, instance: 'gw-late' });
    try {
      const replies = new Replies(store.instance);
      const commands = new RobotCommands(store, new RobotDirectory(store), replies);
      await store.gateways.receive(store.instance, (message) => void replies.deliver(message));
      const { robot } = await late.ownerOnline();
      const { signal } = new AbortController();
      const call = (): Call =>
        ({
          robot,
          requestId: 'r',
          keyHash: '',
          arrivedAt: store.clock.now(),
          takeArrival: () => undefined,
          signal,
          span: null,
          time: new ServiceTime(0),
        }) as Call;
      const face = { name: 'face', args: happy };
      const slow = commands.send(call(), {
        needs: [],
        command: async () => {
          await server.kill('SIGSTOP');
          setTimeout(() => void server.kill('SIGCONT'), 1600);
          return face;
        },
      });
      assert.deepEqual(await slow, { result: {}, replaced: false });
      assert.equal(late.link.commands.length, 1);

      const lost = commands.send(call(), {
        needs: [],
        command: async () => {
          await server.kill('SIGSTOP');
          setTimeout(() => void server.kill('SIGKILL'), 200);
          return face;
        },
      });
      const began = performance.now();
      await assert.rejects(lost, { code: 'outcome_unknown' });
      assert.ok(performance.now() - began < 5000);
    } finally {
      await server.restart();
      await store.close();
      await late.stop();
      await server.stop();
    }
  }).timeout(20_000);

  it('an answer that comes after its call was answered is dropped', async () => {
    const { id } = await new Promise<{ id: string }>((resolve) => {
      bench.link.answer = (message) => {
        resolve(message);
        return { t: 'ack', id: message.id, result: {} };
      };
      void bench.act(owner, 'face', happy);
    });
    await bench.link.store.gateways.send(bench.store.instance, { t: 'nack', id, code: 'robot_busy', error: 'late' });
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
  });

  it('a picture that was gone is made again and sent again, once', async () => {
    let misses = 1;
    bench.link.answer = ({ id, command }) =>
      misses-- > 0 ? { t: 'media_missing', id, hash: command.attachments![0]!.picture.hash } : { t: 'ack', id, result: {} };
    assert.equal((await bench.act(owner, 'show', { text: `again ${owner.robot}` })).status, 200);
    assert.equal(bench.link.commands.length, 2);
    misses = 2;
    const answer = await bench.act(owner, 'show', { text: `again ${owner.robot}` });
    assert.deepEqual([answer.status, answer.body.code], [503, 'render_failed']);
  });

  it('one awaited command to Redis before a simple action leaves, and two in all on this side', async () => {
    await bench.act(owner, 'face', happy);
    const { commands } = bench.store.connections;
    const sent: string[] = [];
    const send = commands.sendCommand.bind(commands);
    const redis = commands as unknown as { sendCommand: (command: { name: string }, ...rest: unknown[]) => unknown };
    redis.sendCommand = (command, ...rest) => {
      sent.push(command.name);
      return (send as (...all: unknown[]) => unknown)(command, ...rest);
    };
    try {
      await bench.act(owner, 'face', happy);
    } finally {
      redis.sendCommand = send as never;
    }
    const ours = sent.filter((name) => name !== 'time');
    assert.deepEqual(
      ours.map((name) => name.toLowerCase()),
      ['evalsha', 'publish'],
    );
  });

  it('concurrent actions all come through, in one order', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => bench.act(owner, 'move', { yaw: i })));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(new Set(bench.link.commands.map(({ command }) => command.args['yaw'])).size, 25);
    assert.equal(bench.link.commands.length, 25);
  });

  it('what the robot can do is read again when it comes back changed', async () => {
    assert.equal((await bench.act(owner, 'face', happy)).status, 200);
    await bench.link.take(owner.robot, owner.token, { ...hello, features: ['screen'] });
    const answer = await bench.act(owner, 'face', happy);
    assert.equal(answer.status, 501);
  });
});
