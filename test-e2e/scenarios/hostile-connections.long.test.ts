/** Robots that connect as they should not: half-open, twice, endlessly, or with a token that was replaced. Other robots are not affected. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { left, waitArmed } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';
import { trafficDuring } from '../fixture/clients/traffic.js';

const long = process.env['PERCH_TEST_LONG'] === '1';

onSharedSystems(
  'connections of hostile robots',
  (system) => {
    const withTraffic = <T>(attack: () => Promise<T>): Promise<T> => trafficDuring(system(), attack);

    it('a half-open connection is replaced by the next one at once, and its call ends with an error instead of hanging', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { id, robot } = await tenant.robot({ instant: true });
        const question = tenant.api().act(id, 'ask', { question: 'Q', answers: ['a', 'b'], timeout_s: 20 });
        await waitArmed(system(), id, robot);
        robot.faults.halfOpen();
        const lost = tenant.api().act(id, 'face', { emotion: 'sad' });
        const before = robot.session;
        robot.faults.redial();
        await robot.until(({ session }) => session !== null && session !== before);
        const { status, body } = await lost;
        assert.ok(status === 200 || body.code === 'outcome_unknown', JSON.stringify(body));
        assert.equal((await tenant.api().act(id, 'move', { yaw: 5 })).status, 200);
        await robot.tap(...left);
        assert.equal((await question).body.outcome, 'answered');
        assert.deepEqual(robot.violations, []);
      }));

    it('a second robot with the same token takes the session over; the older one is closed with 4001 and does not reconnect', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { id, token, robot: older } = await tenant.robot();
        const newer = await tenant.again(token);
        await older.until(({ lastClosed }) => lastClosed?.code === 4001);
        assert.equal((await tenant.api().act(id, 'move', { yaw: 33 })).status, 200);
        assert.equal(newer.head.yaw, 33);
        assert.equal(older.head.yaw, 0);
        assert.deepEqual([older.dials, newer.dials], [1, 1]);
      }));

    it('a robot that dials endlessly gets 429 for a while, and its robot-link stays available to others', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const { robot } = await tenant.offlineRobot({ reconnect: { minMs: 1, maxMs: 5 } });
        const statuses: (number | null)[] = [];
        robot.on('closed', ({ status }) => statuses.push(status));
        robot.on('session', () => robot.faults.dropConnection());
        void robot.start();
        await until(() => statuses.filter((status) => status === 429).length >= 50, { what: '429' });
        assert.ok(statuses.filter((status) => status === null).length <= 105, 'no more than 100 connections in 10 s');
        await robot.stop();
      }));

    it('replacing a token closes its session with 4003, and the robot is away at once', () =>
      withTraffic(async () => {
        const tenant = await system().tenant();
        const serial = `serial-${Math.random()}`;
        const pair = async () => {
          const base = system().link(0).replace('ws:', 'http:').replace('/link', '');
          const post = async (path: string, body: object) =>
            (await fetch(`${base}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
          const begun = (await post('/pair', { serial, model: 'm', firmware: 'f' })) as { device_code: string; user_code: string };
          await system().store.pairing.approve(tenant.account, begun.user_code);
          return (await post('/pair/token', { device_code: begun.device_code })) as { robot_id: string; token: string };
        };
        const first = await pair();
        const robot = await tenant.again(first.token);
        const second = await pair();
        assert.equal(second.robot_id, first.robot_id);
        await robot.until(({ lastClosed }) => lastClosed !== null);
        assert.deepEqual([robot.lastClosed!.code, robot.lastClosed!.final], [4003, true]);
        const { body } = await tenant.api().get(`/v1/robots/${first.robot_id}`);
        assert.equal(body.online, false);
        const again = await tenant.again(second.token);
        assert.equal((await tenant.api().act(first.robot_id, 'face', { emotion: 'happy' })).status, 200);
        assert.equal(again.face.emotion, 'happy');
      }));

    if (long) {
      it('a half-open robot that does not reconnect is away after 45 s of silence', () =>
        withTraffic(async () => {
          const tenant = await system().tenant();
          const { id, robot } = await tenant.robot();
          const since = performance.now();
          robot.faults.halfOpen();
          await until(async () => (await system().store.leases.find(id)).state === 'away', { timeoutMs: 60_000, everyMs: 250 });
          assert.ok(performance.now() - since > 40_000);
        }));
    }
  },
  [shapes[1]!],
);
