/** Every gateway and robot-link is replaced, behind load balancers with health checks only that react up to 1 s late and retry nothing. */
import assert from 'node:assert/strict';
import type { ServiceName, ServiceProcess } from '@perch/launcher';
import { privateRedis, TcpBalancer, until, type BalancedServer, type LocalRedis } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { metric } from '../fixture/telemetry/metric.js';
import { post } from '../fixture/clients/post.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';

const robotCount = 10;
/** A key's bucket gains 10 a second. */
const callEveryMs = 250;
/** The balancers react 0.4 to 0.8 s after SIGTERM, or later on a busy machine. */
const checkEveryMs = 400;
const drainDelayMs = 3000;
const question = { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 100 };

interface Program {
  id: string;
  key: string;
  robot: VirtualRobot;
  moves: number;
}

describe('replacing every gateway and robot-link behind load balancers', () => {
  let redis: LocalRedis;
  let system: SystemUnderTest;
  let gatewayBalancer: TcpBalancer;
  let linkBalancer: TcpBalancer;
  const records: { text: string; program: Program; status: number | null; code: string | null }[] = [];

  before(async () => {
    redis = await privateRedis();
    const env = { ...process.env, PERCH_LOG_LEVEL: 'warn', PERCH_DRAIN_DELAY_MS: String(drainDelayMs), PERCH_LINK_BALANCE: 'true' };
    system = await SystemUnderTest.open({ gateways: 2, links: 2, renderers: 1 }, { redis: redis.url, env });
    const behind = (all: readonly ServiceProcess[]) => (): BalancedServer[] => all.map(serverOf);
    gatewayBalancer = await TcpBalancer.open({ servers: behind(system.cluster.gateways), checkEveryMs });
    linkBalancer = await TcpBalancer.open({ servers: behind(system.cluster.links), checkEveryMs });
  });
  after(async () => {
    await system.clear();
    await Promise.all([gatewayBalancer.close(), linkBalancer.close()]);
    await system.close();
    await redis.stop();
  });

  async function newProgram(): Promise<Program> {
    const tenant = await system.tenant();
    const { robot: id, token } = await system.store.robots.create({ account: tenant.account });
    const robot = new VirtualRobot({ url: `ws://127.0.0.1:${linkBalancer.port}/robot/v1/link`, token, instant: true });
    system.keep(robot);
    const program: Program = { id, key: tenant.key, robot, moves: 0 };
    await robot.start();
    robot.on('session', () => (program.moves += 1));
    return program;
  }

  const urlOf = ({ id }: Program, action: string): string => `http://127.0.0.1:${gatewayBalancer.port}/v1/robots/${id}/${action}`;

  async function call(program: Program, running: () => boolean): Promise<void> {
    for (let n = 0; running(); n += 1) {
      const text = `${program.id} ${n}`;
      const since = performance.now();
      records.push({ text, program, ...(await post(urlOf(program, 'say'), program.key, { text, seconds: 1 })) });
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, callEveryMs - (performance.now() - since))));
    }
  }

  async function replace(service: ServiceName, old: ServiceProcess): Promise<void> {
    await system.cluster.add(service);
    // Its balancer must have the successor before the old one gets SIGTERM, as a deployment waits for readiness.
    await (service === 'gateway' ? gatewayBalancer : linkBalancer).check();
    const { code } = await old.stop(30_000);
    assert.equal(code, 0);
    const list = (service === 'gateway' ? system.cluster.gateways : system.cluster.links) as ServiceProcess[];
    list.splice(list.indexOf(old), 1);
  }

  it('replacing every instance fails, loses and duplicates no action, breaks no wait and no sound, and each robot that moves needs one dial', async function () {
    this.timeout(180_000);
    const [asking, playing, ...programs] = (await Promise.all(Array.from({ length: robotCount }, newProgram))) as [Program, Program, ...Program[]];
    let running = true;
    const calls = programs.map((program) => call(program, () => running));
    const played = await post(urlOf(playing, 'sound'), playing.key, { notes: 'C4:30000' });
    assert.equal(played.status, 200);
    for (const [i, link] of [...system.cluster.links].entries()) {
      // A wait outlives the robot-link that shows it. A gateway's own waits end with it, or are answered during its drain.
      const answer = post(urlOf(asking, 'ask'), asking.key, question);
      await asking.robot.until(({ screen }) => screen.question !== null);
      await replace('robot-link', link);
      await asking.robot.until(({ online, screen }) => online && screen.question !== null);
      await asking.robot.tap(40, 200);
      assert.deepEqual([(await answer).status, i], [200, i]);
    }
    for (const gateway of [...system.cluster.gateways]) await replace('gateway', gateway);
    running = false;
    await Promise.all(calls);

    const failed = records.filter(({ status }) => status !== 200).map(({ status, code }) => code ?? status);
    assert.deepEqual(failed, [], `${failed.length} of ${records.length} actions failed`);
    for (const { text, program } of records) {
      const done = program.robot.commands.filter(({ args, outcome }) => args['text'] === text && outcome === 'done').length;
      assert.equal(done, 1, `${text} was done ${done} times`);
    }
    assert.ok(programs.some(({ moves }) => moves > 0));
    // A robot dials at once when its robot-link drains. A dial that fails would leave it without a session until the next one, a second later.
    const dials = [asking, playing, ...programs].map(({ robot, moves }) => robot.dials - 1 - moves);
    assert.deepEqual(new Set(dials), new Set([0]));
    for (const { robot } of [asking, playing, ...programs]) assert.deepEqual(robot.violations, []);
    assert.deepEqual(
      playing.robot.sounds.map(({ done, gaps }) => [done ?? 'end', gaps]),
      [['end', 0]],
      'the sound was neither broken off nor late',
    );
  });

  it('after replacing every instance the largest robot-link holds at most 1.25 times the robots of the smallest, plus 2', async () => {
    const sessions = (): Promise<number[]> => Promise.all(system.cluster.links.map(({ admin }) => metric(admin, 'perch_link_sessions')));
    await until(
      async () => {
        const held = await sessions();
        return held.reduce((sum, count) => sum + count, 0) === robotCount && Math.max(...held) <= 1.25 * Math.min(...held) + 2;
      },
      { timeoutMs: 100_000, what: 'even robot-links' },
    );
  });
});

function serverOf({ address, admin }: ServiceProcess): BalancedServer {
  const { hostname, port } = new URL(address);
  return { host: hostname, port: Number(port), readyz: `${admin}/readyz` };
}
