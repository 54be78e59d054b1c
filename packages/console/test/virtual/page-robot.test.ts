/** The page's reaction to a closed connection: it reconnects if that can help, and never takes the robot back from another page on its own. */
import assert from 'node:assert/strict';
import { isHere, isLost, PageRobot } from '../../src/pages/virtual/page-robot.js';

class ScriptedSocket extends EventTarget {
  static readonly OPEN = 1;
  static dialled: ScriptedSocket[] = [];
  readyState = 0;
  binaryType = 'blob';

  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    ScriptedSocket.dialled.push(this);
  }

  static get last(): ScriptedSocket {
    return ScriptedSocket.dialled.at(-1)!;
  }

  send(): void {}

  close(code = 1000): void {
    queueMicrotask(() => this.ended(code));
  }

  welcome(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
    const welcome = { t: 'welcome', v: 1, session: 's', time_ms: 1, sensors_ms: 2000, ping_ms: 15_000, in_ack: 0 };
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(welcome) }));
  }

  ended(code: number): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason: '' }));
  }
}

class ManualClock {
  #now = 0;
  #last = 0;
  readonly #timers = new Map<number, { at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, ms: number): number {
    this.#timers.set(++this.#last, { at: this.#now + ms, run });
    return this.#last;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number);
  }

  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next[0]);
      this.#now = next[1].at;
      next[1].run();
    }
    this.#now = until;
  }
}

const hourMs = 3_600_000;
const first = 'ws://one.example/robot/v1/link';
const second = 'ws://two.example/robot/v1/link';
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('PageRobot', () => {
  const globals = globalThis as { WebSocket?: unknown };
  const native = globals.WebSocket;
  let clock: ManualClock;
  let page: PageRobot;
  let phases: string[];

  before(() => (globals.WebSocket = ScriptedSocket));
  after(() => (globals.WebSocket = native));

  beforeEach(() => {
    ScriptedSocket.dialled = [];
    phases = [];
    clock = new ManualClock();
    page = new PageRobot({ url: first, token: 'rt_x', clock, onPhase: () => phases.push(page.phase.name) });
    page.start();
  });

  afterEach(() => page.stop());

  it('becomes online when the service accepts the handshake', () => {
    assert.equal(page.phase.name, 'connecting');
    ScriptedSocket.last.welcome();
    assert.deepEqual([page.phase.name, page.robot.online, phases], ['online', true, ['connecting', 'online']]);
  });

  it('does not reconnect after another page has taken the robot over, until started again', async () => {
    ScriptedSocket.last.welcome();
    ScriptedSocket.last.ended(4001);
    await settled();
    clock.pass(hourMs);
    assert.deepEqual([page.phase.name, ScriptedSocket.dialled.length], ['elsewhere', 1]);
    page.start();
    assert.deepEqual([page.phase.name, ScriptedSocket.dialled.length], ['connecting', 2]);
    ScriptedSocket.last.welcome();
    assert.equal(page.phase.name, 'online');
  });

  for (const [code, phase] of [
    [4003, 'revoked'],
    [4010, 'outdated'],
  ] as const) {
    it(`does not reconnect after close code ${code}`, async () => {
      ScriptedSocket.last.welcome();
      ScriptedSocket.last.ended(code);
      await settled();
      clock.pass(hourMs);
      assert.deepEqual([page.phase.name, ScriptedSocket.dialled.length], [phase, 1]);
    });
  }

  it('reconnects after a loss, and counts consecutive failed attempts', () => {
    ScriptedSocket.last.welcome();
    ScriptedSocket.last.ended(1006);
    assert.deepEqual(page.phase, { name: 'connecting', failures: 0 });
    for (const failures of [1, 2, 3]) {
      clock.pass(90_000);
      ScriptedSocket.last.ended(1006);
      assert.deepEqual(page.phase, { name: 'connecting', failures });
    }
    clock.pass(90_000);
    ScriptedSocket.last.welcome();
    assert.equal(page.phase.name, 'online');
  });

  it('continues as the same robot at a new URL, at once if it waits for a retry', async () => {
    const { bootId } = page.robot;
    for (let dial = 0; dial < 3; dial++) {
      ScriptedSocket.last.ended(1006);
      clock.pass(90_000);
    }
    assert.deepEqual([isLost(page.phase), ScriptedSocket.last.url], [true, first]);
    await page.moveTo(second);
    assert.deepEqual([isLost(page.phase), ScriptedSocket.last.url, page.robot.bootId], [true, second, bootId]);
    ScriptedSocket.last.welcome();
    assert.equal(isLost(page.phase), false);
    const dials = ScriptedSocket.dialled.length;
    await page.moveTo(first);
    assert.deepEqual([page.phase.name, ScriptedSocket.dialled.length], ['online', dials]);
    ScriptedSocket.last.ended(1006);
    clock.pass(90_000);
    assert.equal(ScriptedSocket.last.url, first);
  });

  it('does not reconnect to a URL that the policy forbids, until it gets another URL', async () => {
    page.stopForbidden();
    ScriptedSocket.last.ended(1006);
    await settled();
    clock.pass(hourMs);
    assert.deepEqual([page.phase.name, isHere(page.phase), isLost(page.phase), ScriptedSocket.dialled.length], ['moved', false, true, 1]);
    await page.moveTo(second);
    assert.deepEqual([page.phase.name, ScriptedSocket.last.url], ['connecting', second]);
  });

  it('connects at once on dialNow, but only if it waits for a retry', async () => {
    ScriptedSocket.last.ended(1006);
    await page.dialNow();
    assert.equal(ScriptedSocket.dialled.length, 2);
    ScriptedSocket.last.welcome();
    await page.dialNow();
    assert.deepEqual([page.phase.name, ScriptedSocket.dialled.length], ['online', 2]);
  });
});
