import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { needsPromtool, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { waitArmed, left } from '../fixture/robots/question.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const delivered = 'perch_link_command_delivery_seconds';

describe('the metrics of robots (2 gateways, 2 robot-links, PERCH_METRICS_ROBOTS=true)', () => {
  const system = useSystem({ gateways: 2, links: 2, renderers: 1, env: { PERCH_METRICS_ROBOTS: 'true' } });
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await system.tenant();
  });

  const scrape = async (link: number): Promise<string> => {
    const response = await fetch(`${system.cluster.links[link]!.admin}/metrics/robots`);
    assert.equal(response.status, 200);
    return response.text();
  };
  const sampleOf = (text: string, name: string, robot: string, more = ''): number | null => {
    const start = `${name}{account="${tenant.account}",robot="${robot}"${more}} `;
    const line = text.split('\n').find((each) => each.startsWith(start));
    return line === undefined ? null : Number(line.slice(start.length));
  };
  const total = async (name: string, labels: Record<string, string> = {}): Promise<number> => {
    const values = await Promise.all(system.cluster.links.map(({ admin }) => metric(admin, name, labels)));
    return values.reduce((sum, value) => sum + value, 0);
  };

  it('the metrics of a robot are at the robot-link that holds it, follow its readings, and disappear when it disconnects', async () => {
    const here = await tenant.robot({ sensors: false });
    const there = await tenant.robot({ sensors: false }, 1);
    for (const [battery, ratio] of [
      [81, 0.81],
      [40, 0.4],
    ] as const) {
      here.robot.setReading('battery_pct', battery);
      here.robot.reportNow();
      await until(async () => sampleOf(await scrape(0), 'perch_robot_battery_ratio', here.id) === ratio);
    }
    assert.equal((await tenant.api().act(here.id, 'leds', { color: '#102030' })).status, 200);
    const texts = [await scrape(0), await scrape(1)] as const;
    assert.equal(sampleOf(texts[0], 'perch_robot_up', here.id), 1);
    assert.equal(sampleOf(texts[0], 'perch_robot_acks_total', here.id, ',outcome="ack"'), 1);
    assert.ok(!texts[0].includes(there.id) && !texts[1].includes(here.id));
    assert.equal(sampleOf(texts[1], 'perch_robot_up', there.id), 1);
    await here.robot.stop();
    await until(async () => !(await scrape(0)).includes(here.id));
    assert.equal(sampleOf(await scrape(1), 'perch_robot_up', there.id), 1);
  });

  it('promtool accepts the metrics of both robot-links without a remark', async function () {
    needsPromtool(this);
    await tenant.robot();
    const { admin } = system.cluster.links[0]!;
    for (const path of ['/metrics', '/metrics/robots']) {
      const input = await (await fetch(admin + path)).text();
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
      assert.deepEqual([path, status, stdout, stderr], [path, 0, '', '']);
    }
  });

  it('the delivery of each call is counted once, from its arrival at any gateway, at any robot-link', async () => {
    const robots = [await tenant.robot(), await tenant.robot({}, 1)];
    const count = (name?: string): Promise<number> => total(`${delivered}_count`, name === undefined ? {} : { name });
    const [before, ledsBefore] = [await count(), await count('leds.set')];
    const calls = Array.from({ length: 12 }, (_, i) => ({ robot: robots[i % 2]!.id, gateway: i % 4 < 2 ? 0 : 1 }));
    for (const { robot, gateway } of calls) {
      const { status, body } = await tenant.api(gateway).act(robot, 'leds', { color: '#102030' });
      assert.equal(status, 200, JSON.stringify(body));
    }
    const idempotent = { headers: { 'idempotency-key': 'delivered-once' } };
    for (let i = 0; i < 2; i += 1) assert.equal((await tenant.api(i).act(robots[0]!.id, 'face', { emotion: 'happy' }, idempotent)).status, 200);
    assert.equal((await tenant.api().act(robots[0]!.id, 'sound', { chime: 'yes', volume: 40 })).status, 200);
    assert.equal(await count('leds.set'), ledsBefore + calls.length);
    assert.equal(await count('face'), 1);
    assert.equal(await count(), before + calls.length + 2);
  });

  it('the delivery time includes the wait for a renderer, and the picture of a question is counted', async () => {
    const { id, robot } = await tenant.robot();
    const [count, seconds] = [await total(`${delivered}_count`), await total(`${delivered}_sum`)];
    const gateway = system.cluster.gateways[0]!;
    const renderer = system.cluster.renderers[0]!;
    const stoppedMs = 1000;
    renderer.signal('SIGSTOP');
    const asking = tenant.api().act(id, 'ask', { question: `Is ${id} there?`, answers: ['Yes', 'No'], timeout_s: 30 });
    try {
      await until(async () => (await metric(gateway.admin, 'perch_gateway_awaited_renders')) === 1);
      await sleep(stoppedMs);
    } finally {
      renderer.signal('SIGCONT');
    }
    await waitArmed(system, id, robot);
    await robot.tap(...left);
    assert.equal((await asking).status, 200);
    // The tap was answered after the picture, the first command of the call. Its removal from the screen is not counted.
    assert.equal(await total(`${delivered}_count`), count + 1);
    const tookS = (await total(`${delivered}_sum`)) - seconds;
    // The clocks of two instances differ by a few ms.
    assert.ok(tookS >= (stoppedMs / 1000) * 0.9, `${tookS} s`);
  });
});
