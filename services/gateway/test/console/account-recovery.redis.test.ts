/** An account that somebody made with another person's address, after that person has used the link of an e-mail. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { sha256Short } from '@perch/runtime';
import { MailServer, tokenIn, until } from '@perch/testkit';
import { mailAddressOf } from '../../src/mail/mail-delivery.js';
import { useGateway, type Answer } from '../gateway-under-test.js';
import { Browser, email, failed, passphrase } from './browser.js';

const another = 'another good one';

describe('an account that its owner recovers by e-mail', () => {
  let mails: MailServer;
  before(async () => {
    mails = await MailServer.start();
  });
  const system = useGateway(() => ({
    trustedProxies: 1,
    mail: { smtpUrl: mails.url, from: mailAddressOf('perch@example.org')! },
    publicUrl: 'http://perch.example',
  }));
  after(() => mails.stop());
  const newBrowser = (): Browser => new Browser(system, { host: 'perch.example' });
  const ok = ({ status, body }: Answer): any => (assert.equal(status, 200, JSON.stringify(body)), body);
  const resetsTo = (address: string) => mails.to(address).filter(({ subject }) => subject === 'Set a new password for Perch');

  async function linkTo(address: string): Promise<string> {
    const before = resetsTo(address).length;
    ok(await newBrowser().ask('POST', 'password-resets', { email: address }));
    await until(() => resetsTo(address).length > before);
    return tokenIn(resetsTo(address).at(-1)!, 'reset');
  }
  const reset = async (address: string, by = newBrowser()): Promise<any> =>
    ok(await by.ask('PUT', 'password-resets', { token: await linkTo(address), password: another }));

  async function grantTo(account: string): Promise<{ client: string; refresh: string; access: string }> {
    const { grants, oauthClients } = system.store;
    const [redirectUri, verifier] = ['https://client.example/back', 'v'.repeat(43)];
    const client = await oauthClients.register({ name: 'Agent', redirectUris: [redirectUri] });
    const to = { client, address: 'client.example', redirectUri, resource: 'https://perch.example/mcp', challenge: sha256Short(verifier) };
    const { code } = await grants.begin({ account, name: 'Agent', robots: '*', scopes: ['read'], max: 100, ...to });
    const issued = await grants.exchangeCode(code, { client, verifier, redirectUri: undefined, resource: undefined });
    assert.ok(!('refused' in issued));
    return { client, ...issued };
  }

  it('leaves nothing to whoever signed up with its address: no session, password, passkey, key, token, export or webhook', async () => {
    const [address, attacker] = [email(), newBrowser()];
    const { id } = ok(await attacker.signUp(address)).account;
    const { api_key: apiKey } = ok(await attacker.ask('POST', 'keys', { name: 'kept', robots: '*' }));
    const passkey = { credential: id as string, name: 'phone', host: 'perch.example', publicKey: 'key', counter: 0, transports: [], synced: false };
    await system.store.passkeys.add(id, passkey);
    const grant = await grantTo(id);
    ok(await system.ask('POST', '/v1/webhooks', { apiKey, body: { url: 'https://attacker.example/' } }));

    const victim = newBrowser();
    assert.equal((await reset(address, victim)).recovered.first, true);
    const { robot } = await system.store.robots.create({ account: id });
    const tried = {
      session: (await attacker.ask('GET', 'v1/robots')).status,
      export: (await attacker.ask('GET', 'account/export')).status,
      password: (await newBrowser().signIn(address)).status,
      key: (await system.ask('GET', '/v1/robots', { apiKey })).status,
      access: (await system.ask('GET', `/v1/robots/${robot}/events`, { apiKey: grant.access })).status,
      refresh: await system.store.grants.refresh(grant.refresh, { client: grant.client, resource: undefined }),
      passkey: await system.store.passkeys.find(passkey.credential),
      webhooks: (await system.store.webhooks.list(id)).length,
    };
    const refused = { session: 401, export: 401, password: 401, key: 401, access: 401, refresh: { refused: 'invalid' }, passkey: null, webhooks: 0 };
    assert.deepEqual(tried, refused);
    assert.equal(await victim.signedIn(), true);
    const notices = await until(() => mails.to(address).filter(({ subject }) => subject === 'A new password was set for your Perch account')[0]);
    assert.match(notices!.text, /These ended, too: 1 passkey, 1 API key, 1 connected client and 1 webhook\. Robots stay in the account/);
  });

  it('says in the e-mail, before the reset, that it ends what was made, unless the address was verified', async () => {
    const address = email();
    const { id } = ok(await newBrowser().signUp(address)).account;
    await linkTo(address);
    assert.match(resetsTo(address).at(-1)!.text, /this also ends everything that was made in the account/);
    await system.store.accounts.verify(id);
    await linkTo(address);
    assert.doesNotMatch(resetsTo(address).at(-1)!.text, /ends everything/);
  });

  it('is recovered although whoever signed up changes the password after each e-mail', async () => {
    const [address, attacker] = [email(), newBrowser()];
    ok(await attacker.signUp(address));
    const token = await linkTo(address);
    ok(await attacker.ask('PUT', 'password', { current: passphrase, password: 'the password of others' }));
    const victim = newBrowser();
    assert.equal(ok(await victim.ask('PUT', 'password-resets', { token, password: another })).recovered.first, true);
    assert.deepEqual([await attacker.signedIn(), await victim.signedIn()], [false, true]);
    assert.equal((await newBrowser().signIn(address, 'the password of others')).status, 401);
  });

  /** Sends the head of a request, and its body once `rest` is called. */
  function slowly(by: Browser, path: string, body: object): { sent: ClientRequest; rest: () => Promise<number> } {
    const text = JSON.stringify(body);
    const headers = { ...by.headers, cookie: by.cookie, 'x-csrf-token': by.csrf, 'content-type': 'application/json', 'content-length': text.length };
    const sent = httpRequest(`${system.base}/console/${path}`, { method: 'POST', headers });
    sent.flushHeaders();
    sent.write(text.slice(0, 1));
    return {
      sent,
      rest: async () => {
        const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
        sent.end(text.slice(1));
        const [response] = await responded;
        response.resume();
        return response.statusCode ?? 0;
      },
    };
  }

  it('keeps no key, share link or webhook of a request that had been admitted before, and whose body came after', async () => {
    const [address, attacker] = [email(), newBrowser()];
    const { id } = ok(await attacker.signUp(address)).account;
    const { robot } = await system.store.robots.create({ account: id });
    const { apiKeys } = system.store;
    const { admit } = apiKeys;
    let admitted = 0;
    apiKeys.admit = async (asked) => {
      const admission = await admit.call(apiKeys, asked);
      if (admission.ok) admitted++;
      return admission;
    };
    const held = [
      slowly(attacker, 'keys', { name: 'late', robots: '*' }),
      slowly(attacker, `robots/${robot}/share-links`, { permission: 'use' }),
      slowly(attacker, 'v1/webhooks', { url: 'https://attacker.example/' }),
    ];
    await until(() => admitted === held.length);
    apiKeys.admit = admit;
    await reset(address);
    assert.deepEqual(await Promise.all(held.map(({ rest }) => rest())), [401, 401, 401]);
    const [keys, links, webhooks] = await Promise.all([
      system.store.apiKeys.list(id),
      system.store.guests.of(robot, system.store.clock.now()),
      system.store.webhooks.list(id),
    ]);
    assert.deepEqual([keys, links.links, webhooks], [[], [], []]);
  });

  it('keeps passkeys and keys at a later reset, and loses its connected clients', async () => {
    const [address, owner] = [email(), newBrowser()];
    const { id } = ok(await owner.signUp(address)).account;
    await system.store.accounts.verify(id);
    const { api_key: apiKey } = ok(await owner.ask('POST', 'keys', { name: 'kept', robots: '*' }));
    const grant = await grantTo(id);
    const { recovered } = await reset(address);
    assert.deepEqual([recovered.first, recovered.ended.clients], [false, 1]);
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey })).status, 200);
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey: grant.access })).status, 401);
    const notice = await until(() => mails.to(address).find(({ subject }) => subject === 'A new password was set for your Perch account'));
    assert.match(notice!.text, /These ended, too: 1 connected client\. Passkeys and API keys still work/);
  });

  it('that a provider vouched for was not made by anybody else, also if a release before 0.10 did not note it', async () => {
    for (const verified of [true, false]) {
      const address = email();
      const identity = { issuer: 'https://provider.example', subject: address };
      const { account } = await system.store.accounts.create({ email: address, identity, verified });
      await system.store.apiKeys.create({ account });
      assert.equal((await reset(address)).recovered.first, false, String(verified));
      assert.equal((await system.store.apiKeys.list(account)).length, 1);
    }
  });

  it('of 0.10.x, whose address nobody verified, is recovered as by a first proof', async () => {
    const address = email();
    const { account } = await system.store.accounts.create({ email: address, password: await system.store.passwords.hash(passphrase) });
    await system.store.apiKeys.create({ account });
    assert.equal((await reset(address)).recovered.first, true);
    assert.deepEqual(await system.store.apiKeys.list(account), []);
    assert.deepEqual(failed(await newBrowser().signIn(address)), [401, 'wrong_credentials', 'password']);
  });
});
