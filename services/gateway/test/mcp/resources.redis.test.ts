import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { postRequest } from './mcp-requests.js';

/** Time in which a stream notices that its robot or key is gone, ms. */
const withinMs = 6000;

describe('resources of /mcp', () => {
  const system = useGateway({ drainMs: 500 }, { perTest: true });
  const owner = useOwner(system);

  function send(method: string, params: object, signal?: AbortSignal): Promise<Response> {
    const { uri, name } = params as { uri?: string; name?: string };
    return postRequest(system, owner, { method, params, name: uri ?? name, signal });
  }

  // oxlint-disable-next-line no-explicit-any
  const rpc = async (method: string, params: object = {}): Promise<any> => (await send(method, params)).json();
  const uriOf = (part: string, robot = owner.robot): string => `perch://robots/${robot}/${part}`;

  /** Opens a subscription, and returns the messages as they arrive and the end of the stream. */
  async function listen(uris: readonly string[]) {
    const leave = new AbortController();
    const response = await send('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }, leave.signal);
    // oxlint-disable-next-line no-explicit-any
    const messages: any[] = [];
    const ended = (async () => {
      let text = '';
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const events = text.split('\n\n');
        text = events.pop()!;
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (data !== undefined) messages.push(JSON.parse(data));
        }
      }
    })();
    ended.catch(() => {});
    return { messages, ended, leave, response };
  }

  it("lists the state and the screen of each of the key's robots, and reads both", async () => {
    const { result } = await rpc('resources/list');
    assert.deepEqual(
      result.resources.map(({ uri }: { uri: string }) => uri),
      [uriOf('state'), uriOf('screen')],
    );
    const state = (await rpc('resources/read', { uri: uriOf('state') })).result.contents[0];
    assert.deepEqual([state.mimeType, JSON.parse(state.text).id], ['application/json', owner.robot]);
    assert.ok(JSON.parse(state.text).untrusted_input.includes('name'));
    const screen = (await rpc('resources/read', { uri: uriOf('screen') })).result.contents[0];
    assert.match(screen.mimeType, /^image\//);
    assert.ok(Buffer.from(screen.blob, 'base64').length > 0);
  });

  it('answers a robot of another account like one that does not exist, and takes one action for each read', async () => {
    const stranger = await system.ownerOnline();
    for (const uri of [uriOf('state', stranger.robot), uriOf('state', 'r-0000000000'), uriOf('nothing'), 'file:///etc/passwd']) {
      const { error } = await rpc('resources/read', { uri });
      assert.equal(error.code, -32_602, uri);
      assert.ok(!JSON.stringify(error).includes(stranger.account));
    }
    const answer = await send('resources/read', { uri: uriOf('state') });
    assert.match(answer.headers.get('ratelimit')!, /r=29;/);
  });

  it('notifies a subscriber of each change of what it subscribed to, and of nothing else', async () => {
    const { messages, leave } = await listen([uriOf('state'), uriOf('screen'), uriOf('state', 'r-0000000000')]);
    await until(() => messages.length === 1);
    assert.equal(messages[0].method, 'notifications/subscriptions/acknowledged');
    assert.deepEqual(messages[0].params.notifications.resourceSubscriptions, [uriOf('state'), uriOf('screen')]);
    await system.link.event(owner.robot, 'tap', { x: 1, y: 2 });
    await until(() => messages.length === 2, { timeoutMs: withinMs });
    assert.deepEqual([messages[1].method, messages[1].params.uri], ['notifications/resources/updated', uriOf('state')]);
    assert.equal(messages[1].params._meta['io.modelcontextprotocol/subscriptionId'], 'r-1');
    system.link.state = { ...system.link.state!, showing: { card: 'c-1', question: null, emotion: 'happy', view: 'face' } };
    await until(() => messages.length === 4, { timeoutMs: withinMs });
    assert.deepEqual(
      messages
        .slice(2)
        .map(({ params }) => params.uri)
        .toSorted(),
      [uriOf('screen'), uriOf('state')],
    );
    leave.abort();
  });

  it('ends a subscription when its robot is removed or its key revoked, and answers one to nothing at once', async () => {
    const nothing = await listen([uriOf('state', 'r-0000000000')]);
    await nothing.ended;
    assert.deepEqual(
      nothing.messages.map(({ method, result }) => method ?? result.resultType),
      ['notifications/subscriptions/acknowledged', 'complete'],
    );
    const removed = await listen([uriOf('state')]);
    await until(() => removed.messages.length === 1);
    await system.link.release(owner.robot, 'away');
    await system.store.robots.remove(owner.account, owner.robot);
    await removed.ended;
    assert.equal(removed.messages.at(-1).result.resultType, 'complete');
    const { robot, token } = await system.store.robots.create({ account: owner.account });
    await system.link.take(robot, token);
    const revoked = await listen([uriOf('state', robot)]);
    await until(() => revoked.messages.length === 1);
    await system.store.apiKeys.revoke(owner.account, owner.keyId);
    await revoked.ended;
    assert.equal(revoked.messages.at(-1).result.resultType, 'complete');
  });

  it('rejects a malformed filter, too many URIs, and a third subscription of a key', async () => {
    for (const notifications of [undefined, 7, { resourceSubscriptions: 'x' }, { resourceSubscriptions: [7] }]) {
      const { error } = await rpc('subscriptions/listen', { notifications });
      assert.equal(error.code, -32_602, JSON.stringify(notifications));
    }
    const many = Array.from({ length: 21 }, (_, i) => uriOf('state', `r-000000000${i}`));
    assert.match((await rpc('subscriptions/listen', { notifications: { resourceSubscriptions: many } })).error.message, /at most 20/);
    const open = [await listen([uriOf('state')]), await listen([uriOf('screen')])];
    await until(() => open.every(({ messages }) => messages.length === 1));
    const third = await rpc('subscriptions/listen', { notifications: { resourceSubscriptions: [uriOf('state')] } });
    assert.equal(third.error.data.code, 'rate_limited');
    for (const { leave } of open) leave.abort();
  });

  it('offers two prompts, fills in their arguments, and rejects a missing one', async () => {
    const { prompts } = (await rpc('prompts/list')).result;
    assert.deepEqual(
      prompts.map(({ name }: { name: string }) => name),
      ['ask-before-acting', 'status-card'],
    );
    const { messages } = (await rpc('prompts/get', { name: 'ask-before-acting', arguments: { action: 'delete the branch' } })).result;
    assert.match(messages[0].content.text, /delete the branch/);
    assert.match(messages[0].content.text, /robot_ask/);
    assert.match((await rpc('prompts/get', { name: 'status-card' })).error.message, /task: is required/);
    assert.match((await rpc('prompts/get', { name: 'dance' })).error.message, /Unknown prompt/);
    for (const [method, params, message] of [
      ['prompts/get', {}, /^Invalid params: name is required, a text\.$/],
      ['prompts/get', { name: 'status-card', arguments: { task: 5 } }, /^Invalid params: arguments must be an object of texts\.$/],
      ['resources/read', {}, /^Invalid params: uri is required, a text\.$/],
    ] as const) {
      const { error } = await rpc(method, params);
      assert.equal(error.code, -32_602);
      assert.match(error.message, message);
    }
  });
});
