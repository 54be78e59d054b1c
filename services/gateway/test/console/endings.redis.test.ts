/** Makes one of each kind of the inventory over two gateways, with connections that stay open, and shows after each reason which of them still work. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sha256Short } from '@perch/runtime';
import { endingReasons, endsOn, inventoryKinds, type EndingReason, type InventoryKind } from '@perch/store';
import { EventStreamClient, MailServer, tokenIn, until } from '@perch/testkit';
import { mailAddressOf } from '../../src/mail/mail-delivery.js';
import { useGateway, useOwner, type Answer, type GatewayUnderTest } from '../gateway-under-test.js';
import { question } from '../open-wait.js';
import { Browser, email, passphrase } from './browser.js';

/** Whose credential it is, or with whose it was made. */
type Of = InventoryKind | 'page';

interface Left {
  kind: InventoryKind;
  of: Of;
  works: () => Promise<boolean>;
}

const newPassword = 'another good one';
const client = { address: 'client.example', redirectUri: 'https://client.example/back', resource: 'https://perch.example/mcp' };

describe('what an account leaves behind, at two gateways', () => {
  let mails: MailServer;
  before(async () => {
    mails = await MailServer.start();
  });
  const settings = () => ({
    trustedProxies: 1,
    mail: { smtpUrl: mails.url, from: mailAddressOf('perch@example.org')! },
    publicUrl: 'http://perch.example',
  });
  const system = useGateway(settings);
  const other = useGateway(settings);
  after(() => mails.stop());
  const browserAt = (gateway: GatewayUnderTest): Browser => new Browser(gateway, { host: 'perch.example' });

  interface Made {
    address: string;
    account: string;
    maker: Browser;
    key: { id: string; apiKey: string };
    grant: { id: string; access: string; refresh: string };
    guest: { account: string; browser: Browser };
    robots: Record<'key' | 'grant' | 'guest' | 'page', string>;
    left: Left[];
    streams: EventStreamClient[];
  }
  const made: Made[] = [];
  afterEach(() => {
    for (const { streams } of made.splice(0)) for (const stream of streams) stream.close();
  });

  const ok = ({ status, body }: Answer): any => (assert.equal(status, 200, JSON.stringify(body)), body);

  async function grantTo(account: string): Promise<Made['grant']> {
    const { grants, oauthClients } = system.store;
    const id = await oauthClients.register({ name: 'Agent', redirectUris: [client.redirectUri] });
    const verifier = 'v'.repeat(43);
    const asked = {
      account,
      name: 'Agent',
      robots: '*' as const,
      scopes: ['read', 'act', 'ask'] as const,
      max: 100,
      challenge: sha256Short(verifier),
    };
    const { code } = await grants.begin({ ...asked, client: id, ...client });
    const issued = await grants.exchangeCode(code, { client: id, verifier, redirectUri: undefined, resource: undefined });
    assert.ok(!('refused' in issued));
    return issued;
  }

  /** Asks a question that outlives its call, and puts a card behind it into the queue. @returns both, as seen by whoever asked */
  async function asks(robot: string, of: Of, ask: (path: string, body: object) => Promise<Answer>): Promise<Left[]> {
    ok(await ask(`v1/robots/${robot}/ask`, { ...question, detach: true, timeout_s: 3600 }));
    ok(await ask(`v1/robots/${robot}/show`, { text: 'later', queue: true, expires_s: 3600 }));
    const number = (await system.store.waits.detachedNumbers(robot)).at(-1)!;
    const opened = [...system.link.waits, ...other.link.waits].find((record) => record.number === number);
    assert.ok(opened, 'the question is shown');
    return [
      {
        kind: 'detached_wait',
        of,
        works: async () => {
          const isOpen = (await system.store.waits.read(robot, number))?.outcome === null;
          const isShown = ![...system.link.waitEnds, ...other.link.waitEnds].includes(number);
          if (isOpen) assert.ok(isShown, `the question of ${of} is open, and stays on the screen`);
          return isOpen || isShown;
        },
      },
      { kind: 'queue_entry', of, works: async () => (await system.store.connections.commands.zcard(`perch:{${robot}}:queue`)) > 0 },
    ];
  }

  async function streamOf(
    url: string,
    options: { apiKey?: string; headers?: Record<string, string> },
    streams: EventStreamClient[],
  ): Promise<() => Promise<boolean>> {
    const stream = await EventStreamClient.open(url, options);
    assert.equal(stream.status, 200);
    streams.push(stream);
    let isOpen = true;
    void stream.closed.then(() => (isOpen = false));
    return async () => isOpen;
  }

  const signedInBy = (browser: Browser, secret = browser.cookies.get('perch_session')!) => {
    const copy = browserAt(other);
    copy.cookies.set('perch_session', secret);
    return () => copy.signedIn();
  };

  /** An account whose address is not verified, and one of each kind. */
  async function account(): Promise<Made> {
    const { store } = system;
    const [address, maker, guestBrowser] = [email(), browserAt(system), browserAt(other)];
    const { id } = ok(await maker.signUp(address)).account;
    const guest = { account: ok(await guestBrowser.signUp(email())).account.id as string, browser: guestBrowser };
    const robots = {} as Made['robots'];
    for (const of of ['key', 'grant', 'guest', 'page'] as const) {
      const { robot, token } = await store.robots.create({ account: id, name: of });
      await system.link.take(robot, token);
      robots[of] = robot;
    }
    const { token: share } = ok(await maker.ask('POST', `robots/${robots.guest}/share-links`, { permission: 'use' }));
    ok(await guestBrowser.ask('POST', 'shares', { token: share }));
    const { token: open } = ok(await maker.ask('POST', `robots/${robots.key}/share-links`, { permission: 'use' }));
    const { robot: foreign } = await store.robots.create({ account: guest.account });
    const { token: shared } = (await store.guests.makeLink(guest.account, foreign, 'watch'))!;
    ok(await maker.ask('POST', 'shares', { token: shared }));

    const made = ok(await maker.ask('POST', 'keys', { name: 'laptop', robots: '*' }));
    const key = { id: made.key.id as string, apiKey: made.api_key as string };
    const grant = await grantTo(id);
    const credential = randomUUID();
    const passkey = { credential, name: 'phone', host: 'perch.example', publicKey: 'key', counter: 0, transports: [], synced: false };
    assert.ok(await store.passkeys.add(id, passkey));
    const { webhook } = ok(await system.ask('POST', '/v1/webhooks', { apiKey: key.apiKey, body: { url: 'https://example.com/' } }));
    const [signIn, reset] = [await store.signInTokens.make(id, 600_000), await store.passwordResets.make(id)];
    const verification = tokenIn(await mails.mailTo(address), 'verify');
    const device = maker.cookies.get('perch_device')!;
    const secret = maker.cookies.get('perch_session')!;

    const streams: EventStreamClient[] = [];
    const cookie = (of: string) => ({ cookie: `perch_session=${of}`, host: 'perch.example', 'sec-fetch-site': 'same-origin' });
    const events = `v1/robots/${robots.key}/events`;
    const guestSecret = guestBrowser.cookies.get('perch_session')!;
    const left: Left[] = [
      { kind: 'sign_in', of: 'sign_in', works: signedInBy(maker, secret) },
      { kind: 'device', of: 'device', works: async () => (await store.devices.find(id, device.split('.'))) !== null },
      { kind: 'sign_in_link', of: 'sign_in_link', works: async () => (await store.signInTokens.find(signIn)) !== null },
      { kind: 'reset_link', of: 'reset_link', works: async () => (await store.passwordResets.find(reset)) !== null },
      {
        kind: 'verification_link',
        of: 'verification_link',
        // It verifies nothing where the address is verified.
        works: async () =>
          (await store.emailVerifications.find(verification)) !== null &&
          (await store.accounts.get(id)) !== null &&
          (await store.accounts.verifiedAt(id)) === null,
      },
      { kind: 'passkey', of: 'passkey', works: async () => (await store.passkeys.find(credential)) !== null },
      { kind: 'key', of: 'key', works: async () => (await other.ask('GET', '/v1/robots', { apiKey: key.apiKey })).status === 200 },
      { kind: 'grant', of: 'grant', works: async () => (await other.ask('GET', '/v1/robots', { apiKey: grant.access })).status === 200 },
      { kind: 'grant', of: 'grant', works: async () => (await store.apiKeys.find(grant.refresh)) !== null },
      { kind: 'webhook', of: 'webhook', works: async () => (await store.webhooks.get(id, webhook.id)) !== null },
      { kind: 'share_link', of: 'share_link', works: async () => (await store.guests.offerOf(open, store.clock.now())) !== null },
      { kind: 'guest', of: 'guest', works: async () => (await guestBrowser.ask('GET', `robots/${robots.guest}`)).status === 200 },
      { kind: 'shared_robot', of: 'shared_robot', works: async () => (await store.sharedRobots.with(id)).length === 1 },
      { kind: 'robot', of: 'robot', works: async () => (await store.robots.get(robots.key))?.account === id },
      { kind: 'open_call', of: 'key', works: await streamOf(`${other.base}/${events}`, { apiKey: key.apiKey }, streams) },
      { kind: 'open_call', of: 'grant', works: await streamOf(`${system.base}/${events}`, { apiKey: grant.access }, streams) },
      { kind: 'open_call', of: 'sign_in', works: await streamOf(`${other.base}/console/live`, { headers: cookie(secret) }, streams) },
      {
        kind: 'open_call',
        of: 'guest',
        works: await streamOf(`${system.base}/console/live?robot=${robots.guest}`, { headers: cookie(guestSecret) }, streams),
      },
      ...(await asks(robots.key, 'key', (path, body) => other.ask('POST', `/${path}`, { apiKey: key.apiKey, body }))),
      ...(await asks(robots.grant, 'grant', (path, body) => other.ask('POST', `/${path}`, { apiKey: grant.access, body }))),
      ...(await asks(robots.guest, 'guest', (path, body) => guestBrowser.ask('POST', path, body))),
      ...(await asks(robots.page, 'page', (path, body) => maker.ask('POST', path, body))),
    ];
    const all = { address, account: id, maker, key, grant, guest, robots, left, streams };
    for (const { kind, of, works } of left) assert.equal(await works(), true, `${kind} of ${of} works before`);
    return all;
  }

  /** The credential decides over what was made with it; questions of the page stay with the account, and end where all do. */
  function ends({ kind, of }: Left, reason: EndingReason, only: Of | null): boolean {
    if (!endsOn(kind, reason)) return false;
    if (of === 'page') return reason === 'address_proven' || reason === 'account_removed';
    if (only !== null) return of === only;
    return of === kind || endsOn(of as InventoryKind, reason);
  }

  const reset = async ({ address }: Made): Promise<any> => {
    const by = browserAt(other);
    const before = mails.to(address).length;
    ok(await by.ask('POST', 'password-resets', { email: address }));
    const mail = await mails.mailTo(address, before + 1);
    return ok(await by.ask('PUT', 'password-resets', { token: tokenIn(mail, 'reset'), password: newPassword }));
  };
  const verified = async (all: Made): Promise<void> => void (await system.store.accounts.verify(all.account));

  interface Case {
    reason: EndingReason;
    /** Only what is of this credential. */
    only?: Of;
    title: string;
    /** Kinds that have ended before, as the case prepares it. */
    before?: readonly InventoryKind[];
    end: (all: Made) => Promise<unknown>;
  }

  const cases: readonly Case[] = [
    { reason: 'key_revoked', only: 'key', title: 'a key is revoked on the page', end: ({ maker, key }) => maker.ask('DELETE', `keys/${key.id}`) },
    {
      reason: 'key_revoked',
      only: 'grant',
      title: 'a connected client is revoked',
      end: ({ maker, grant }) => maker.ask('DELETE', `keys/${grant.id}`),
    },
    {
      reason: 'sharing_ended',
      only: 'guest',
      title: 'a guest is removed',
      end: ({ maker, guest, robots }) => maker.ask('DELETE', `robots/${robots.guest}/people/${guest.account}`),
    },
    {
      reason: 'sharing_ended',
      only: 'guest',
      title: 'a guest gives the robot up',
      end: ({ guest, robots }) => guest.browser.ask('DELETE', `shares/${robots.guest}`),
    },
    {
      reason: 'signed_out',
      title: 'the operator signs the account out',
      end: ({ account: id }) => system.store.endings.end({ reason: 'signed_out', account: id }),
    },
    {
      reason: 'password_changed',
      title: 'the password is changed in another browser',
      before: ['verification_link'],
      end: async (all) => {
        await verified(all);
        const by = browserAt(other);
        ok(await by.signIn(all.address));
        ok(await by.ask('PUT', 'password', { current: passphrase, password: newPassword }));
      },
    },
    {
      reason: 'password_reset',
      title: 'the password of a verified account is reset',
      before: ['verification_link'],
      end: async (all) => {
        await verified(all);
        assert.deepEqual((await reset(all)).recovered, {
          first: false,
          ended: { passkeys: 0, keys: 0, clients: 1, webhooks: 0, share_links: 0, people: 0 },
        });
      },
    },
    {
      reason: 'address_proven',
      title: 'a reset is the first proof of the address',
      end: async (all) => {
        assert.deepEqual((await reset(all)).recovered, {
          first: true,
          ended: { passkeys: 1, keys: 1, clients: 1, webhooks: 1, share_links: 1, people: 1 },
        });
      },
    },
    {
      reason: 'account_removed',
      title: 'the account is deleted',
      end: async ({ maker, address, account: id }) => {
        ok(await maker.ask('POST', 'account/removal', { email: address, password: passphrase }));
        await until(async () => (await system.store.accounts.idOf(address)) === null, { what: `the end of ${id}`, timeoutMs: 20_000 });
      },
    },
  ];

  for (const { reason, only = null, title, before: ended = [], end } of cases)
    it(`ends what the inventory says, and nothing else, when ${title}`, async () => {
      const all = await account();
      made.push(all);
      const result = (await end(all)) as Partial<Answer> | undefined;
      if (result?.status !== undefined) ok(result as Answer);
      const gone = all.left.filter((each) => ends(each, reason, only));
      for (const { kind, of, works } of gone) {
        if (reason === 'account_removed' && ['detached_wait', 'queue_entry'].includes(kind)) continue;
        await until(async () => !(await works()), { what: `the end of ${kind} of ${of}` });
      }
      for (const each of all.left)
        if (!gone.includes(each) && !ended.includes(each.kind)) assert.equal(await each.works(), true, `${each.kind} of ${each.of} stays`);
    });

  it('ends the questions of a guest who may only watch from now on, and lets them watch', async () => {
    const all = await account();
    made.push(all);
    const { maker, guest, robots, left } = all;
    ok(await maker.ask('PATCH', `robots/${robots.guest}/people/${guest.account}`, { permission: 'watch' }));
    const asked = left.filter(({ kind, of }) => of === 'guest' && ['detached_wait', 'queue_entry'].includes(kind));
    for (const { kind, works } of asked) await until(async () => !(await works()), { what: `the end of ${kind}` });
    for (const each of left) if (!asked.includes(each)) assert.equal(await each.works(), true, `${each.kind} of ${each.of} stays`);
  });

  describe('a key that is revoked while its question or card is stored', () => {
    const owner = useOwner(system);
    const revoke = () => other.store.endings.end({ reason: 'key_revoked', account: owner.account, key: owner.keyId, removeWebhooks: false });

    it('leaves no question on the screen that the revocation did not see yet', async () => {
      const { detachedWaits, waits } = system.store;
      const { detach } = detachedWaits;
      detachedWaits.detach = async (...asked) => {
        assert.equal((await revoke()).counts.detached_wait, 0);
        return detach.apply(detachedWaits, asked);
      };
      try {
        const { status } = await system.act(owner, 'ask', { ...question, detach: true, timeout_s: 3600 });
        assert.equal(status, 401);
      } finally {
        detachedWaits.detach = detach;
      }
      const { number } = system.link.waits.at(-1)!;
      assert.deepEqual((await waits.read(owner.robot, number))?.outcome, { outcome: 'cancelled' });
      await until(() => system.link.waitEnds.includes(number));
    });

    it('leaves no entry in the queue that the revocation did not see yet', async () => {
      const { queue } = system.store;
      const { add } = queue;
      queue.add = async (...asked) => {
        assert.equal((await revoke()).counts.queue_entry, 0);
        return add.apply(queue, asked);
      };
      try {
        const { status } = await system.act(owner, 'ask', { ...question, queue: true, detach: true, timeout_s: 3600 });
        assert.equal(status, 401);
      } finally {
        queue.add = add;
      }
      assert.deepEqual(await queue.list(owner.robot), []);
    });

    it('ends its question at the next look of a gateway, if an instance of 0.10.x revokes it', async () => {
      const { connections, waits, apiKeys } = system.store;
      assert.equal((await system.act(owner, 'ask', { ...question, detach: true, timeout_s: 3600 })).status, 200);
      const { number } = system.link.waits.at(-1)!;
      await apiKeys.revoke(owner.account, owner.keyId);
      await connections.commands.zadd('perch:{detached-waits}', 1, `${owner.robot} ${number}`);
      await until(async () => (await waits.read(owner.robot, number))?.outcome?.outcome === 'cancelled');
      await until(() => [...system.link.waitEnds, ...other.link.waitEnds].includes(number));
    });
  });

  it('has each reason, and each kind of the inventory', async () => {
    assert.deepEqual(new Set(cases.map(({ reason }) => reason)), new Set(Object.keys(endingReasons)));
    const all = await account();
    made.push(all);
    assert.deepEqual(new Set(all.left.map(({ kind }) => kind)), new Set(inventoryKinds));
  });
});
