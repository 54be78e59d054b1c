import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMetrics } from '@perch/runtime';
import { Check, CheckFailed, type CheckOptions } from '../src/check.js';
import { createProbeMetrics } from '../src/metrics.js';
import { Stalls } from '../src/stalls.js';

describe('a check of the probe', () => {
  function checkOf(run: CheckOptions['run'], { timeoutMs = 60_000, stalled = () => false }: { timeoutMs?: number; stalled?: () => boolean } = {}) {
    const registered = createMetrics('probe');
    const lines: string[] = [];
    const write = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify({ ...fields, ms: undefined })}`);
    const check = new Check({
      name: 'call',
      run,
      timeoutMs,
      afterStallMs: 0,
      stalls: { after: stalled },
      metrics: createProbeMetrics(registered, () => false),
      log: { info: write, warn: write } as unknown as CheckOptions['log'],
    });
    const figures = async (): Promise<Record<string, number>> => {
      const text = await registered.registry.metrics();
      return Object.fromEntries([...text.matchAll(/^(perch_probe_\S+) (\S+)$/gm)].map(([, name, value]) => [name!, Number(value)]));
    };
    return { check, lines, figures };
  }
  const counts = (figures: Record<string, number>): number[] => [
    figures['perch_probe_checks_total{check="call",outcome="ok"}']!,
    figures['perch_probe_checks_total{check="call",outcome="failed"}']!,
    figures['perch_probe_checks_skipped_total{check="call"}']!,
    figures['perch_probe_check_seconds_count{check="call"}'] ?? 0,
  ];

  it('counts from 0, and the duration of those that succeed', async () => {
    let outcome: () => Promise<void> = async () => {};
    let stalled = false;
    const { check, figures } = checkOf(() => outcome(), { stalled: () => stalled });
    assert.deepEqual(counts(await figures()), [0, 0, 0, 0]);
    const lastAt = async (): Promise<number> => (await figures())['perch_probe_last_check_timestamp_seconds{check="call"}']!;
    const startedAt = await lastAt();
    assert.ok(Math.abs(startedAt - Date.now() / 1000) < 60);
    await sleep(20);
    await check.run();
    assert.deepEqual(counts(await figures()), [1, 0, 0, 1]);
    outcome = () => Promise.reject(new Error('refused'));
    await check.run();
    assert.deepEqual(counts(await figures()), [1, 1, 0, 1]);
    const endedAt = await lastAt();
    assert.ok(endedAt > startedAt);
    stalled = true;
    await sleep(20);
    await check.run();
    assert.deepEqual(counts(await figures()), [1, 1, 1, 1]);
    assert.equal(await lastAt(), endedAt, 'it stands still where nothing counts');
  });

  it('writes one line when the outcome or the reason changes, and none while it stays', async () => {
    const outcomes = ['ok', 'ok', 'unreachable', 'unreachable', 'unauthorized', 'ok', 'ok'];
    const { check, lines } = checkOf(async () => {
      const code = outcomes.shift()!;
      if (code !== 'ok') throw new CheckFailed(code, `it was ${code}`);
    });
    while (outcomes.length > 0) await check.run();
    assert.deepEqual(lines, [
      'a check succeeded {"check":"call"}',
      'a check failed {"check":"call","code":"unreachable","reason":"it was unreachable"}',
      'a check failed {"check":"call","code":"unauthorized","reason":"it was unauthorized"}',
      'a check succeeded {"check":"call"}',
    ]);
  });

  it('fails once at its time limit, aborts what it began, and ends although that does not', async () => {
    const signals: AbortSignal[] = [];
    const { check, figures, lines } = checkOf((signal) => (signals.push(signal), new Promise(() => {})), { timeoutMs: 20 });
    await check.run();
    await check.run();
    assert.deepEqual(counts(await figures()), [0, 2, 0, 0]);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    );
    assert.deepEqual(lines, ['a check failed {"check":"call","code":"timed_out","reason":"not done within 20 ms"}']);
  });

  it('says at its time limit what it was waiting for, if the check knows that', async () => {
    const aborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    const errors = [new CheckFailed('robot_offline', 'the robot is not connected'), new Error('aborted')];
    const { check, lines } = checkOf(
      async (signal) => {
        await aborted(signal);
        throw errors.shift()!;
      },
      { timeoutMs: 20 },
    );
    await check.run();
    await check.run();
    assert.deepEqual(lines, [
      'a check failed {"check":"call","code":"robot_offline","reason":"the robot is not connected"}',
      'a check failed {"check":"call","code":"timed_out","reason":"not done within 20 ms"}',
    ]);
  });

  it('does not overlap with itself', async () => {
    let end: () => void = () => {};
    let runs = 0;
    const { check, figures } = checkOf(() => {
      runs += 1;
      return new Promise<void>((resolve) => (end = resolve));
    });
    const first = check.run();
    await check.run();
    assert.equal(runs, 1);
    end();
    await first;
    assert.deepEqual(counts(await figures()), [1, 0, 0, 1]);
  });

  it('does not count a failure while the process itself was stopped, but a success', async () => {
    let fails = true;
    const { check, figures, lines } = checkOf(async () => (fails ? Promise.reject(new Error('timed out')) : undefined), { stalled: () => true });
    await check.run();
    assert.deepEqual(counts(await figures()), [0, 0, 1, 0]);
    assert.deepEqual(lines, []);
    fails = false;
    await check.run();
    assert.deepEqual(counts(await figures()), [1, 0, 1, 1]);
  });

  it('counts nothing that is in flight when the probe stops', async () => {
    const { check, figures, lines } = checkOf(() => new Promise(() => {}));
    const running = check.run();
    check.stop();
    await running;
    await check.run();
    assert.deepEqual(counts(await figures()), [0, 0, 0, 0]);
    assert.deepEqual(lines, []);
  });
});

describe('the stalls of the probe', () => {
  let now = 0;
  let sleptMs = 0;
  const clocks = { monotonicMs: () => now, timeMs: () => now + sleptMs };
  beforeEach(() => {
    now = 0;
    sleptMs = 0;
  });

  it('notices a stop of the process whichever timer runs first after it, and forgets it', () => {
    const stalls = new Stalls(clocks);
    for (; now < 2000; now += 250) stalls.beat();
    assert.equal(stalls.after(0), false);
    // The time limit of a check runs before the next beat.
    now += 30_000;
    assert.equal(stalls.after(1500), true);
    const resumedAt = now;
    for (; now < resumedAt + 2000; now += 250) stalls.beat();
    assert.equal(stalls.after(resumedAt - 1), true);
    assert.equal(stalls.after(resumedAt), false);
  });

  it('notices that the machine slept, when the monotonic clock stood still', () => {
    const stalls = new Stalls(clocks);
    stalls.beat();
    now += 250;
    sleptMs += 3_600_000;
    assert.equal(stalls.after(0), true);
  });

  it('takes the delay of a busy machine for no stall', () => {
    const stalls = new Stalls(clocks);
    for (let beat = 0; beat < 20; beat++) {
      now += 900;
      stalls.beat();
    }
    assert.equal(stalls.after(-1), false);
  });
});
