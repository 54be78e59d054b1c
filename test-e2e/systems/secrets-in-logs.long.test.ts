/** Every operation that returns or takes a secret, with all services at their most verbose log level: no secret is in a log, a trace or a URL. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ServiceName } from '@perch/launcher';
import { MailServer, privateRedis, tokenIn, until, type LocalRedis } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { Api } from '../fixture/clients/api.js';
import { PageBrowser } from '../fixture/clients/page-browser.js';
import { WebhookReceiver } from '../fixture/clients/webhook-receiver.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';
import { TraceCollector } from '../fixture/telemetry/trace-collector.js';

const services: readonly ServiceName[] = ['gateway', 'robot-link', 'renderer', 'webhooks'];

describe('secrets in logs', () => {
  let redis: LocalRedis;
  let receiver: WebhookReceiver;
  let collector: TraceCollector;
  let mails: MailServer;
  let system: SystemUnderTest;
  const lines: { line: string; service: ServiceName }[] = [];
  const secrets = new Map<string, string>();
  const addresses: string[] = [];
  const secret = (what: string, value: unknown): string => {
    assert.ok(typeof value === 'string' && value.length >= 8, `${what}: ${String(value)}`);
    secrets.set(what, value);
    return value;
  };

  before(async function () {
    redis = await privateRedis();
    receiver = await WebhookReceiver.open();
    collector = await TraceCollector.open();
    mails = await MailServer.start({ user: 'perch', password: secret('password of the SMTP server', `smtp-${randomUUID()}`) });
    const traces = { PERCH_TRACES_ENDPOINT: collector.url, PERCH_TRACES_SAMPLE: '1' };
    system = await SystemUnderTest.open(
      { gateways: 1, links: 1, renderers: 1 },
      {
        redis: redis.url,
        webhooks: 1,
        env: { ...process.env, PERCH_LOG_LEVEL: 'debug', PERCH_WEBHOOK_ALLOW_PRIVATE: 'true', ...traces },
        log: (line, service) => lines.push({ line, service }),
      },
    );
    await system.cluster.add('gateway', { PERCH_SIGN_UP: 'invitation' });
    const smtp = (password: string): Record<string, string> => ({
      PERCH_SMTP_URL: mails.url.replace('//', `//perch:${password}@`),
      PERCH_MAIL_FROM: 'perch@example.org',
      PERCH_PUBLIC_URL: 'http://127.0.0.1:8080',
    });
    await system.cluster.add('gateway', smtp(secrets.get('password of the SMTP server')!));
    await system.cluster.add('gateway', smtp(secret('wrong password of the SMTP server', `wrong-${randomUUID()}`)));
  });
  after(async () => {
    await system?.close();
    await receiver?.close();
    await collector?.close();
    await mails?.stop();
    await redis?.stop();
  });

  const madeUp = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`;
  const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> => {
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    return response.status;
  };

  async function asked(browser: PageBrowser, method: string, path: string, body?: unknown): Promise<any> {
    const answer = await browser.ask(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  function keepSession(browser: PageBrowser, who: string): void {
    secret(`session ${who}`, browser.secret);
    secret(`CSRF token ${who}`, browser.csrf);
  }

  async function comeIn(): Promise<PageBrowser> {
    const browser = new PageBrowser(system.gateway());
    const email = `${randomUUID()}@example.org`;
    const [first, wrong, second] = ['first', 'wrong', 'second'].map((which) => secret(`${which} password`, `${which} horse ${randomUUID()}`));
    const { body } = await browser.signUp(email, first);
    addresses.push(body.base_url, body.link_url);
    keepSession(browser, 'of who signed up');
    assert.equal((await new PageBrowser(system.gateway()).signIn(email, wrong)).status, 401);
    assert.equal((await browser.ask('PUT', 'password', { current: wrong, password: second })).status, 401);
    await asked(browser, 'PUT', 'password', { current: first, password: second });

    const byLink = new PageBrowser(system.gateway());
    const link = secret('link', await system.store.signInTokens.make(body.account.id, 60_000));
    await asked(byLink, 'POST', 'session', { link });
    keepSession(byLink, 'by link');
    for (const used of [link, secret('link that nobody made', madeUp('pl'))])
      assert.equal((await byLink.ask('POST', 'session', { link: used })).status, 401);
    await asked(byLink, 'DELETE', 'session');

    const invited = new PageBrowser(system.gateway(1));
    const invitation = secret('invitation', await system.store.invitations.make('', 60_000));
    const signUp = { email: `${randomUUID()}@example.org`, password: second };
    assert.equal((await invited.ask('POST', 'accounts', { ...signUp, invitation: secret('invitation that nobody made', madeUp('pi')) })).status, 403);
    await asked(invited, 'POST', 'accounts', { ...signUp, invitation });
    keepSession(invited, 'of who was invited');
    return browser;
  }

  async function mailed(): Promise<void> {
    const [works, fails] = [2, 3].map((gateway) => new PageBrowser(system.gateway(gateway)));
    const email = `${randomUUID()}@example.org`;
    const [first, second] = ['first', 'second'].map((which) => secret(`${which} password by e-mail`, `${which} horse ${randomUUID()}`));
    await works!.signUp(email, first!);
    keepSession(works!, 'of who gets e-mail');
    await asked(works!, 'PUT', 'verifications', { token: secret('verification', tokenIn(await mails.mailTo(email), 'verify')) });
    await asked(works!, 'POST', 'password-resets', { email });
    const token = secret('reset', tokenIn(await mails.mailTo(email, 1, '#reset='), 'reset'));
    await asked(works!, 'POST', 'password-resets/find', { token });
    await asked(works!, 'PUT', 'password-resets', { token, password: second });
    keepSession(works!, 'by reset');
    for (const used of [token, secret('reset that nobody made', madeUp('pr'))])
      assert.equal((await works!.ask('PUT', 'password-resets', { token: used, password: second })).status, 401);
    assert.equal((await works!.ask('PUT', 'verifications', { token: secret('verification that nobody made', madeUp('pv')) })).status, 401);

    const other = secret('address of who gets no e-mail', `${randomUUID()}@example.org`);
    await fails!.signUp(other, secret('password of who gets no e-mail', `horse ${randomUUID()}`));
    keepSession(fails!, 'of who gets no e-mail');
    assert.equal((await fails!.ask('POST', 'verifications', {})).status, 503);
    secret('address of who gets e-mail', email);
  }

  async function robots(browser: PageBrowser): Promise<string> {
    const made = await asked(browser, 'POST', 'robots', { virtual: true, name: 'Desk' });
    const first = new VirtualRobot({ url: system.link(), token: secret('token', made.token), tokenIn: 'subprotocol' });
    system.keep(first);
    await first.start();
    const { token } = await asked(browser, 'POST', `robots/${made.robot.id}/token`);
    const second = new VirtualRobot({ url: system.link(), token: secret('new token', token) });
    system.keep(second);
    await second.start();

    const pairing = `${system
      .link()
      .replace(/^ws/, 'http')
      .replace(/\/robot\/.*/, '')}/robot/v1/pair`;
    const post = async (url: string, body: object): Promise<any> => {
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
      return response.json();
    };
    const begun = await post(pairing, { serial: randomUUID(), model: 'm', firmware: 'f' });
    addresses.push(begun.verification_uri);
    const { robot } = await asked(browser, 'POST', 'robots', { code: secret('user code', begun.user_code) });
    const fetched = await post(`${pairing}/token`, { device_code: secret('device code', begun.device_code) });
    assert.equal(fetched.robot_id, robot.id);
    const paired = new VirtualRobot({ url: system.link(), token: secret('token of who was paired', fetched.token) });
    system.keep(paired);
    await paired.start();
    const { token: shared } = await asked(browser, 'POST', `robots/${robot.id}/share-links`, { permission: 'watch' });
    await asked(browser, 'POST', 'shares/find', { token: secret('share link', shared) });
    const { token: accepted } = await asked(browser, 'POST', `robots/${robot.id}/share-links`, { permission: 'use' });
    const guest = new PageBrowser(system.gateway());
    await guest.signUp(`${randomUUID()}@example.org`, secret('password of a guest', `guest horse ${randomUUID()}`));
    keepSession(guest, 'of a guest');
    await asked(guest, 'POST', 'shares', { token: secret('accepted share link', accepted) });
    const unknown = secret('share link that nobody made', `pg_${robot.id.slice(2)}${randomBytes(32).toString('base64url')}`);
    for (const used of [accepted, unknown]) assert.equal((await guest.ask('POST', 'shares', { token: used })).status, 404);
    // A token that is no longer valid is rejected at the handshake.
    const refused = await fetch(system.link().replace(/^ws/, 'http'), { headers: { authorization: `Bearer ${made.token}` } });
    assert.ok(refused.status >= 400, String(refused.status));
    await refused.arrayBuffer();
    return made.robot.id;
  }

  async function keys(browser: PageBrowser, robot: string): Promise<void> {
    const { key, api_key: apiKey } = await asked(browser, 'POST', 'keys', { name: 'laptop', robots: '*' });
    const api = new Api(system.gateway(), secret('key', apiKey));
    const said = await api.act(robot, 'say', { text: 'hello' });
    assert.equal(said.status, 200, JSON.stringify(said.body));

    const hook = await api.send('POST', '/v1/webhooks', JSON.stringify({ url: receiver.url('/hook') }), {
      headers: { 'content-type': 'application/json' },
    });
    receiver.secrets.set('/hook', secret('secret of a webhook', hook.body.secret));
    assert.equal((await api.send('POST', `/v1/webhooks/${hook.body.webhook.id}/test`, undefined)).status, 200);
    await until(() => receiver.received.length > 0, { what: 'the message of a test' });

    const { api_key: rolled } = await asked(browser, 'POST', `keys/${key.id}/secret`, { overlap_s: 60 });
    assert.equal((await new Api(system.gateway(), secret('new secret of a key', rolled)).get('/v1/robots')).status, 200);
    await asked(browser, 'DELETE', `keys/${key.id}`);
    const made = secret('key that nobody made', madeUp('pk'));
    for (const one of [apiKey, rolled, made]) {
      assert.equal((await new Api(system.gateway(), one).get('/v1/robots')).status, 401);
      // A mistake that a user might make.
      assert.equal(await statusOf(`${system.gateway()}/v1/robots?key=${one}`), 401);
      assert.equal(await statusOf(`${system.gateway()}/${one}`, { authorization: one }), 404);
    }
    await asked(browser, 'DELETE', 'session');
  }

  async function connectedClient(browser: PageBrowser): Promise<void> {
    const base = system.gateway();
    const form = async (path: string, parameters: Record<string, string>): Promise<any> =>
      (await fetch(`${base}${path}`, { method: 'POST', body: new URLSearchParams(parameters) })).json();
    const redirect_uri = 'http://127.0.0.1:33418/callback';
    const registered = await new Api(base, '').send('POST', '/oauth/register', JSON.stringify({ redirect_uris: [redirect_uri] }), {
      headers: { 'content-type': 'application/json' },
    });
    const client_id = registered.body.client_id as string;
    const verifier = secret('verifier of a client', randomBytes(32).toString('base64url'));
    const request = {
      response_type: 'code',
      client_id,
      redirect_uri,
      state: secret('state of a client', `state-${randomUUID()}`),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const query = new URLSearchParams(request).toString();
    assert.equal((await fetch(`${base}/authorize?${query}`)).status, 200);
    const { redirect } = await asked(browser, 'POST', 'authorizations', { query, robots: '*', scopes: ['read'] });
    const code = secret('code of a client', new URL(redirect).searchParams.get('code'));
    const issued = await form('/oauth/token', { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier: verifier });
    assert.equal((await new Api(base, secret('access token', issued.access_token)).get('/v1/robots')).status, 200);
    const refreshed = await form('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: secret('refresh token', issued.refresh_token),
      client_id,
    });
    secret('new access token', refreshed.access_token);
    await form('/oauth/revoke', { token: secret('new refresh token', refreshed.refresh_token), client_id });
    assert.equal(
      (await form('/oauth/token', { grant_type: 'refresh_token', refresh_token: issued.refresh_token, client_id })).error,
      'invalid_grant',
    );
  }

  it('no service writes a secret down, whole or as anything that looks like one', async () => {
    const browser = await comeIn();
    const robot = await robots(browser);
    await connectedClient(browser);
    await keys(browser, robot);
    await mailed();
    await system.close();

    for (const service of services) {
      const written = lines.filter((one) => one.service === service && one.line.includes('"level":"debug"'));
      assert.ok(written.length > 0, `${service} logged nothing`);
    }
    assert.ok(
      lines.some(({ line }) => line.includes('console_session')),
      'requests are logged',
    );
    assert.ok(
      collector.spans.some(({ name }) => name === 'POST /v1/robots/{robot}/say'),
      'calls are traced',
    );
    assert.ok(
      lines.some(({ line }) => line.includes('an e-mail could not be sent')),
      'failed e-mails are logged',
    );
    const texts = [...lines.map(({ service, line }) => `${service}: ${line}`), ...collector.texts, ...addresses];
    for (const text of texts) {
      const [what] = [...secrets].find(([, value]) => text.includes(value)) ?? [];
      assert.equal(what, undefined, `${what} in ${text}`);
      assert.doesNotMatch(text, /(pk|ps|pl|pi|po|pg|pr|pv|rt)_[\w-]{20,}/);
    }
  });
});
