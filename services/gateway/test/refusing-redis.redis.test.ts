import assert from 'node:assert/strict';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import { GatewayUnderTest, type Owner } from './gateway-under-test.js';

type Commands = { call(...args: string[]): Promise<unknown> };

describe('calls while Redis refuses commands', () => {
  const lines: string[] = [];
  let redis: Awaited<ReturnType<typeof redisProcess>>;
  let system: GatewayUnderTest;
  let owner: Owner;

  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    system = await GatewayUnderTest.start({ url: redis.url, logTo: lines });
    owner = await system.ownerOnline();
  });
  after(async () => {
    await system?.stop();
    await redis?.stop();
  });

  for (const [reason, refuse, serve] of [
    ['NOPERM', ['ACL', 'SETUSER', 'default', '-eval', '-evalsha'], ['ACL', 'SETUSER', 'default', '+@all']],
    ['READONLY', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ] as const)
    it(`say that the storage refuses them, and not that it cannot be reached, and are logged as warnings (${reason})`, async () => {
      const commands = system.store.connections.commands as unknown as Commands;
      lines.length = 0;
      await commands.call(...refuse);
      const { status, body } = await system.act(owner, 'face', { emotion: 'happy' });
      // Instances leave a server that is no master.
      await until(() =>
        commands.call(...serve).then(
          () => true,
          () => false,
        ),
      );
      assert.deepEqual([status, body['code']], [503, 'service_unavailable']);
      assert.equal(
        body['error'],
        "The service's storage refuses the call. Try again shortly; if it goes on, the operator of the service has to act.",
      );
      const [line] = lines.map((text) => JSON.parse(text)).filter(({ msg }) => msg === 'a call failed by the service');
      assert.deepEqual([line?.level, line?.action, line?.code], ['warn', 'face', 'service_unavailable']);
      assert.match(line.err.message, new RegExp(reason));
    });
});
