import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Bench } from '../bench.js';
import { PlainProvider } from './plain-provider.js';

describe('people who come by a provider', function () {
  this.timeout(20_000);
  const subject = 'told elsewhere';
  const address = `${randomUUID()}@example.org`;
  const lines: string[] = [];
  let silent: PlainProvider;
  let telling: PlainProvider;
  let bench: Bench;
  let other: Bench;

  before(async () => {
    [silent, telling] = await Promise.all([PlainProvider.open(null), PlainProvider.open({ sub: subject, email: address, email_verified: true })]);
    [bench, other] = await Promise.all([silent, telling].map(({ issuer }) => open(issuer)) as [Promise<Bench>, Promise<Bench>]);
  });
  after(() => Promise.all([bench.stop(), other.stop(), silent.close(), telling.close()]));

  function open(issuer: string): Promise<Bench> {
    return Bench.start({
      logTo: lines,
      people: { signUp: 'open', oidc: { issuer, clientId: 'perch', clientSecret: null, name: 'Acme' } },
    });
  }

  /** To the provider and back as somebody. @returns where the browser is led then */
  async function signIn(at: Bench, provider: PlainProvider, claims: Record<string, unknown>): Promise<string | null> {
    const go = (path: string, cookie = '') =>
      fetch(`${at.base}/console/oidc/${path}`, {
        redirect: 'manual',
        headers: { cookie, 'sec-fetch-site': cookie === '' ? 'same-origin' : 'cross-site' },
      });
    const started = await go('start');
    const { searchParams } = new URL(started.headers.get('location')!, at.base);
    const code = provider.codeOf({ nonce: searchParams.get('nonce'), ...claims });
    const back = new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
    return (await go(`callback?${back.toString()}`, started.headers.getSetCookie()[0]!.split(';', 1)[0]!)).headers.get('location');
  }

  it('are known by who they are there, whatever it says of their address; without one no account is made', async () => {
    const sub = randomUUID();
    assert.equal(await signIn(bench, silent, { sub }), '/sign-in#error=oidc_no_email');
    await bench.store.accounts.create({ email: `${sub}@example.org`, identity: { issuer: silent.issuer, subject: sub } });
    assert.equal(await signIn(bench, silent, { sub }), '/');
  });

  it('have their address asked for where it was not told, once: for their account', async () => {
    for (let times = 0; times < 2; times++) {
      assert.equal(await signIn(other, telling, { sub: subject }), '/');
      assert.equal(telling.asked, 1);
    }
    assert.notEqual(await other.store.accounts.findByEmail(address), null);
  });

  for (const when of ['findByIdentity', 'findByEmail'] as const)
    it(`come in by both of two tabs in which they sign in for the first time (the other was quicker after ${when})`, async () => {
      const { accounts } = bench.store;
      const [sub, email] = [randomUUID(), `${randomUUID()}@example.org`];
      const asked = accounts[when].bind(accounts) as (...args: unknown[]) => Promise<null>;
      accounts[when] = async (...args: unknown[]) => {
        const found = await asked(...args);
        accounts[when] = asked;
        await accounts.create({ email, identity: { issuer: silent.issuer, subject: sub } });
        return found;
      };
      assert.equal(await signIn(bench, silent, { sub, email, email_verified: true }), '/');
    });

  it('never get an account whose address they share', async () => {
    const email = `${randomUUID()}@example.org`;
    await bench.store.accounts.create({ email });
    assert.equal(await signIn(bench, silent, { sub: randomUUID(), email, email_verified: true }), '/sign-in#error=oidc_email_taken');
  });

  it('leave an audit line when they sign up, sign in and are refused, without their address or their id at the provider', async () => {
    lines.length = 0;
    const [sub, email] = [randomUUID(), `${randomUUID()}@example.org`];
    const claims = { sub, email, email_verified: true };
    assert.equal(await signIn(bench, silent, claims), '/');
    assert.equal(await signIn(bench, silent, claims), '/');
    assert.equal(await signIn(bench, silent, { sub: randomUUID() }), '/sign-in#error=oidc_no_email');
    const { id } = (await bench.store.accounts.findByEmail(email))!;
    const audits = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit !== undefined);
    assert.deepEqual(
      audits.map(({ audit, outcome, level, account, network }) => [audit, outcome, level, account, network]),
      [
        ['sign_up', 'ok', 'info', id, '127.0.0.1'],
        ['oidc_sign_in', 'ok', 'info', id, '127.0.0.1'],
        ['oidc_sign_in', 'ok', 'info', id, '127.0.0.1'],
        ['oidc_sign_in', 'oidc_no_email', 'warn', null, '127.0.0.1'],
      ],
    );
    for (const secret of [sub, email]) assert.equal(lines.join('').includes(secret), false);
  });
});
