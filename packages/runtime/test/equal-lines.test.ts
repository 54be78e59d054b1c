import assert from 'node:assert/strict';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { pino } from 'pino';
import { limitEqualLines } from '../src/equal-lines.js';
import { createLogger } from '../src/index.js';

type Line = { level: string | number; msg: string; left_out?: number; line?: string; error?: string };

function limited(windowMs: number): { log: pino.Logger; lines: Line[] } {
  const lines: Line[] = [];
  const write = (chunk: string): void => void lines.push(JSON.parse(chunk) as Line);
  return { log: pino({ hooks: { logMethod: limitEqualLines({ linesMax: 3, windowMs }) } }, { write }), lines };
}

describe('the limit of equal log lines', () => {
  it('writes the first equal warnings immediately, then one summary with the number suppressed', async () => {
    const { log, lines } = limited(100);
    const err = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    for (let n = 0; n < 1000; n++) log.child({ n }).warn({ err }, 'Redis error');
    assert.equal(lines.length, 3);
    while (lines.length === 3) await setTimeoutAsync(20);
    const summary = lines[3]!;
    assert.deepEqual(
      [summary.msg, summary.left_out, summary.line, summary.error],
      ['equal lines were left out', 997, 'Redis error', 'Error ECONNREFUSED'],
    );
    log.warn({ err }, 'Redis error');
    assert.equal(lines.length, 5, 'the next window begins anew');
  });

  it('does not limit different messages, different errors, or lines below warn', () => {
    const { log, lines } = limited(60_000);
    for (let n = 0; n < 3; n++) log.warn({ err: Object.assign(new Error('x'), { code: `E${n}` }) }, 'failed');
    for (let n = 0; n < 5; n++) log.warn(`message ${n}`);
    for (let n = 0; n < 50; n++) log.info('signed in');
    assert.equal(lines.length, 58);
  });

  it('writes an error from outside once a minute, each that says something else', () => {
    const { log, lines } = limited(60_000);
    const refused = (message: string): Error => Object.assign(new Error(message), { name: 'StoreError', kind: 'unavailable' });
    for (let n = 0; n < 90; n++) {
      log.warn({ err: refused('Redis: the connection is closed') }, 'Redis error');
      log.warn({ err: refused('Redis: READONLY') }, 'Redis error');
      log.warn({ err: refused('Redis: READONLY') }, 'could not look at the queues');
    }
    assert.equal(lines.length, 3);
  });

  it('applies to every logger made by createLogger', () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', service: 'webhooks', instance: 'wh-000000' }, { write: (chunk) => void lines.push(chunk) });
    for (let n = 0; n < 31_000; n++) log.warn({ err: new Error(`OOM ${n}`) }, 'Redis error');
    assert.equal(lines.length, 20);
  });
});
