/** Updates of the program of a virtual robot, as robot-link.md describes them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { eventually } from '@perch/link-server';
import { withRobot, type ConnectedRobot } from './connected-robot.js';

const file = Buffer.from('{"files": [["perch/robot.py", 3]]}\nabc');
const offer = { version: '0.2', url: '/program', sha256: createHash('sha256').update(file).digest('hex'), size: file.byteLength };
const offered = { firmware: 'micropython-1.27.0 perch-0.1', welcome: { update: offer } };

function failure({ session }: ConnectedRobot): Promise<Record<string, unknown>> {
  return eventually(() => session.of('update_failed')[0]);
}

describe('an update of a virtual robot', () => {
  it(
    'restarts the robot with the offered version',
    withRobot(offered, async ({ server, session }) => {
      server.files.set(offer.url, file);
      assert.equal((await session.run('update', { version: '0.2' }))['ok'], true);
      const { hello } = await server.session(2);
      assert.deepEqual([hello?.['firmware'], hello?.['reason'], hello?.['boot']], ['micropython-1.27.0 perch-0.2', 'start', { cause: 'update' }]);
      assert.notEqual(hello?.['boot_id'], session.hello?.['boot_id']);
    }),
  );

  it(
    'is refused for a version that was not offered, and while a question shows',
    withRobot(offered, async ({ session }) => {
      assert.equal((await session.run('update', { version: '0.3' }))['code'], 'bad_args');
      await session.ack(session.show('question', 'w1', new Uint8Array(10)));
      assert.equal((await session.run('update', { version: '0.2' }))['code'], 'busy');
    }),
  );

  it(
    'fails with a missing file, one of another size, and one with another sha256, and the robot goes on',
    withRobot(offered, async (connected) => {
      const { server, robot, session } = connected;
      for (const [content, error] of [
        [null, 'status 404'],
        [file.subarray(1), /^\d+ of \d+ bytes arrived$/],
        [Buffer.alloc(file.byteLength), 'the file has another sha256'],
      ] as const) {
        if (content !== null) server.files.set(offer.url, content);
        session.messages.length = 0;
        await session.run('update', { version: '0.2' });
        const failed = await failure(connected);
        assert.equal(failed['version'], '0.2');
        if (typeof error === 'string') assert.equal(failed['error'], error);
        else assert.match(String(failed['error']), error);
      }
      assert.deepEqual([robot.dials, robot.online, robot.updates.firmware], [1, true, offered.firmware]);
    }),
  );

  it(
    'fails at the download or at the start as told by failUpdate',
    withRobot(offered, async (connected) => {
      const { server, robot, session } = connected;
      server.files.set(offer.url, file);
      robot.faults.failUpdate('download', 'no room');
      await session.run('update', { version: '0.2' });
      assert.equal((await failure(connected))['error'], 'no room');
      robot.faults.failUpdate('start', 'SyntaxError');
      await session.run('update', { version: '0.2' });
      const back = await server.session(2);
      assert.deepEqual([back.hello?.['firmware'], back.hello?.['boot']], [offered.firmware, { cause: 'crash', error: 'SyntaxError' }]);
      const told = await failure({ ...connected, session: back });
      assert.equal(told['error'], 'three starts without a welcome (SyntaxError)');
    }),
  );
});
