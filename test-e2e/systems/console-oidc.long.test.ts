/** Sign-in with an OpenID Connect provider: oidc-provider, a certified implementation, as its own process. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { agree, cancel, OidcProvider } from '../fixture/clients/oidc-provider.js';
import { PageBrowser } from '../fixture/clients/page-browser.js';
import { useSystem } from '../fixture/system/system-under-test.js';

describe('sign-in with an OpenID Connect provider', () => {
  let provider: OidcProvider;
  let browser: PageBrowser;
  const lines: string[] = [];

  before(async () => {
    provider = await OidcProvider.start();
  });
  const system = useSystem({ gateways: 1, links: 1, renderers: 1 }, () => ({
    env: { ...process.env, PERCH_LOG_LEVEL: 'debug', ...provider.settings },
    log: (line) => lines.push(line),
  }));
  before(() => provider.serve(`${system.gateway()}/console/oidc/callback`));
  after(() => provider?.stop());
  beforeEach(() => {
    browser = new PageBrowser(system.gateway());
  });

  const start = () => `${system.gateway()}/console/oidc/start`;
  const somebody = () => `ada.${randomUUID()}@example.org`;
  async function back(url: string, who = browser): Promise<string> {
    return (await who.go(url, (at) => !at.includes('/console/oidc/'), 'cross-site')).url.slice(system.gateway().length);
  }

  it('the first sign-in with a provider creates an account, and later ones find it, with an ordinary session', async () => {
    const login = somebody();
    assert.deepEqual((await browser.session()).oidc, { name: 'Acme' });
    assert.equal(await back(await agree(browser, start(), login)), '/');
    const first = await browser.session();
    assert.deepEqual([first.signed_in, first.account.email, first.account.has_password], [true, login, false]);
    assert.equal((await browser.ask('GET', 'v1/robots')).status, 200);

    const elsewhere = new PageBrowser(system.gateway());
    assert.equal(await back(await agree(elsewhere, start(), login), elsewhere), '/');
    assert.deepEqual((await elsewhere.session()).account, first.account);
  });

  it('sign-in with a provider never takes over an existing account with the same address', async () => {
    const login = somebody();
    await new PageBrowser(system.gateway()).signUp(login);
    assert.equal(await back(await agree(browser, start(), login)), '/sign-in#error=oidc_email_taken');
    assert.equal((await browser.session()).signed_in, false);
  });

  it('sign-in with a provider creates no account for an address that the provider has not verified', async () => {
    assert.equal(await back(await agree(browser, start(), `unverified.${somebody()}`)), '/sign-in#error=oidc_no_email');
    assert.equal((await browser.session()).signed_in, false);
  });

  it('sign-in with a provider creates no account where sign-up is closed, and signs in existing ones', async () => {
    const closed = await system.cluster.add('gateway', { PERCH_SIGN_UP: 'closed', PERCH_PUBLIC_URL: system.gateway() });
    /** Follows the redirect back to the other gateway of the same service, which the browser sees as one. */
    const backAt = async (who: PageBrowser, login: string) =>
      (
        await who
          .at(closed.address)
          .go((await agree(who, start(), login)).replace(system.gateway(), closed.address), (url) => !url.includes('/oidc/'), 'cross-site')
      ).url;
    const login = somebody();
    assert.equal(await backAt(browser, login), `${closed.address}/sign-in#error=sign_up_closed`);
    const again = new PageBrowser(system.gateway());
    await back(await agree(again, start(), login), again);
    const known = new PageBrowser(system.gateway());
    assert.equal(await backAt(known, login), `${closed.address}/`);
    assert.equal((await known.session()).account.email, login);
  });

  it('a sign-in with a provider works once, and only in the browser that began it', async () => {
    const login = somebody();
    const url = await agree(browser, start(), login);
    const thief = new PageBrowser(system.gateway());
    assert.equal(await back(url, thief), '/sign-in#error=oidc_expired');
    assert.equal(await back(url.replace(/state=[^&]+/, 'state=another')), '/sign-in#error=oidc_failed');
    assert.equal(await back(url), '/sign-in#error=oidc_expired');
    assert.deepEqual([(await thief.session()).signed_in, (await browser.session()).signed_in], [false, false]);
  });

  it('cancelling at the provider returns to the sign-in page', async () => {
    assert.equal(await back(await cancel(browser, start())), '/sign-in#error=oidc_cancelled');
  });

  it('an unreachable provider is reported on the sign-in page', async () => {
    const lost = await system.cluster.add('gateway', { PERCH_OIDC_ISSUER: 'http://127.0.0.1:9' });
    const { url } = await new PageBrowser(lost.address).go('/console/oidc/start', (one) => one.includes('#'));
    assert.equal(url, `${lost.address}/sign-in#error=oidc_failed`);
  });

  it('sign-in with a provider writes no secret to the log', () => {
    assert.ok(lines.length > 0);
    const leaked = lines.filter((line) => /p[sol]_[\w-]{43}|a secret of two|[?&]code=/.test(line));
    assert.deepEqual(leaked, []);
  });
});
