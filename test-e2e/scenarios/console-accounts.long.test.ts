import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { metric } from '../fixture/telemetry/metric.js';
import { PageBrowser, passphrase, type Answered } from '../fixture/clients/page-browser.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import type { SystemUnderTest } from '../fixture/system/system-under-test.js';

/** The tests act as the trusted proxy: each browser has its own address, so that tests do not share rate limits. */
const shape = { gateways: 2, links: 1, renderers: 1, env: { PERCH_TRUST_PROXY: '1' } };
const email = () => `ada.${randomUUID()}@example.org`;
const failed = ({ status, body }: Answered): unknown[] => [status, body.code];

onSharedSystems(
  'console accounts',
  (system) => {
    const from = (base: string) => new PageBrowser(base, `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`);
    const browserAt = (gateway = 0) => from(system().gateway(gateway % 2));

    it('signing up lets the user act on their own robot at once through any gateway, and signing out ends the session on all', async () => {
      const here = browserAt();
      const { body } = await here.signUp(email());
      const there = here.at(system().gateway(1));
      const { robot } = await robotOf(system(), body.account.id);
      const acted = await there.ask('POST', `v1/robots/${robot}/face`, { emotion: 'happy' });
      assert.deepEqual([acted.status, acted.body.ok], [200, true]);

      const stolen = new PageBrowser(system().gateway(1));
      const cookie = { cookie: `perch_session=${here.secret}` };
      assert.equal((await stolen.ask('GET', 'v1/robots', undefined, cookie)).status, 200);
      await here.ask('DELETE', 'session');
      assert.deepEqual(failed(await stolen.ask('GET', 'v1/robots', undefined, cookie)), [401, 'signed_out']);
      assert.equal((await there.session()).signed_in, false);
    });

    it('changing the password ends the other sessions on every gateway, including a call in flight', async () => {
      const address = email();
      const here = browserAt();
      const { body } = await here.signUp(address);
      const there = browserAt(1);
      await there.signIn(address);
      const { robot } = await robotOf(system(), body.account.id);
      const held = there.ask('GET', `v1/robots/${robot}/events?seconds=60&names=shaken`);
      await until(async () => (await metric(system().cluster.gateways[1]!.admin, 'perch_gateway_held_calls', { kind: 'poll' })) === 1, {
        what: 'the call to be held',
      });
      const changed = await here.ask('PUT', 'password', { current: passphrase, password: 'another good one' });
      assert.equal(changed.status, 200);
      assert.equal((await held).status, 401);
      assert.deepEqual([(await here.session()).signed_in, (await there.session()).signed_in], [true, false]);
      assert.deepEqual([(await there.signIn(address)).status, (await there.signIn(address, 'another good one')).status], [401, 200]);
    });

    it('a request of the page without its CSRF token, or sent by another site, has no effect', async () => {
      const browser = browserAt();
      const { body } = await browser.signUp(email());
      const { robot } = await robotOf(system(), body.account.id);
      const face = (headers: Record<string, string>) => browser.ask('POST', `v1/robots/${robot}/face`, { emotion: 'happy' }, headers);
      for (const headers of [{ 'x-csrf-token': '' }, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
        assert.deepEqual(failed(await face(headers as Record<string, string>)), [403, 'forbidden'], JSON.stringify(headers));
      assert.equal((await face({})).status, 200);
    });

    it('two accounts cannot see anything of each other', async () => {
      const [ada, ben] = [browserAt(), browserAt(1)];
      const [hers, his] = [(await ada.signUp(email())).body.account, (await ben.signUp(email())).body.account];
      const { robot } = await robotOf(system(), hers.id);
      const { id: key } = await system().store.apiKeys.create({ account: hers.id, name: 'of Ada' });
      const { id: webhook } = (await ada.ask('POST', 'v1/webhooks', { url: 'https://hook.example/ada' })).body.webhook;

      const answers: Answered[] = [];
      const asks = async (method: string, path: string, body?: unknown): Promise<void> => {
        const answer = await ben.ask(method, path, body);
        assert.equal(answer.status, 404, `${method} ${path}: ${JSON.stringify(answer.body)}`);
        answers.push(answer);
      };
      for (const path of [`v1/robots/${robot}`, `v1/robots/${robot}/events`, `v1/webhooks/${webhook}`, `robots/${robot}/screen`])
        await asks('GET', path);
      for (const action of ['face', 'say', 'stop', 'state']) await asks('POST', `v1/robots/${robot}/${action}`, {});
      await asks('PATCH', `robots/${robot}`, { name: 'of Ben' });
      await asks('POST', `robots/${robot}/token`, {});
      for (const path of [`robots/${robot}`, `keys/${key}`, `v1/webhooks/${webhook}`]) await asks('DELETE', path);
      for (const path of ['session', 'robots', 'keys', 'v1/robots', 'v1/webhooks']) answers.push(await ben.ask('GET', path));
      const all = JSON.stringify(answers.map(({ body }) => ({ ...body, request_id: '' })));
      for (const secret of [hers.id, hers.email, key, 'of Ada', 'hook.example', 'Desk of Ada']) assert.ok(!all.includes(secret), secret);
      assert.ok(all.includes(his.email));

      const listed = (await ada.ask('GET', 'robots')).body.robots as { id: string; name: string }[];
      assert.deepEqual(
        listed.map(({ id, name }) => [id, name]),
        [[robot, 'Desk of Ada']],
      );
      assert.equal((await ada.ask('GET', 'keys')).body.keys[0].id, key);
    });

    it('wrong passwords are rate limited across all gateways together', async () => {
      const address = email();
      await browserAt().signUp(address);
      const tries = await Promise.all(Array.from({ length: 16 }, (_, i) => browserAt(i).signIn(address, 'not this one')));
      assert.deepEqual(
        tries.map(({ status }) => status).sort((a, b) => a - b),
        [...Array.from({ length: 10 }, () => 401), ...Array.from({ length: 6 }, () => 429)],
      );
      for (const gateway of [0, 1]) assert.deepEqual(failed(await browserAt(gateway).signIn(address)), [429, 'too_many_attempts']);
    });

    it('a sign-in link works once across all gateways', async () => {
      const { account } = await system().store.accounts.create({ email: email() });
      const link = await system().store.signInTokens.make(account, 60_000);
      const browsers = Array.from({ length: 6 }, (_, i) => browserAt(i));
      const answers = await Promise.all(browsers.map((browser) => browser.ask('POST', 'session', { link })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401]);
    });

    it('an invitation creates one account; where sign-up is closed it creates none', async () => {
      const [invited, closed] = await Promise.all(['invitation', 'closed'].map((mode) => system().cluster.add('gateway', { PERCH_SIGN_UP: mode })));
      try {
        const invitation = await system().store.invitations.make('', 60_000);
        const signUp = (at: string, body: object = {}) => from(at).ask('POST', 'accounts', { email: email(), password: passphrase, ...body });
        assert.deepEqual(failed(await signUp(closed!.address, { invitation })), [403, 'sign_up_closed']);
        assert.deepEqual(failed(await signUp(invited!.address)), [403, 'sign_up_closed']);
        const answers = await Promise.all(Array.from({ length: 3 }, () => signUp(invited!.address, { invitation })));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403]);
      } finally {
        await Promise.all([invited!.stop(), closed!.stop()]);
      }
    });
  },
  [shape],
);

async function robotOf(system: SystemUnderTest, account: string): Promise<{ robot: string }> {
  const { robot, token } = await system.store.robots.create({ account, name: 'Desk of Ada' });
  const virtual = new VirtualRobot({ url: system.link(), token, instant: true });
  system.keep(virtual);
  await virtual.start();
  return { robot };
}
