import { updateFile } from '@perch/installer/node';
import { robotUpdateStatus, type RobotUpdateStatus } from '@perch/schema';
import { until } from '@perch/testkit';
import type { RobotOptions } from '@perch/virtual-robot';
import assert from 'node:assert/strict';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

describe('an update of the robot program', () => {
  const { version } = updateFile();
  const oldFirmware = 'micropython-1.27.0 perch-0.0';
  const lines: Record<string, unknown>[] = [];
  const system = useLinks();
  const link = useLink(system, { logTo: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) } });

  async function status({ id }: TestRobot): Promise<RobotUpdateStatus | null> {
    const [record, stored] = await Promise.all([system.store.robots.get(id), system.store.robots.updates.read(id)]);
    return robotUpdateStatus(record!.firmware, stored, system.store.clock.now());
  }

  async function comesTo(robot: TestRobot, state: RobotUpdateStatus['state']): Promise<RobotUpdateStatus> {
    return until(async () => {
      const now = await status(robot);
      return now?.state === state ? now : null;
    });
  }

  async function connected(options: Partial<RobotOptions> = {}): Promise<TestRobot> {
    const robot = await system.robot(link, { firmware: oldFirmware, ...options });
    await robot.robot.start();
    if (options.firmware === undefined) await comesTo(robot, 'offered');
    return robot;
  }

  /** As the gateway and the command line do. */
  async function request({ id, account }: TestRobot): Promise<unknown> {
    const asked = await system.store.robots.updates.request(account, id, 'page', system.store.clock.now());
    if (typeof asked === 'string') return asked;
    const { instance, session } = asked.holder;
    const expires = system.store.clock.now() + 5000;
    await system.store.linkMailbox.send(instance, {
      t: 'state',
      id: 'q1',
      robot: id,
      session,
      gateway: system.store.instance,
      expires,
      settings: true,
    });
    return asked.version;
  }

  function logged({ id }: TestRobot): unknown[] {
    return lines.filter(({ audit, robot }) => audit !== undefined && robot === id).map(({ audit }) => audit);
  }

  async function activity({ id, account }: TestRobot): Promise<unknown[]> {
    const query = { after: 0, before: null, limit: 1000, kind: null, accept: () => true };
    const { entries } = await system.store.activity.read(account, query);
    return entries.filter(({ robot }) => robot === id).map(({ action, outcome }) => `${action} ${outcome}`);
  }

  it('is sent when the owner asks for it; the robot comes back with the version, and each step is logged and in the activity', async () => {
    const robot = await connected();
    assert.equal(await request(robot), version);
    assert.deepEqual(await comesTo(robot, 'up_to_date'), { state: 'up_to_date', current: version, offered: null, error: null });
    assert.equal(robot.robot.updates.firmware, `micropython-1.27.0 perch-${version}`);
    const steps = ['robot_update_started', 'robot_update_installed'];
    await until(() => logged(robot).length === 2);
    assert.deepEqual(logged(robot), steps);
    const noted = await until(async () => ((await activity(robot)).length === 2 ? activity(robot) : null));
    assert.deepEqual(
      noted,
      steps.map((step) => `${step} ok`),
    );
    assert.deepEqual(robot.robot.violations, []);
  });

  it('fails with the reason that the robot gives, and can be tried again', async () => {
    const robot = await connected();
    robot.robot.faults.failUpdate('download');
    await request(robot);
    assert.deepEqual(await comesTo(robot, 'failed'), { state: 'failed', current: '0.0', offered: version, error: 'the file has another sha256' });
    const line = await until(() => lines.find(({ audit, robot: of }) => audit === 'robot_update_failed' && of === robot.id));
    assert.deepEqual([line['error'], line['version'], line['level']], ['the file has another sha256', version, 'warn']);
    await until(async () => (await activity(robot)).length === 2);
    assert.deepEqual(await activity(robot), ['robot_update_started ok', 'robot_update_failed failed']);
    robot.robot.faults.none();
    assert.equal(await request(robot), version);
    await comesTo(robot, 'up_to_date');
  });

  it('counts in the metric by its outcome, and with the reason where the robot refused it', async () => {
    const counts = async (): Promise<Record<string, number>> => {
      const { values } = await link.registry.getSingleMetric('perch_link_robot_updates_total')!.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels['outcome'], value]));
    };
    const before = await counts();
    for (const refused of ['unsigned', 'foreign', 'changed', 'lower', 'early', 'of a later release', undefined]) {
      const robot = await connected();
      const stored = await system.store.robots.updates.read(robot.id);
      await system.store.robots.updates.change(robot.account, robot.id, () => ({ ...stored!, state: 'updating', version }));
      robot.robot.faults.sendRaw(JSON.stringify({ t: 'update_failed', version, error: 'no', ...(refused && { refused }) }));
      assert.equal((await comesTo(robot, 'failed')).error, 'no');
      assert.ok(robot.robot.online);
    }
    const robot = await connected();
    await request(robot);
    await comesTo(robot, 'up_to_date');
    const grown = (now: Record<string, number>) =>
      Object.entries(now).flatMap(([outcome, count]) => (count > before[outcome]! ? [[outcome, count - before[outcome]!]] : []));
    await until(async () => grown(await counts()).length === 7);
    assert.deepEqual(Object.fromEntries(grown(await counts())), { installed: 1, failed: 2, unsigned: 1, foreign: 1, changed: 1, lower: 1, early: 1 });
  });

  it('fails when the new program does not start', async () => {
    const robot = await connected();
    robot.robot.faults.failUpdate('start', 'SyntaxError');
    await request(robot);
    assert.match((await comesTo(robot, 'failed')).error!, /did not start: SyntaxError/);
    assert.ok(robot.robot.online);
  });

  it('fails when the robot starts again before the update was installed', async () => {
    const robot = await connected({ faults: { neverAck: ['update'] } });
    robot.robot.faults.failUpdate('download', 'later');
    const stored = await system.store.robots.updates.read(robot.id);
    await system.store.robots.updates.change(robot.account, robot.id, () => ({ ...stored!, state: 'updating', version }));
    robot.robot.restart('start', { cause: 'power_on' });
    assert.match((await comesTo(robot, 'failed')).error!, /started again before/);
  });

  it('waits for the end of a question', async () => {
    const robot = await connected();
    const wait = await system.gateway.wait(robot, { kind: 'clickmap', targets: [{ shape: 'rect', x: 0, y: 0, w: 320, h: 240 }] });
    await until(() => link.app.robots.length > 0);
    await request(robot);
    await until(async () => (await status(robot))?.state === 'requested');
    assert.equal(
      robot.robot.commands.some(({ name }) => name === 'update'),
      false,
    );
    await robot.robot.tap(100, 100);
    await comesTo(robot, 'up_to_date');
    assert.ok(wait.number > 0);
  });

  it('is refused for another program, for a robot that has the version, for one that is away, and while an update runs', async () => {
    assert.equal(await request(await connected({ firmware: '1.0.0' })), 'other_program');
    const current = await connected({ firmware: `micropython-1.27.0 perch-${version}` });
    await comesTo(current, 'up_to_date');
    assert.equal(await request(current), 'up_to_date');
    const running = await connected({ faults: { nack: { code: 'busy', names: ['update'] } } });
    assert.equal(await request(running), version);
    assert.equal(await request(running), 'running');
    const away = await connected();
    await away.robot.stop();
    await until(async () => (await request(away)) === 'away');
  });
});
