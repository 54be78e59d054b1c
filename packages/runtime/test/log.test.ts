import assert from 'node:assert/strict';
import { createLogger } from '../src/index.js';

const apiKey = `pk_${'aB3_-x'.repeat(7)}z`;
const robotToken = `rt_${'Zz9-_q'.repeat(7)}z`;
const shareToken = `pg_a1b2c3d4e5${'s'.repeat(43)}`;
const webhookSecret = `whsec_${'Zz9+/q'.repeat(7)}w=`;

function logged(write: (log: ReturnType<typeof createLogger>) => void): { text: string; line: Record<string, any> } {
  let text = '';
  write(createLogger({ level: 'info', service: 'gateway', instance: 'gw-000000' }, { write: (chunk) => (text += chunk) }));
  return { text, line: JSON.parse(text) };
}

describe('the log', () => {
  it('writes one JSON object per line with level, time, service and instance', () => {
    const { line } = logged((log) => log.info({ request_id: 'q1' }, 'answered'));
    assert.equal(line.level, 'info');
    assert.equal(line.service, 'gateway');
    assert.equal(line.instance, 'gw-000000');
    assert.equal(line.request_id, 'q1');
    assert.equal(line.msg, 'answered');
    assert.ok(!Number.isNaN(Date.parse(line.time)));
  });

  it('escapes control and text-direction characters in values', () => {
    const { text, line } = logged((log) => log.info({ model: 'a\x1b[2J\x9b2J\u202e\nb' }, 'session opened'));
    assert.match(text.slice(0, -1), /^[^\p{Cc}\p{Bidi_Control}]*$/u);
    assert.equal(line.model, 'a\x1b[2J\x9b2J\u202e\nb');
  });

  it('redacts secrets by field name at three depths', () => {
    const { text } = logged((log) =>
      log.info(
        {
          token: 'hush1',
          req: { authorization: 'hush2', headers: { authorization: 'hush3', Authorization: 'hush4' } },
          body: { device_code: 'hush5' },
        },
        'x',
      ),
    );
    assert.doesNotMatch(text, /hush/);
    assert.equal(text.match(/\[redacted\]/g)?.length, 5);
  });

  it('redacts keys, tokens and passwords by their form in messages, fields and stacks', () => {
    const { text, line } = logged((log) =>
      log.error(
        {
          err: new Error(`bad ${apiKey}`),
          list: [robotToken, webhookSecret, shareToken],
          url: 'redis://user:hunter2@h:1/0',
          raw: 'at redis://perch:p@ss#hunter2/rd%1@h:1 and rediss-cluster://perch:1/hunter2@h:1',
          query: 'redis://h:1?username=perch&password=hunter2',
          header: 'Bearer abcdefghijkl',
        },
        `with ${apiKey}`,
      ),
    );
    for (const secret of [apiKey, robotToken, shareToken, 'Zz9+/q', 'hunter2', 'abcdefghijkl']) assert.ok(!text.includes(secret), secret);
    assert.equal(line.url, 'redis://user:[redacted]@h:1/0');
    assert.equal(line.query, 'redis://h:1?username=perch&password=[redacted]');
    assert.equal(line.msg, 'with pk_[redacted]');
  });

  it('writes code, stack and causes of an error, but not the command that the Redis client attaches to it', () => {
    const error = Object.assign(new Error('failed', { cause: new Error('because') }), { code: 'ECONNRESET', command: { args: ['tag text'] } });
    const { text, line } = logged((log) => log.error({ err: error }, 'x'));
    assert.equal(line.err.code, 'ECONNRESET');
    assert.equal(line.err.cause.message, 'because');
    assert.match(line.err.stack, /log\.test/);
    assert.doesNotMatch(text, /tag text/);
  });

  it('writes of an error from outside neither a stack nor a cause that says the same', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const unavailable = Object.assign(new Error(`Redis: ${refused.message}`, { cause: refused }), { name: 'StoreError', kind: 'unavailable' });
    for (const error of [refused, unavailable]) {
      const { line } = logged((log) => log.warn({ err: error }, 'x'));
      assert.match(line.err.message, /ECONNREFUSED/);
      assert.deepEqual([line.err.stack, line.err.cause], [undefined, undefined]);
    }
  });

  it('writes an error that is its own cause without an endless loop', () => {
    const error = new Error('round');
    error.cause = error;
    assert.equal(logged((log) => log.error({ err: error }, 'x')).line.err.message, 'round');
  });
});
