import assert from 'node:assert/strict';
import { openStore } from '@perch/store';
import { embeddedRedis } from '@perch/testkit';
import { Call } from '../src/calls/call.js';
import { KeyValidity } from '../src/calls/key-validity.js';
import { Replies } from '../src/robots/replies.js';
import { ServiceTime } from '../src/calls/service-time.js';
import { RobotCommands } from '../src/robots/robot-commands.js';
import { RobotDirectory } from '../src/robots/robot-directory.js';
import { GatewayUnderTest, useGateway, useOwner } from './gateway-under-test.js';

describe('commands without a reply', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const happy = { emotion: 'happy' };

  it('answers outcome_unknown after 13 s without a reply', async () => {
    system.link.answer = () => null;
    const before = performance.now();
    const answer = await system.act(owner, 'face', happy);
    assert.deepEqual([answer.status, answer.body.code], [503, 'outcome_unknown']);
    const tookMs = performance.now() - before;
    assert.ok(tookMs > 12_500, `${tookMs} ms`);
    assert.equal(system.link.commands.length, 1);
  });

  it('waits for the reply when Redis confirms a command late, and answers outcome_unknown when the connection was lost', async () => {
    const server = await embeddedRedis();
    const late = await GatewayUnderTest.start({ url: server.url });
    const store = await openStore({ url: server.url, instance: 'gw-late' });
    try {
      const replies = new Replies(store.instance);
      const commands = new RobotCommands(store, new RobotDirectory(store), replies, new KeyValidity(store.apiKeys, store.guests));
      await replies.receive(store, () => {});
      const { robot } = await late.ownerOnline();
      const { signal } = new AbortController();
      const exchange = { requestId: 'r', signal, span: null, time: new ServiceTime(0), via: 'http' as const, question: null, screens: [] };
      const call = (): Call =>
        new Call({
          exchange,
          key: { account: '', keyHash: '', scopes: [] },
          robot,
          keyCheck: { at: performance.now() },
          arrivedAt: store.clock.now(),
          cancelled: null,
          effects: null,
        });
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
  });
});
