import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Balance, type Load, MoveLog } from '../src/balance/balance.js';

const stepMs = 200;
const settleMs = 10_000;

type Balancer = 'round-robin' | 'random' | 'leastconn';

interface Link {
  instance: string;
  balance: Balance;
  moved: MoveLog;
  robots: Map<number, number>;
  accepted: number;
  /** Loads received last from the others, up to a second old. */
  known: Load[];
  movesBySecond: Map<number, number>;
}

class Simulation {
  readonly links: Link[];
  readonly #balancer: Balancer;
  readonly #random: () => number;
  #dialling: { robot: number; at: number }[] = [];
  #turn = 0;
  now = 0;
  moves = 0;
  readonly unreached: number;

  /** @param unreached number of robot-links that are alive and accepting, but to which the load balancer routes no robot */
  constructor(start: readonly number[], balancer: Balancer, seed: number, unreached = 0) {
    this.unreached = unreached;
    let state = seed >>> 0 || 1;
    this.#random = () => ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 8) / 2 ** 24;
    this.#balancer = balancer;
    let robot = 0;
    this.links = start.map((count, i) => ({
      instance: `link-${i}`,
      balance: new Balance(`link-${i}`),
      moved: new MoveLog(),
      robots: new Map(Array.from({ length: count }, () => [robot++, -60_000])),
      accepted: count,
      known: [],
      movesBySecond: new Map(),
    }));
  }

  get sessions(): number[] {
    return this.links.map(({ robots }) => robots.size);
  }

  get isEven(): boolean {
    const reached = this.sessions.slice(0, this.sessions.length - this.unreached);
    return Math.max(...reached) <= 1.25 * Math.min(...reached) + 2;
  }

  run(ms: number): void {
    for (const end = this.now + ms; this.now < end; this.now += stepMs) this.#step();
  }

  #step(): void {
    const arrived = this.#dialling.filter(({ at }) => at <= this.now);
    this.#dialling = this.#dialling.filter(({ at }) => at > this.now);
    for (const { robot } of arrived) {
      const link = this.#choose();
      link.robots.set(robot, this.now);
      link.accepted += 1;
    }
    const loads = this.links.map(({ instance, robots, accepted }): Load => ({ instance, sessions: robots.size, accepted, accepting: true }));
    for (const [i, link] of this.links.entries()) {
      if ((this.now / stepMs + i) % 5 === 0) link.known = loads;
      this.#decide(link);
    }
  }

  #choose(): Link {
    const reached = this.links.slice(0, this.links.length - this.unreached);
    if (this.#balancer === 'round-robin') return reached[this.#turn++ % reached.length]!;
    if (this.#balancer === 'random') return reached[Math.floor(this.#random() * reached.length)]!;
    return reached.reduce((least, link) => (link.robots.size < least.robots.size ? link : least));
  }

  #decide(link: Link): void {
    const loads = link.known.map((load) => (load.instance === link.instance ? { ...load, sessions: link.robots.size } : load));
    if (loads.length === 0) return;
    const count = link.balance.decide(loads, this.now);
    const leaving: number[] = [];
    for (const [robot, since] of link.robots) {
      if (leaving.length >= count) break;
      if (link.moved.canMove(String(robot), this.now - since, this.now)) leaving.push(robot);
    }
    link.balance.recordMoved(leaving.length);
    for (const robot of leaving) {
      link.robots.delete(robot);
      link.moved.record(String(robot), this.now);
      this.#dialling.push({ robot, at: this.now + 50 + 500 * this.#random() });
    }
    this.moves += leaving.length;
    const second = Math.floor(this.now / 1000);
    link.movesBySecond.set(second, (link.movesBySecond.get(second) ?? 0) + leaving.length);
  }
}

const balancers: readonly Balancer[] = ['round-robin', 'random', 'leastconn'];
const threeMinutesMs = 180_000;

