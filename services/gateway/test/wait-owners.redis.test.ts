/** Who reads, and who removes, a question that outlives its call, and who else learns its answer. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import type { WaitRecord } from '@perch/schema';
import { parseWaitId, waitId } from '@perch/store';
import { until } from '@perch/testkit';
import { SessionClient } from './console/session-client.js';
import { useGateway, useOwner, type Answer } from './gateway-under-test.js';
import { toolMessage } from './mcp/mcp-requests.js';
import { callback, OAuthClient } from './oauth/oauth-client.js';
import { question } from './open-wait.js';

const tap = { outcome: 'answered', index: 1, x: 200, y: 180 } as const;
const unknown = 'There is no such wait for this key: it never was, another key asked it, its hour is over, or it was taken away.';

interface Caller {
  ask: (method: string, path: string, body?: object) => Promise<Answer>;
  /** Over MCP; null: the caller has no key. */
  apiKey: string | null;
  account?: string;
}

describe('owners of waits', () => {
  const system = useGateway({ pendingAfterMs: 300 });
  const other = useGateway({ pendingAfterMs: 300 });
  const owner = useOwner(system);
  const callers: Record<string, Caller> = {};

  const withKey = (apiKey: string): Caller => ({
    ask: (method, path, body) => other.ask(method, `/v1/${path}`, { apiKey, headers: { 'x-request-id': 'the-same' }, ...(body && { body }) }),
    apiKey,
  });
  const withPage = async (account: string): Promise<Caller> => {
    const page = await SessionClient.signIn(system, account);
    return { ask: (method, path, body) => page.ask(method, `v1/${path}`, body, { 'x-request-id': 'the-same' }), apiKey: null, account };
  };
  const keyOf = async (account: string, more: object = {}): Promise<Caller> =>
    withKey((await system.store.apiKeys.create({ account, ...more })).apiKey);

  async function guestOf(permission: 'watch' | 'use'): Promise<Caller> {
    const { account } = await system.store.accounts.create({ email: `${randomUUID()}@example.com` });
    const page = await SessionClient.signIn(system, owner.account);
    const { token } = (await page.ask('POST', `robots/${owner.robot}/share-links`, { permission })).body;
    const guest = await SessionClient.signIn(system, account);
    assert.equal((await guest.ask('POST', 'shares', { token })).status, 200);
    return withPage(account);
  }

  async function tokenOf(client: OAuthClient, body: Record<string, string>): Promise<{ access: string; refresh: string }> {
    const answer = await system.ask('POST', '/oauth/token', {
      body: new URLSearchParams({ client_id: client.id, ...body }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return { access: answer.body.access_token, refresh: answer.body.refresh_token };
  }

  beforeEach(async () => {
    for (const name of Object.keys(callers)) delete callers[name];
    const stranger = await system.owner();
    Object.assign(callers, {
      key: withKey(owner.apiKey),
      'another key': await keyOf(owner.account),
      'the page': await withPage(owner.account),
      'a guest': await guestOf('use'),
      'another guest': await guestOf('use'),
      watcher: await guestOf('watch'),
      'a stranger': withKey(stranger.apiKey),
      "a stranger's page": await withPage(stranger.account),
    });
  });

  async function asked(caller: Caller, args: object = {}): Promise<{ wait: string; record: WaitRecord }> {
    const { status, body } = await caller.ask('POST', `robots/${owner.robot}/ask`, { ...question, detach: true, timeout_s: 60, ...args });
    assert.deepEqual([status, body.outcome], [200, 'pending'], JSON.stringify(body));
    return { wait: body.wait, record: system.link.waits.at(-1)! };
  }

  async function tool(apiKey: string, name: string, args: object): Promise<any> {
    const { result } = await toolMessage(system, { apiKey }, name, args);
    return JSON.parse(result.content[0].text);
  }

  /** Checks that exactly these callers read the wait, over MCP too, and that the others get the answer to a wait that does not exist. */
  async function readBy(wait: string, readers: string[]): Promise<void> {
    for (const [name, { ask, apiKey }] of Object.entries(callers)) {
      const { status, body } = await ask('GET', `waits/${wait}`);
      if (readers.includes(name)) assert.deepEqual([status, body.wait], [200, wait], name);
      else {
        const reference = await ask('GET', 'waits/wt-0000000000-mb1x2k9q-0000000000000000');
        const isWatcher = name === 'watcher';
        assert.deepEqual([status, body.code], isWatcher ? [403, 'scope_missing'] : [404, 'not_found'], name);
        if (!isWatcher) assert.deepEqual([body, body.error], [reference.body, unknown], name);
        assert.equal((await ask('DELETE', `waits/${wait}`)).status, status, name);
      }
      if (apiKey === null) continue;
      const answer = await tool(apiKey, 'robot_answer', { wait, seconds: 0 });
      assert.deepEqual([answer.ok, answer.code], readers.includes(name) ? [true, undefined] : [false, 'not_found'], name);
    }
  }

  const cases: [string, string[]][] = [
    ['key', ['key', 'the page']],
    ['another key', ['another key', 'the page']],
    ['the page', ['the page']],
    ['a guest', ['a guest', 'the page']],
  ];
  for (const [asker, readers] of cases)
    it(`a question of ${asker} is read by ${readers.join(' and ')} alone, open and answered, and removed by them`, async () => {
      const { wait, record } = await asked(callers[asker]!);
      await readBy(wait, readers);
      await system.link.settle(owner.robot, record, tap);
      await readBy(wait, readers);
      assert.equal((await callers[readers[0]!]!.ask('DELETE', `waits/${wait}`)).status, 200);
      await readBy(wait, []);
    });

  it("the account's page removes the question of a guest", async () => {
    const { wait, record } = await asked(callers['a guest']!);
    assert.equal((await callers['the page']!.ask('DELETE', `waits/${wait}`)).status, 200);
    await until(() => system.link.waitEnds.includes(record.number), { what: 'the robot-link to be told' });
  });

  it('a guest no longer reads what it asked once it may only watch, or the robot is no longer shared', async () => {
    const { wait } = await asked(callers['a guest']!);
    const page = await SessionClient.signIn(system, owner.account);
    const guest = callers['a guest']!;
    const person = `robots/${owner.robot}/people/${guest.account}`;
    const read = async (): Promise<unknown[]> => {
      const { status, body } = await guest.ask('GET', `waits/${wait}`);
      return [status, body.code];
    };
    assert.deepEqual(await read(), [200, undefined]);
    assert.equal((await page.ask('PATCH', person, { permission: 'watch' })).status, 200);
    assert.deepEqual(await read(), [403, 'scope_missing']);
    assert.equal((await page.ask('DELETE', person)).status, 200);
    assert.deepEqual(await read(), [404, 'not_found']);
  });

  it('a question of the queue has its owner from its arrival on, under the number that it opens with, too', async () => {
    const first = await asked(callers['another key']!);
    const { wait } = await asked(callers['key']!, { queue: true });
    await readBy(wait, ['key', 'the page']);
    await callers['another key']!.ask('DELETE', `waits/${first.wait}`);
    await until(() => system.link.waits.length === 2, { what: 'the question of the queue' });
    const { number } = system.link.waits[1]!;
    assert.notEqual(number, parseWaitId(wait)!.number);
    await readBy(wait, ['key', 'the page']);
    for (const random of [undefined, parseWaitId(wait)!.random]) await readBy(waitId(owner.robot, { number, random }), []);
  });

  it('a tool call that answers pending has the owner of its key', async () => {
    const { wait } = await tool(owner.apiKey, 'robot_ask', { ...question, timeout_s: 60 });
    await readBy(wait, ['key', 'the page']);
  });

  it('a new secret of the key reads what the former one asked', async () => {
    const { wait } = await asked(callers['key']!);
    const rolled = await system.store.keyRotation.roll(owner.account, owner.keyId, 1_000);
    assert.ok(rolled !== null && typeof rolled === 'object');
    callers['new secret'] = withKey(rolled.apiKey);
    await readBy(wait, ['key', 'new secret', 'the page']);
  });

  it("the next access token of an OAuth client reads what the one before asked, and another client's does not", async () => {
    const page = await SessionClient.signIn(system, owner.account);
    const [client, another] = [await OAuthClient.registered(system), await OAuthClient.registered(system)];
    const tokens = async (of: OAuthClient): Promise<{ access: string; refresh: string }> =>
      tokenOf(of, { grant_type: 'authorization_code', code: await of.codeFrom(page), code_verifier: of.verifier, redirect_uri: callback });
    const first = await tokens(client);
    const { wait } = await tool(first.access, 'robot_ask', { ...question, detach: true, timeout_s: 60 });
    const next = await tokenOf(client, { grant_type: 'refresh_token', refresh_token: first.refresh });
    assert.notEqual(next.access, first.access);
    assert.equal((await tool(next.access, 'robot_answer', { wait, seconds: 0 })).outcome, 'pending');
    assert.equal((await tool((await tokens(another)).access, 'robot_answer', { wait, seconds: 0 })).code, 'not_found');
    await readBy(wait, ['the page']);
  });

  it('a question of a key that expires ends with it, and does not wait for the key to leave the list', async () => {
    const { clock, apiKeys, waits } = system.store;
    const expiresAt = clock.now() + 3_000;
    const { apiKey, id } = await apiKeys.create({ account: owner.account, expiresAt });
    const { record } = await asked(withKey(apiKey));
    const outcomeOf = async () => (await waits.read(owner.robot, record.number))?.outcome ?? null;
    await until(outcomeOf, { what: 'its end', everyMs: 100 });
    const lateMs = clock.now() - expiresAt;
    assert.deepEqual(await outcomeOf(), { outcome: 'cancelled' });
    // Gateways look at open questions once a minute if nothing says when their key ends.
    assert.ok(lateMs > -500 && lateMs < 30_000, `${lateMs} ms after the key`);
    assert.equal((await apiKeys.hashesOf(owner.account, id)).length, 1, 'still listed');
    await until(() => system.link.waitEnds.includes(record.number), { what: 'the robot-link to be told' });
  });

  it('a question of an OAuth client outlives the access token that asked it', async () => {
    const page = await SessionClient.signIn(system, owner.account);
    const client = await OAuthClient.registered(system);
    const code = { grant_type: 'authorization_code', code: await client.codeFrom(page), code_verifier: client.verifier, redirect_uri: callback };
    const { access } = await tokenOf(client, code);
    await tool(access, 'robot_ask', { ...question, detach: true, timeout_s: 60 });
    const { number } = system.link.waits.at(-1)!;
    const { connections, detachedWaits, endings, waits } = system.store;
    await connections.commands.del(`perch:{${createHash('sha256').update(access).digest('base64url')}}`);
    const { owner: grant = '' } = (await waits.read(owner.robot, number))!.detached!;
    const lifeMs = await endings.lifeOf(owner.account, owner.robot, grant);
    assert.ok(lifeMs > 3_600_000, `${lifeMs} ms`);
    await detachedWaits.lookAgain(owner.robot, number, 0);
    const dueAt = async (): Promise<number> => Number(await connections.commands.zscore('perch:{detached-waits}', `${owner.robot} ${number}`));
    await until(async () => (await dueAt()) > system.store.clock.now() + 1_000, { what: 'a look at it' });
    assert.equal((await waits.read(owner.robot, number))!.outcome, null);
  });

  it('a key with the scope approve alone reads and removes what it asked, and nothing that others did', async () => {
    callers['the hook'] = await keyOf(owner.account, { scopes: ['approve'] });
    const { wait } = await asked(callers['the hook']);
    await readBy(wait, ['the hook', 'the page']);
    await readBy((await asked(callers['key']!)).wait, ['key', 'the page']);
    assert.equal((await callers['the hook'].ask('DELETE', `waits/${wait}`)).status, 200);
  });

  it('an entry of the queue is shown though its access token was replaced and has ended, and not once the grant has', async () => {
    const page = await SessionClient.signIn(system, owner.account);
    const client = await OAuthClient.registered(system);
    const parameters = { code_verifier: client.verifier, redirect_uri: callback };
    const first = await tokenOf(client, { grant_type: 'authorization_code', code: await client.codeFrom(page), ...parameters });
    const open = await asked(callers['another key']!);
    const queued: string[] = [];
    for (let i = 0; i < 2; i++)
      queued.push((await tool(first.access, 'robot_ask', { ...question, queue: true, detach: true, expires_s: 3600, timeout_s: 60 })).wait);
    const next = await tokenOf(client, { grant_type: 'refresh_token', refresh_token: first.refresh });
    await system.store.connections.commands.del(`perch:{${createHash('sha256').update(first.access).digest('base64url')}}`);
    assert.equal((await withKey(first.access).ask('GET', `waits/${queued[0]}`)).status, 401);
    await callers['another key']!.ask('DELETE', `waits/${open.wait}`);
    await until(() => system.link.waits.length === 2, { what: 'the question of the queue' });
    await until(async () => (await tool(next.access, 'robot_answer', { wait: queued[0], seconds: 0 })).queued === undefined, { what: 'its turn' });
    const { id } = (await system.store.apiKeys.list(owner.account)).find((key) => key.client !== undefined)!;
    await system.store.apiKeys.revoke(owner.account, id);
    await system.link.settle(owner.robot, system.link.waits[1]!, tap);
    await until(async () => (await callers['the page']!.ask('GET', `waits/${queued[1]}`)).body.code !== undefined, { what: 'the end of the second' });
    assert.equal(system.link.waits.length, 2);
  });

  it('a wait of 0.10.x, which has neither owner nor random part, stays readable by the account, and not by guests', async () => {
    callers['the hook'] = await keyOf(owner.account, { scopes: ['approve'] });
    const { record } = await asked(callers['key']!);
    const number = (await system.store.waits.number(owner.robot))!;
    const earlier = { ...record, number };
    await system.store.waits.open(owner.robot, earlier);
    await system.store.waits.detach(owner.robot, earlier, { account: owner.account, choices: [{ label: 'Yes' }, { label: 'No' }] });
    const wait = waitId(owner.robot, { number });
    await readBy(wait, ['key', 'another key', 'the page']);
  });

  it('a gateway of 0.10.x, which compares the account alone, reads a wait with an owner to nobody', async () => {
    const { record } = await asked(callers['key']!);
    assert.equal((await system.store.waits.read(owner.robot, record.number))!.detached!.account, '');
  });

  it('a question whose key ends before it is shown is not shown', async () => {
    const { apiKey, id } = await system.store.apiKeys.create({ account: owner.account });
    let revoked = false;
    // Either renderer may draw it.
    system.beforeDrawn = other.beforeDrawn = async () => {
      if (!revoked) await system.store.apiKeys.revoke(owner.account, id);
      revoked = true;
    };
    const { status } = await system.ask('POST', `/v1/robots/${owner.robot}/ask`, {
      apiKey,
      body: { question: randomUUID(), answers: ['a', 'b'], detach: true },
    });
    assert.equal(status, 401);
    assert.equal(system.link.waits.length, 0);
  });

  it('its answer is also in the event answered and in the activity, for keys with the scope read and watchers, and a key without it learns nothing', async () => {
    callers['asking key'] = await keyOf(owner.account, { scopes: ['ask', 'act'] });
    callers['reading key'] = await keyOf(owner.account, { scopes: ['read'] });
    const { wait, record } = await asked(callers['key']!);
    await system.link.settle(owner.robot, record, tap);
    const events = async (name: string): Promise<unknown[]> => {
      const { status, body } = await callers[name]!.ask('GET', `robots/${owner.robot}/events?names=answered`);
      return [status, ...(body.events ?? []).map(({ data }: any) => [data.wait, data.answer])];
    };
    await until(async () => (await events('key')).length === 2, { what: 'the event' });
    for (const name of ['key', 'another key', 'reading key', 'the page', 'a guest', 'watcher'])
      assert.deepEqual(await events(name), [200, [wait, 'No']], name);
    for (const [name, status] of [
      ['asking key', 403],
      ['a stranger', 404],
      ["a stranger's page", 404],
    ] as const)
      assert.deepEqual(await events(name), [status], name);

    const held = callers['key']!.ask('POST', `robots/${owner.robot}/ask`, question);
    await until(() => system.link.waits.length === 2, { what: 'the question' });
    await system.link.settle(owner.robot, system.link.waits[1]!, tap);
    assert.equal((await held).body.answer, 'No');
    assert.equal((await events('key')).length, 2, 'a question that a call holds is no event');
    const answers = async (name: string): Promise<unknown[]> => {
      const { status, body } = await callers[name]!.ask('GET', `activity?robot=${owner.robot}`);
      return [status, ...(body.activity ?? []).flatMap(({ answer }: any) => answer ?? [])];
    };
    await until(async () => (await answers('key')).length === 2, { what: 'the entry' });
    for (const name of ['key', 'another key', 'reading key', 'the page']) assert.deepEqual(await answers(name), [200, 'No'], name);
    assert.deepEqual(await answers('asking key'), [403]);
    for (const name of ['a guest', 'watcher', 'a stranger']) assert.deepEqual(await answers(name), [200], name);
  });

  it("an Idempotency-Key that another key sends with the same question does not return the owner's wait", async () => {
    const headers = { 'idempotency-key': 'tonight' };
    const ask = (apiKey: string): Promise<Answer> =>
      system.ask('POST', `/v1/robots/${owner.robot}/ask`, { apiKey, body: { ...question, detach: true }, headers });
    const { wait } = (await ask(owner.apiKey)).body;
    assert.equal((await ask(owner.apiKey)).body.wait, wait);
    assert.notEqual((await ask(callers['another key']!.apiKey!)).body.wait, wait);
    await readBy(wait, ['key', 'the page']);
  });
});
