import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { useGateway, type GatewayUnderTest, type GatewaySettings } from '../gateway-under-test.js';
import { PlainProvider } from './plain-provider.js';

describe('sign-in with an OpenID Connect provider', () => {
  const subject = 'userinfo-only';
  const address = `${randomUUID()}@example.org`;
  const lines: string[] = [];
  let withoutUserInfo: PlainProvider;
  let withUserInfo: PlainProvider;
  before(async () => {
    [withoutUserInfo, withUserInfo] = await Promise.all([
      PlainProvider.open(null),
      PlainProvider.open({ sub: subject, email: address, email_verified: true }),
    ]);
  });
  const system = useGateway(() => settings(withoutUserInfo));
  const other = useGateway(() => settings(withUserInfo));
  after(() => Promise.all([withoutUserInfo.close(), withUserInfo.close()]));

  function settings({ issuer }: PlainProvider): GatewaySettings {
    return { logTo: lines, accountSettings: { signUp: 'open', oidc: { issuer, clientId: 'perch', clientSecret: null, name: 'Acme' } } };
  }

  /** Signs in at the provider with the claims. @returns path that the browser is redirected to */
  async function signIn(at: GatewayUnderTest, provider: PlainProvider, claims: Record<string, unknown>): Promise<string | null> {
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

  it('finds an account by its identity without an e-mail address, but creates none without', async () => {
    const sub = randomUUID();
    assert.equal(await signIn(system, withoutUserInfo, { sub }), '/sign-in#error=oidc_no_email');
    await system.store.accounts.create({ email: `${sub}@example.org`, identity: { issuer: withoutUserInfo.issuer, subject: sub } });
    assert.equal(await signIn(system, withoutUserInfo, { sub }), '/');
  });

  it('requests the address from the userinfo endpoint once, to create the account', async () => {
    for (let times = 0; times < 2; times++) {
      assert.equal(await signIn(other, withUserInfo, { sub: subject }), '/');
      assert.equal(withUserInfo.userInfoRequests, 1);
    }
    const account = await other.store.accounts.findByEmail(address);
    assert.notEqual(await other.store.accounts.verifiedAt(account!.id), null, 'the provider vouches for the address');
  });

  it('marks the address of an older account as verified only if the provider vouches for the same one', async () => {
    const { accounts } = system.store;
    const [sub, email] = [randomUUID(), `${randomUUID()}@example.org`];
    const { account } = await accounts.create({ email, identity: { issuer: withoutUserInfo.issuer, subject: sub } });
    for (const claims of [{}, { email, email_verified: false }, { email: `${randomUUID()}@example.org`, email_verified: true }]) {
      assert.equal(await signIn(system, withoutUserInfo, { sub, ...claims }), '/');
      assert.equal(await accounts.verifiedAt(account), null, JSON.stringify(claims));
    }
    assert.equal(await signIn(system, withoutUserInfo, { sub, email: email.toUpperCase(), email_verified: true }), '/');
    assert.notEqual(await accounts.verifiedAt(account), null);
  });

  for (const when of ['findByIdentity', 'findByEmail'] as const)
    it(`signs in two tabs that create the account concurrently (the other tab wins after ${when})`, async () => {
      const { accounts } = system.store;
      const [sub, email] = [randomUUID(), `${randomUUID()}@example.org`];
      const original = accounts[when].bind(accounts) as (...args: unknown[]) => Promise<null>;
      accounts[when] = async (...args: unknown[]) => {
        const found = await original(...args);
        accounts[when] = original;
        await accounts.create({ email, identity: { issuer: withoutUserInfo.issuer, subject: sub } });
        return found;
      };
      assert.equal(await signIn(system, withoutUserInfo, { sub, email, email_verified: true }), '/');
    });

  it('never signs in to an existing account that only shares the e-mail address', async () => {
    const email = `${randomUUID()}@example.org`;
    await system.store.accounts.create({ email });
    assert.equal(await signIn(system, withoutUserInfo, { sub: randomUUID(), email, email_verified: true }), '/sign-in#error=oidc_email_taken');
  });

  it('logs sign-up, sign-in and refusal without the e-mail address or the subject', async () => {
    lines.length = 0;
    const [sub, email] = [randomUUID(), `${randomUUID()}@example.org`];
    const claims = { sub, email, email_verified: true };
    assert.equal(await signIn(system, withoutUserInfo, claims), '/');
    assert.equal(await signIn(system, withoutUserInfo, claims), '/');
    assert.equal(await signIn(system, withoutUserInfo, { sub: randomUUID() }), '/sign-in#error=oidc_no_email');
    const { id } = (await system.store.accounts.findByEmail(email))!;
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
