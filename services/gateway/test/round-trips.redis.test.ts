import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { question } from './open-wait.js';
import { roundTripsOf, type SentCommand } from './round-trips.js';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('round trips to Redis of a question whose picture is known', () => {
  const system = useGateway();
  const owner = useOwner(system);
  beforeEach(() => {
    system.link.onWait = (record, robot) =>
      void until(async () => ((await system.link.store.waits.read(robot, record.number))?.armed ?? null) !== null)
        .then(() => system.link.settle(robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 }))
        .catch(() => {});
  });

  const ask = async (): Promise<void> => {
    const { status, body } = await system.act(owner, 'ask', question);
    assert.deepEqual([status, body.answer], [200, 'Yes'], JSON.stringify(body));
    await system.untilHolds(0, 'wait');
  };

  /** The gateway sends commands of its own now and then: the attempt with the fewest counts. */
  const least = async (count: (sent: SentCommand[]) => number): Promise<SentCommand[]> => {
    await ask();
    const tries: SentCommand[][] = [];
    for (let tried = 0; tried < 5; tried += 1) tries.push(await roundTripsOf(system, owner.robot, ask));
    return tries.toSorted((a, b) => count(a) - count(b))[0]!;
  };
  const printed = (sent: readonly SentCommand[]): string =>
    sent.map(({ after, name, args }) => `${after} ${name} ${args.join(' ').slice(0, 160)}`).join('\n');
  /** The command that sends the question to the robot-link: the script that opens the wait. */
  const sending = (sent: readonly SentCommand[]): SentCommand =>
    sent.find(({ args }) => args.some((arg) => arg.includes('"t":"wait"'))) ?? assert.fail(printed(sent));

  it('awaits two before the command that sends the question to the robot-link', async () => {
    const sent = await least((all) => sending(all).after);
    assert.equal(sending(sent).after, 2, printed(sent));
  });

  it('costs the gateway seven commands, none of which reads the wait', async () => {
    const sent = await least((all) => all.length);
    // Commands of one step go over two connections, in any order.
    const inOrder = sent.toSorted((a, b) => a.after - b.after || a.name.localeCompare(b.name));
    const names = inOrder.map(({ name }) => name.replace(/^s(?=publish|subscribe|unsubscribe)/, ''));
    assert.deepEqual(
      names,
      // Admission; picture, number with lease and record, heartbeat, channel; the opening with its message; the end.
      ['evalsha', 'evalsha', 'evalsha', 'get', 'subscribe', 'evalsha', 'unsubscribe'],
      printed(sent),
    );
    const waits = `perch:{${owner.robot}}:wait:`;
    assert.ok(!sent.some(({ name, args }) => /^h(?:m?get|getall)$/.test(name) && args.some((arg) => arg.startsWith(waits))), printed(sent));
  });
});