describe('balancing in a simulation', () => {
  for (const balancer of balancers) {
    for (const start of [
      [60, 0],
      [3, 0],
      [90, 0],
      [1000, 0],
      [60, 60, 0],
      [0, 200, 200, 200],
      [300, 0, 0],
      [400, 400, 400, 400, 400, 400, 400, 400, 400, 0],
      [62, 38],
      [10_000, 5000],
      [1000, 0, 0, 0],
      [2000, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]) {
      it(`balances loads of ${start.join('/')} behind ${balancer} within 3 minutes and then moves no more robots`, () => {
        const simulation = new Simulation(start, balancer, 7);
        simulation.run(threeMinutesMs);
        assert.ok(simulation.isEven, simulation.sessions.join('/'));
        simulation.run(60_000);
        const { moves } = simulation;
        simulation.run(300_000);
        assert.equal(simulation.moves, moves, `still moving: ${simulation.sessions.join('/')}`);
        assert.ok(simulation.isEven, simulation.sessions.join('/'));
      });
    }
  }

  it('reaches the goal from any distribution over 2 robot-links within 3 minutes, behind any load balancer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.constantFrom(...balancers),
        fc.nat(),
        (a, b, balancer, seed) => {
          const simulation = new Simulation([a, b], balancer, seed);
          simulation.run(threeMinutesMs);
          assert.ok(simulation.isEven, simulation.sessions.join('/'));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reaches the goal from any distribution over up to 8 robot-links within 3 minutes, and moves no more robots after the fourth', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...balancers),
        fc.nat(),
        (start, balancer, seed) => {
          const simulation = new Simulation(start, balancer, seed);
          simulation.run(threeMinutesMs);
          assert.ok(simulation.isEven, simulation.sessions.join('/'));
          // Behind a load balancer that chooses at random, one simulation in 600 still moves robots in the fourth minute, and none later (3,000 were run).
          simulation.run(60_000);
          const { moves } = simulation;
          simulation.run(120_000);
          assert.equal(simulation.moves, moves, `still moving: ${simulation.sessions.join('/')}`);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('moves at most the larger of one robot in 5 s and 1 % a second of the robots held at first', () => {
    for (const start of [
      [15, 0],
      [60, 0],
      [3000, 0],
    ]) {
      const simulation = new Simulation(start, 'leastconn', 3);
      simulation.run(threeMinutesMs);
      const { movesBySecond } = simulation.links[0]!;
      const most = Math.max(0.2, 0.01 * start[0]!);
      for (let from = 0; from < 175; from += 1) {
        let sent = 0;
        for (let second = from; second < from + 5; second += 1) sent += movesBySecond.get(second) ?? 0;
        // The first second may also use the saved budget: one robot, or those of a second.
        assert.ok(sent <= 5 * most + Math.max(1, most), `${sent} of ${start[0]} robots in 5 s`);
      }
    }
  });

  it('does not move a robot that came back again for a minute', () => {
    const moved = new MoveLog();
    moved.record('r-1', 1000);
    assert.equal(moved.canMove('r-1', 59_000, 61_000), false);
    assert.equal(moved.canMove('r-1', 60_000, 62_000), true);
    assert.equal(moved.canMove('r-2', 9_000, 62_000), false, 'connected too recently');
    assert.equal(moved.canMove('r-2', 10_000, 62_000), true);
  });

  it('moves only one robot a minute while one robot-link is alive but not reached by robots', () => {
    const simulation = new Simulation([100, 0], 'leastconn', 1, 1);
    simulation.run(threeMinutesMs);
    const { moves } = simulation;
    assert.ok(moves <= 25, `${moves}`);
    simulation.run(600_000);
    assert.ok(simulation.moves - moves <= 10, `${simulation.moves - moves} in 10 minutes`);
  });
});

describe('decisions of one robot-link', () => {
  const link = (instance: string, sessions: number, more: Partial<Load> = {}): Load => ({
    instance,
    sessions,
    accepted: sessions,
    accepting: true,
    ...more,
  });

  /** Returns how many robots are moved in 30 s of these loads, after 30 s of the loads before. */
  function sends(before: Load[], loads: Load[], ms = 30_000): number {
    const balance = new Balance('a');
    let sent = 0;
    let now = 0;
    for (; now < 30_000; now += stepMs) balance.decide(before, now);
    for (; now < 30_000 + ms; now += stepMs) {
      const count = balance.decide(loads, now);
      balance.recordMoved(count);
      sent += count;
    }
    return sent;
  }

  it('moves no robots while it is the only robot-link', () => {
    assert.equal(sends([link('a', 500)], [link('a', 500)]), 0);
  });

  it('moves no robots while another robot-link is leaving', () => {
    const loads = [link('a', 500), link('b', 0, { accepting: false })];
    assert.equal(sends(loads, loads), 0);
  });

  it(`moves no robots in the ${settleMs / 1000} s after a robot-link was added, removed or began to leave`, () => {
    const two = [link('a', 500), link('b', 0)];
    const three = [...two, link('c', 0)];
    assert.ok(sends(two, two, settleMs) > 0);
    assert.equal(sends(two, three, settleMs), 0, 'a robot-link was added');
    assert.equal(sends(three, two, settleMs), 0, 'a robot-link was removed');
    assert.equal(sends([link('a', 500), link('b', 0, { accepting: false })], two, settleMs), 0, 'a robot-link began to accept');
  });

  it('moves no robots when it holds no more than its share', () => {
    const loads = [link('a', 40), link('b', 60)];
    assert.equal(sends(loads, loads), 0);
  });

  it('does not catch up on moves that a paused process missed', () => {
    const balance = new Balance('a');
    const loads = [link('a', 1000), link('b', 0)];
    for (let now = 0; now < 20_000; now += stepMs) balance.recordMoved(balance.decide(loads, now));
    assert.ok(balance.decide(loads, 600_000) <= 10);
  });

  it('does not move robots to a robot-link that it does not know', () => {
    assert.equal(sends([link('b', 0)], [link('b', 0)]), 0);
  });
});
