import assert from 'node:assert/strict';
import { createLogger } from '@perch/runtime';
import { until } from '@perch/testkit';
import { MailDelivery, MailFailed, type MailDeliveryOptions, type Mail } from '../../src/mail/mail-delivery.js';
import { passwordResetMail } from '../../src/mail/account-mails.js';

describe('the delivery of e-mails', () => {
  const lines: string[] = [];
  const counts: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    counts.length = 0;
  });

  const mail = passwordResetMail({ to: 'ann@example.org', baseUrl: 'https://perch.example', token: 'pr_token', isProven: true });
  const compose = () => Promise.resolve(mail);

  function deliveryBy(send: (mail: Mail) => Promise<void>, more: Partial<MailDeliveryOptions> = {}): MailDelivery {
    const log = createLogger({ level: 'info', service: 'gateway', instance: 'gw-test' }, { write: (line) => void lines.push(line) });
    return new MailDelivery({ sender: { send }, log, counted: (kind, outcome) => void counts.push(`${kind} ${outcome}`), ...more });
  }

  it('counts an e-mail that was sent, and nothing if there was nothing to send', async () => {
    const sent: string[] = [];
    const delivery = deliveryBy(async ({ to }) => void sent.push(to));
    await delivery.now('password_reset', compose);
    await delivery.now('password_reset', () => Promise.resolve(null));
    assert.deepEqual([sent, counts, lines], [['ann@example.org'], ['password_reset sent'], []]);
  });

  it('reports and counts a failure, and logs its code without text of the server', async () => {
    const refused = Object.assign(new Error('550 no mailbox ann@example.org here'), {
      code: 'EENVELOPE',
      responseCode: 550,
      response: '550 no mailbox ann@example.org here',
    });
    const delivery = deliveryBy(() => Promise.reject(refused));
    await assert.rejects(delivery.now('verification', compose), MailFailed);
    delivery.later('verification', compose);
    delivery.later('verification', () => Promise.reject(new Error('Redis knows ann@example.org')));
    await until(() => counts.length === 3);
    assert.deepEqual(new Set(counts), new Set(['verification failed']));
    const [first] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      [first?.['msg'], first?.['mail'], first?.['reason'], first?.['response_code']],
      ['an e-mail could not be sent', 'verification', 'EENVELOPE', 550],
    );
    assert.equal(lines.length, 3);
    for (const line of lines) assert.ok(!line.includes('ann@example.org') && !line.includes('pr_token'), line);
  });

  it('sends four at a time, drops what exceeds the limit, and accepts e-mails again afterwards', async () => {
    let sending = 0;
    let most = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const send = async (): Promise<void> => {
      most = Math.max(most, ++sending);
      await released;
      sending -= 1;
    };
    const delivery = deliveryBy(send, { pendingMax: 10 });
    for (let i = 0; i < 15; i++) delivery.later('password_reset', compose);
    await until(() => counts.length === 5);
    assert.deepEqual(new Set(counts), new Set(['password_reset dropped']));
    release();
    await delivery.settle(AbortSignal.timeout(5000));
    assert.deepEqual([most, counts.filter((each) => each === 'password_reset sent').length], [4, 10]);
    await delivery.now('password_reset', compose);
  });

  it('gives up an e-mail after the deadline', async () => {
    const delivery = deliveryBy(() => new Promise(() => {}), { deadlineMs: 50 });
    await assert.rejects(delivery.now('verification', compose), MailFailed);
    assert.deepEqual([counts, (JSON.parse(lines[0]!) as { reason: string }).reason], [['verification failed'], 'DEADLINE']);
  });

  it('stops waiting for pending e-mails when the stop of the gateway is aborted', async () => {
    let fail = (): void => {};
    const delivery = deliveryBy(() => new Promise((_, reject) => (fail = reject)), { deadlineMs: 30_000 });
    delivery.later('verification', compose);
    const began = performance.now();
    await delivery.settle(AbortSignal.timeout(50));
    assert.ok(performance.now() - began < 20_000);
    // Otherwise its deadline keeps the process of the tests alive.
    fail();
    await until(() => counts.length === 1);
  });
});
