import assert from 'node:assert/strict';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('unreadable replies of other instances', () => {
  const system = useGateway();
  const owner = useOwner(system);

  it('ends the call with outcome_unknown at once, since the robot may have executed the command, and counts the reply', async () => {
    const before = performance.now();
    system.link.answer = ({ id }) => ({ t: 'acknowledged_in_full', id }) as never;
    const answer = await system.act(owner, 'face', { emotion: 'happy' });
    assert.deepEqual([answer.status, answer.body.code], [503, 'outcome_unknown']);
    assert.ok(performance.now() - before < 5000, 'long before the 13 s that silence takes');
    assert.equal(system.link.commands.length, 1, 'it was not sent again');
    assert.match(await system.metrics.metrics(), /perch_gateway_instance_messages_unreadable_total\{reason="type"\} 1/);
  });

  it('retries a command that the robot-link answers with not_here for about 3 s and then answers 503 robot_offline', async () => {
    system.link.answer = ({ id }) => ({ t: 'not_here', id });
    const answer = await system.act(owner, 'leds', { color: 'red' });
    assert.deepEqual([answer.status, answer.body.code], [503, 'robot_offline']);
    assert.ok(system.link.commands.length < 100, `${system.link.commands.length} commands`);
  });
});
