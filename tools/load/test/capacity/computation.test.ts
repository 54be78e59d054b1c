import assert from 'node:assert/strict';
import { boundsOf } from '../../src/capacity/bounds.js';
import { coresPerRobot, costsOf, processKinds, type Costs, type ProcessKind } from '../../src/capacity/costs.js';
import { heldOf, sizeOf } from '../../src/capacity/fleet-size.js';
import { scenarioNames, type ScenarioName } from '../../src/capacity/scenarios.js';
import { defaultMix } from '../../src/mix.js';
import type { Report } from '../../src/report/report.js';
import { sampleReport } from '../report/sample-report.js';

const perKind = <T>(of: (kind: ProcessKind) => T): Record<ProcessKind, T> =>
  Object.fromEntries(processKinds.map((kind) => [kind, of(kind)])) as Record<ProcessKind, T>;

function reportWith(robots: number, units: number, cores: number): Report {
  const processes = processKinds.map((name) => ({ name, rss_mb: [100], cores, cores_series: [cores], growth: null }));
  return sampleReport([], [], { robots, actions: units * 60, minutes: 1, processes });
}

const scenarioReports = Object.fromEntries(
  scenarioNames.map((name) => [
    name,
    name === 'empty' ? reportWith(0, 0, 0.01) : name === 'idle' ? reportWith(1000, 0, 0.11) : reportWith(100, 50, 0.12),
  ]),
) as Record<ScenarioName, Report>;
const costs: Costs = costsOf(scenarioReports);
const cpu = { own: perKind(() => 0.01), perRobot: perKind(() => 1e-4) };
const memory = { base: perKind(() => 100), robotKb: 10, heldKb: 20, redisRobotKb: 5 };

describe('the costs', () => {
  it("subtracts the processes' own costs from the idle run to get the costs of a robot", () => {
    assert.ok(Math.abs(costs.empty['robot-link'] - 10) < 1e-9);
    assert.ok(Math.abs(costs.idle['robot-link'] - 0.1) < 1e-9);
  });

  it('subtracts idle robots and processes to get the costs of a call', () => {
    assert.ok(Math.abs(costs.calls.gateway - (120 - 10 - 10) / 50) < 1e-9, String(costs.calls.gateway));
  });

  it('rejects a run without anything to divide by', () => {
    assert.throws(() => costsOf({ ...scenarioReports, cards: reportWith(100, 0, 0.1) }), /scenario cards has no calls/);
  });
});

describe('the cores of a robot', () => {
  it('equal the slope of the line through the runs', () => {
    const runs = [500, 1000, 2000].map((robots) => reportWith(robots, 0, 0.02 + robots * 5e-5));
    assert.ok(Math.abs(coresPerRobot(runs, 'gateway') - 5e-5) < 1e-9);
  });

  it('the cores of a robot cannot be computed from runs with one number of robots', () => {
    assert.throws(() => coresPerRobot([reportWith(500, 0, 0.1), reportWith(500, 0, 0.2)], 'gateway'), /different numbers of robots/);
  });
});

describe('the size of a fleet', () => {
  it('has at least two instances of a service and one Redis', () => {
    assert.equal(sizeOf('webhooks', 1, defaultMix, cpu, memory).instances, 2);
    assert.equal(sizeOf('Redis', 1, defaultMix, cpu, memory).instances, 1);
  });

  it('counts the readers that gateways hold open', () => {
    assert.equal(heldOf(1000, { readers: { poll: 1, stream: 1, webhook: 2 } }), 500);
  });

  it('gives no instance more CPU or connections than planned', () => {
    for (const robots of [10_000, 100_000, 1_000_000]) {
      for (const kind of processKinds) {
        const { instances, busyCores: busy } = sizeOf(kind, robots, defaultMix, cpu, memory);
        assert.ok(busy / instances <= 0.5 && (kind !== 'robot-link' || robots / instances <= 10_000), `${kind} at ${robots}`);
      }
    }
  });
});

describe('the bounds', () => {
  it('lists the bounds from the fewest robots on, and they follow the settings', () => {
    const bounds = boundsOf(costs, cpu, { robots: 1000, small_accounts_ms: 200, one_account_ms: 600 });
    const robots = bounds.map((bound) => bound.robots);
    assert.deepEqual(
      robots,
      robots.toSorted((a, b) => a - b),
    );
    assert.ok(bounds.some(({ what, robots: most }) => what.includes('PERCH_MEDIA_MB') && Math.round(most) === 1802));
    assert.ok(bounds.some(({ what, robots: most }) => what.includes('webhooks') && most === 300_000));
  });
});
