import assert from 'node:assert/strict';
import { movingMaxMs } from '@perch/store';
import { until } from '@perch/testkit';
import { useGateway, useOwner } from './gateway-under-test.js';
import { TestLink, hello } from './test-link.js';

describe('commands to a robot', () => {
  const system = useGateway();
  const owner = useOwner(system);
  let other: TestLink;
  before(async () => {
    other = await system.anotherLink();
  });

  const happy = { emotion: 'happy' };

  it('finds a robot that moved to another instance, and executes the command once', async () => {
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
    system.link.commands.length = 0;
    await other.take(owner.robot, owner.token);
    await system.link.release(owner.robot, 'away');
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
    assert.equal(system.link.commands.length, 0);
    assert.equal(other.commands.length, 1);
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
    assert.equal(other.commands.length, 2);
  });

  it('answers 503 at once for a robot that is away, and reaches it as soon as it is back', async () => {
    await system.link.release(owner.robot, 'away');
    const before = performance.now();
    const answer = await system.act(owner, 'face', happy);
    assert.deepEqual([answer.status, answer.body.code], [503, 'robot_offline']);
    assert.ok(performance.now() - before < movingMaxMs, 'it is not waited for');
    await system.link.take(owner.robot, owner.token);
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
  });

  it('waits for a robot that is moving, also for one that needs more than 3 s', async () => {
    await system.link.release(owner.robot, 'moving');
    await system.store.connections.commands.hincrby(`perch:{${owner.robot}}:lease`, 'since', -3300);
    const answered = system.act(owner, 'face', happy);
    setTimeout(() => void other.take(owner.robot, owner.token), 400);
    assert.equal((await answered).status, 200);
    assert.equal(other.commands.length, 1);
  });

  for (const [action, args] of Object.entries({
    face: happy,
    ask: { question: 'Coffee?', answers: ['Yes', 'No'] },
    stop: {},
    scene: { actions: [{ action: 'face', ...happy }] },
  })) {
    it(`does not perform ${action} for a key that was revoked while the robot moved to another instance`, async () => {
      await system.link.release(owner.robot, 'moving');
      const answered = system.act(owner, action, args);
      // The call is admitted, and waits for its robot.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await system.store.apiKeys.revoke(owner.account, owner.keyId);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await other.take(owner.robot, owner.token);
      const { status, body } = await answered;
      assert.deepEqual([status, body.code, other.commands, other.waits], [401, 'unauthorized', [], []]);
    });
  }

  it('sends no command for a key that was revoked while its picture was drawn', async () => {
    system.beforeDrawn = async () => {
      await system.store.apiKeys.revoke(owner.account, owner.keyId);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    };
    const { status, body } = await system.act(owner, 'show', { text: `revoked ${owner.robot}` });
    assert.deepEqual([status, body.error], [401, 'The API key stopped working before the command was sent.']);
    assert.deepEqual(system.link.commands, []);
  });

  it('answers 503 once a robot that was moving has not reconnected for 6 s', async () => {
    await system.link.release(owner.robot, 'moving');
    await system.store.connections.commands.hincrby(`perch:{${owner.robot}}:lease`, 'since', 1000 - movingMaxMs);
    const answers = await Promise.all([system.act(owner, 'face', happy), system.act(owner, 'move', { gesture: 'nod' })]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503],
    );
    assert.deepEqual(system.link.commands, []);
  });

  it('detects a dead instance at once, and finds the robot where it reconnected', async () => {
    const dying = await TestLink.start(system.url);
    await dying.take(owner.robot, owner.token);
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
    dying.store.connections.commands.disconnect();
    await dying.store.connections.close().catch(() => {});
    await until(async () => (await system.store.connections.commands.pubsub('NUMSUB', `perch:{${dying.store.instance}}:inbox`))[1] === 0);
    setTimeout(() => void system.link.take(owner.robot, owner.token), 300);
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
    assert.equal(system.link.commands.length, 1);
    await dying.stop().catch(() => {});
  });

  it('sends the session, the expiry in Redis time and the request id with a command', async () => {
    const before = system.store.clock.now();
    await system.ask('POST', `/v1/robots/${owner.robot}/face`, { apiKey: owner.apiKey, body: happy, headers: { 'x-request-id': 'trace-me' } });
    const [sent] = system.link.commands;
    assert.equal(sent?.session, system.link.sessionOf(owner.robot));
    assert.equal(sent?.gateway, system.store.instance);
    assert.equal(sent?.requestId, 'trace-me');
    assert.ok(sent!.expires > before + 9000 && sent!.expires < before + 11_000);
  });

  it('answers outcome_unknown for a command without a reply once another session holds the robot', async () => {
    system.link.answer = () => null;
    const answered = system.act(owner, 'face', happy);
    await until(() => system.link.commands.length === 1);
    await other.take(owner.robot, owner.token);
    const answer = await answered;
    assert.deepEqual([answer.status, answer.body.code], [503, 'outcome_unknown']);
    assert.equal(system.link.commands.length + other.commands.length, 1, 'not sent a second time');
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
    assert.equal(other.commands.length, 1);
  });

  it('drops a reply that arrives after its call was answered', async () => {
    const { id } = await new Promise<{ id: string }>((resolve) => {
      system.link.answer = (message) => {
        resolve(message);
        return { t: 'ack', id: message.id, result: {} };
      };
      void system.act(owner, 'face', happy);
    });
    await system.link.store.gatewayMailbox.send(system.store.instance, { t: 'nack', id, code: 'robot_busy', error: 'late' });
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
  });

  it('renders and sends an expired picture again, once', async () => {
    let misses = 1;
    system.link.answer = ({ id, command }) =>
      misses-- > 0 ? { t: 'media_missing', id, hash: command.attachments![0]!.picture.hash } : { t: 'ack', id, result: {} };
    assert.equal((await system.act(owner, 'show', { text: `again ${owner.robot}` })).status, 200);
    assert.equal(system.link.commands.length, 2);
    misses = 2;
    const answer = await system.act(owner, 'show', { text: `again ${owner.robot}` });
    assert.deepEqual([answer.status, answer.body.code], [503, 'render_failed']);
  });

  it('awaits one Redis command before a simple action is sent, and uses two in total', async () => {
    await system.act(owner, 'face', happy);
    const { commands } = system.store.connections;
    const sent: string[] = [];
    const send = commands.sendCommand.bind(commands);
    const redis = commands as unknown as { sendCommand: (command: { name: string }, ...rest: unknown[]) => unknown };
    redis.sendCommand = (command, ...rest) => {
      sent.push(command.name);
      return (send as (...all: unknown[]) => unknown)(command, ...rest);
    };
    // The gateway also sends commands once a second: they may fall into some of the ten actions, but not into all.
    const sentByEach: string[] = [];
    try {
      for (let action = 0; action < 10; action++) {
        sent.length = 0;
        await system.act(owner, 'face', happy);
        sentByEach.push(sent.join().toLowerCase());
      }
    } finally {
      redis.sendCommand = send as never;
    }
    const fewest = sentByEach.toSorted((a, b) => a.length - b.length)[0];
    assert.equal(fewest, 'evalsha,publish', sentByEach.join(' | '));
  });

  it('delivers all concurrent actions in one order', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => system.act(owner, 'move', { yaw: i })));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(new Set(system.link.commands.map(({ command }) => command.args['yaw'])).size, 25);
    assert.equal(system.link.commands.length, 25);
  });

  it("reads the robot's features again when it reconnects with others", async () => {
    assert.equal((await system.act(owner, 'face', happy)).status, 200);
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['screen'] });
    const answer = await system.act(owner, 'face', happy);
    assert.equal(answer.status, 501);
  });
});
