import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { until } from '@perch/testkit';
import { useGateway, type Owner } from './gateway-under-test.js';

describe('1,000 polls for events', () => {
  const system = useGateway();

  it('shares one subscription per robot and no further connection among 1,000 polls, and ends those of one robot with one event', async () => {
    const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
    const { commands, subscriber } = system.store.connections;
    const connected = async (): Promise<number> =>
      Number(/connected_clients:(\d+)/.exec(await (commands as { info(section: string): Promise<string> }).info('clients'))?.[1]);
    const channelsBefore = subscriber.size;
    // The first poll of a gateway opens connections that stay.
    const first = await system.ownerOnline();
    const begun = poll(agent, system.base, first.robot, first.apiKey);
    await system.untilHolds(1, 'poll');
    await system.link.event(first.robot, 'tap');
    await begun;
    await system.untilHolds(0, 'poll');
    await until(() => subscriber.size === channelsBefore);
    const connectionsBefore = await connected();

    const robots: Owner[] = [];
    for (let i = 0; i < 10; i++) robots.push(await system.ownerOnline());

    const answers: Promise<any>[] = [];
    for (const robot of robots) {
      // A bucket holds 30 tokens, so the 100 polls of a robot use four keys.
      for (let k = 0; k < 4; k++) {
        const { apiKey } = await system.store.apiKeys.create({ account: robot.account });
        for (let i = 0; i < 25; i++) answers.push(poll(agent, system.base, robot.robot, apiKey));
      }
    }
    await system.untilHolds(1000, 'poll');
    assert.equal(subscriber.size, channelsBefore + 10);
    assert.ok((await connected()) <= connectionsBefore, 'Redis connections did not grow');

    let reads = 0;
    const read = system.store.events.read.bind(system.store.events);
    system.store.events.read = (...args) => {
      reads++;
      return read(...args);
    };
    try {
      const seq = await system.link.event(robots[0]!.robot, 'tap');
      const ended = await Promise.all(answers.slice(0, 100));
      assert.ok(ended.every((body) => body.events[0].seq === seq));
      assert.ok(reads <= 3, `${reads} reads for 100 polls`);
      await system.untilHolds(900, 'poll');
      for (const robot of robots.slice(1)) await system.link.event(robot.robot, 'tap');
      await Promise.all(answers);
    } finally {
      system.store.events.read = read;
      agent.destroy();
    }
    await system.untilHolds(0, 'poll');
    await until(() => subscriber.size === channelsBefore);
  });
});

function poll(agent: Agent, base: string, robot: string, apiKey: string): Promise<any> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${base}/v1/robots/${robot}/events?seconds=60`,
      { agent, headers: { authorization: `Bearer ${apiKey}` } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(JSON.parse(text)));
      },
    );
    request.on('error', reject).end();
  });
}
