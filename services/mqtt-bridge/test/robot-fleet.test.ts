/** Two bridges on one broker, each with a list of robots that its key reaches, which the test changes. */
import assert from 'node:assert/strict';
import type { Perch, Robot } from '@perch/client';
import { createLogger } from '@perch/runtime';
import { until } from '@perch/testkit';
import { RobotFleet } from '../src/robots/robot-fleet.js';
import { retainedTopics, Topics } from '../src/topics.js';

const settings = { topic: 'perch', birthTopic: 'homeassistant/status' };
const robotOf = (id: string): Robot => ({ id, name: id, online: true, model: 'stackchan', firmware: '1', commands: [], labels: {} });

/** Sends each message to every bridge in one order, and retains. */
class Bus {
  readonly retained = new Map<string, string>();
  readonly sent: { topic: string; payload: string }[] = [];
  readonly fleets: RobotFleet[] = [];

  publish(topic: string, payload: string, { retain = false } = {}): true {
    this.sent.push({ topic, payload });
    if (retain && payload === '') this.retained.delete(topic);
    else if (retain) this.retained.set(topic, payload);
    for (const fleet of this.fleets) fleet.receive(topic, payload, false);
    return true;
  }

  /** @param robots ids, read at each poll */
  join(keyId: string, robots: Set<string>, discoveryPrefix = 'homeassistant'): { fleet: RobotFleet; topics: Topics } {
    const topics = new Topics({ ...settings, discoveryPrefix, keyId, clientId: `perch-${keyId}` });
    const perch = {
      robots: async () => [...robots].map(robotOf),
      robot: (id: string) => ({
        state: async () => ({
          ...robotOf(id),
          readings: {},
          readings_at: '2026-01-01T00:00:00Z',
          showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
          volume_max: null,
          quiet_hours: null,
          events: [],
          last_seq: 0,
        }),
        // None, until the robot is stopped.
        events: ({ signal }: { signal: AbortSignal }) => ({
          [Symbol.asyncIterator]: () => ({
            next: () => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ done: true, value: undefined }))),
          }),
        }),
      }),
    } as unknown as Perch;
    const fleet = new RobotFleet({
      perch,
      lister: perch,
      baseUrl: 'http://127.0.0.1:1',
      topics,
      withNetwork: false,
      pollMs: 200,
      log: createLogger({ level: 'silent', service: 'mqtt-bridge', instance: keyId }),
      metrics: { command: () => undefined, event: () => undefined },
      publish: (topic, payload, options) => this.publish(topic, payload, options),
    });
    this.publish(topics.claim, '{"number":1,"instance":"a","robots":true}', { retain: true });
    fleet.connecting();
    this.fleets.push(fleet);
    for (const [topic, payload] of this.retained) fleet.receive(topic, payload, true);
    fleet.start();
    fleet.connected();
    return { fleet, topics };
  }
}

describe('the robots of several bridges', () => {
  let bus: Bus;
  beforeEach(() => (bus = new Bus()));
  afterEach(() => Promise.all(bus.fleets.map((fleet) => fleet.stop())));
  const announced = (id: string, { name }: Topics): Promise<boolean> =>
    until(() => bus.retained.get(`homeassistant/device/perch_${id}/config`)?.includes(name) === true);

  it('a robot that leaves the key of its bridge goes to the bridge that waits for it, and nothing of it is removed', async () => {
    const robots = new Set(['r-a', 'r-b']);
    const one = bus.join('key1', robots);
    await Promise.all([announced('r-a', one.topics), announced('r-b', one.topics)]);
    const two = bus.join('key2', new Set(['r-a']));
    await until(() => bus.retained.get(two.topics.waiting) === '["r-a"]');
    robots.delete('r-a');
    await announced('r-a', two.topics);
    const removed = bus.sent.filter(({ topic, payload }) => payload === '' && topic.includes('r-a'));
    assert.deepEqual(
      removed.map(({ topic }) => topic),
      [one.topics.robot('r-a').claim],
    );
  });

  it('a command that arrives right behind the claim of its robot is done, and none once another bridge has the claim', async () => {
    const { fleet, topics } = bus.join('key1', new Set(['r-a']));
    const { claim, error } = topics.robot('r-a');
    const isRefused = (): boolean => bus.retained.get(error)?.includes('there is no such command') === true;
    let [wasTaken, wasTakenLater] = [false, true];
    const publish = bus.publish.bind(bus);
    bus.publish = (topic, payload, options) => {
      publish(topic, payload, options);
      // Before any other task of the bridge runs.
      if (topic === claim && payload.includes(topics.name)) {
        fleet.command('r-a', 'fly', '');
        wasTaken = isRefused();
      }
      return true;
    };
    await until(() => bus.retained.get(claim)?.includes(topics.name) === true);
    assert.equal(wasTaken, true);
    await announced('r-a', topics);
    publish(error, '', { retain: true });
    publish(claim, JSON.stringify({ bridge: 'key2/perch-key2', prefix: 'homeassistant' }), { retain: true });
    fleet.command('r-a', 'swim', '');
    wasTakenLater = bus.retained.get(error)?.includes('swim') === true;
    assert.equal(wasTakenLater, false);
  });

  it('a robot that leaves the key of its bridge is removed where no other bridge waits, also below the prefix of an earlier run', async () => {
    const robots = new Set(['r-a']);
    const one = bus.join('key1', robots);
    await announced('r-a', one.topics);
    await one.fleet.stop();
    bus.fleets.splice(0);
    robots.delete('r-a');
    const again = bus.join('key1', robots, 'ha');
    const own = again.topics.robot('r-a');
    await until(() => [...retainedTopics(own), one.topics.robot('r-a').discovery].every((topic) => !bus.retained.has(topic)));
  });
});
