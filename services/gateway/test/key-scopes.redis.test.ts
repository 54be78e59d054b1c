import assert from 'node:assert/strict';
import { keyScopes, scopesOf, type KeyScope, type ScopeNeed } from '@perch/schema';
import { useGateway, useOwner, type Answer } from './gateway-under-test.js';

const body: Record<string, object> = {
  show: { text: 'Hi' },
  say: { text: 'Hi' },
  face: { emotion: 'happy' },
  move: { yaw: 1 },
  leds: { color: 'red' },
  sound: { chime: 'done' },
  speak: { text: 'a' },
  ask: { question: 'Tea?', answers: ['Yes', 'No'] },
  menu: { items: [{ label: 'a' }, { label: 'b' }] },
  clickmap: {
    regions: [
      {
        id: 'a',
        polygon: [
          [0, 0],
          [9, 0],
          [9, 9],
        ],
      },
    ],
    text: 'Tap',
  },
  stop: {},
  scene: { actions: [{ action: 'face', emotion: 'happy' }] },
};

const isMet = (need: ScopeNeed, scope: KeyScope): boolean =>
  need === scope || (need === 'ask or approve' && (scope === 'ask' || scope === 'approve'));

describe('scopes of a key', () => {
  const system = useGateway();
  const owner = useOwner(system);

  beforeEach(() => {
    system.link.onWait = (record, robot) => void system.link.settle(robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
  });

  const keyWith = async (...scopes: KeyScope[]): Promise<string> => (await system.store.apiKeys.create({ account: owner.account, scopes })).apiKey;
  const act = (apiKey: string, action: string, args: object = body[action]!): Promise<Answer> =>
    system.ask('POST', `/v1/robots/${owner.robot}/${action}`, { apiKey, body: args });

  /** The name in the table of scopes, then method and path below /v1. */
  const reads = (): readonly (readonly [string, string, string])[] => [
    ['robots', 'GET', 'robots'],
    ['state', 'GET', `robots/${owner.robot}`],
    ['state', 'POST', `robots/${owner.robot}/state`],
    ['events', 'GET', `robots/${owner.robot}/events`],
    ['events', 'POST', `robots/${owner.robot}/events`],
    ['screen', 'GET', `robots/${owner.robot}/screen`],
    ['activity', 'GET', 'activity'],
    ['activity', 'GET', 'activity/export'],
    ['activity', 'GET', 'activity/usage'],
    ['waits', 'GET', 'waits/wt-none'],
    ['waits', 'DELETE', 'waits/wt-none'],
    ['waits', 'DELETE', `robots/${owner.robot}/wait`],
    ['pictures', 'POST', 'pictures'],
    ['webhooks', 'GET', 'webhooks'],
    ['webhooks', 'POST', 'webhooks'],
    ['webhooks', 'DELETE', 'webhooks/w-none'],
    ['actions', 'GET', 'actions'],
    ['icons', 'GET', 'icons'],
    ['openapi', 'GET', 'openapi.json'],
  ];

  for (const scope of keyScopes) {
    it(`admits a key with ${scope} to exactly the calls that need no other scope`, async () => {
      const apiKey = await keyWith(scope);
      for (const [action, args] of Object.entries(body)) {
        const needed: readonly ScopeNeed[] = action === 'scene' ? ['act'] : scopesOf(action);
        assert.equal(needed.length, 1, action);
        const answer = await act(apiKey, action, args);
        if (isMet(needed[0]!, scope)) assert.notEqual(answer.status, 403, `${action} ${JSON.stringify(answer.body)}`);
        else assert.deepEqual([answer.status, answer.body.code], [403, 'scope_missing'], `${action} ${JSON.stringify(answer.body)}`);
      }
      const other = await keyWith(scope);
      for (const [call, method, path] of reads()) {
        const headers = { authorization: `Bearer ${other}`, 'content-type': 'application/json' };
        const answer = await fetch(`${system.base}/v1/${path}`, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
        await answer.arrayBuffer();
        const admitted = scopesOf(call).every((needed) => isMet(needed, scope));
        assert.equal(answer.status === 403, !admitted, `${method} ${path} ${answer.status}`);
      }
    });
  }

  it('an unknown robot names what a key without read can do, too, and a foreign robot is refused alike', async () => {
    const foreign = await system.owner();
    const apiKey = await keyWith('approve');
    const refusals = await Promise.all(
      ['r-0000000000', foreign.robot].map((robot) => system.ask('POST', `/v1/robots/${robot}/ask`, { apiKey, body: body['ask']! })),
    );
    for (const { status, body: refusal } of refusals) {
      assert.deepEqual([status, refusal.code], [404, 'unknown_robot']);
      assert.match(refusal.error, /The page Keys names the robots of a key; GET \/v1\/robots lists them for a key with the scope read\.$/);
    }
  });

  it('a key with approve alone asks no group and no scene, reads no resource of an agent, and creates no webhook', async () => {
    const apiKey = await keyWith('approve');
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const mcp = async (method: string, params: object): Promise<string> => {
      const sent = { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
      return (await fetch(`${system.base}/mcp`, sent)).text();
    };
    const group = { label: 'all', action: 'ask', args: body['ask'] };
    for (const name of ['robot_list', 'robot_state', 'robot_events', 'robot_show', 'robot_menu', 'robot_stop'])
      assert.match(await mcp('tools/call', { name, arguments: { robot: owner.robot, ...body[name.slice('robot_'.length)] } }), /scope_missing/, name);
    assert.match(await mcp('tools/call', { name: 'robot_group', arguments: group }), /scope_missing/);
    assert.doesNotMatch(await mcp('resources/read', { uri: `perch://robots/${owner.robot}/state` }), /"online"/);
    assert.doesNotMatch(await mcp('resources/list', {}), new RegExp(owner.robot));
    const scene = await act(apiKey, 'scene', { actions: [{ action: 'ask', ...body['ask'] }] });
    assert.deepEqual([scene.status, scene.body.code], [403, 'scope_missing']);
    assert.deepEqual(system.link.commands, []);
  });

  it('a question of a key with approve is an approval, in the queue too, and one of another key only if it must be whole', async () => {
    const approvals: (true | undefined)[] = [];
    system.link.onWait = (record, robot) => {
      approvals.push(record.consent?.approval);
      assert.equal(record.greyPages?.length, record.consent?.approval === true ? 1 : undefined, 'grey answers show first');
      void system.link.settle(robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    };
    const [asks, approves, both] = await Promise.all([keyWith('ask'), keyWith('approve'), keyWith('ask', 'approve')]);
    for (const [apiKey, more] of [
      [asks, {}],
      [asks, { queue: true }],
      [asks, { whole: true }],
      [approves, {}],
      [approves, { queue: true }],
      [both, {}],
    ] as const) {
      const answer = await act(apiKey, 'ask', { ...body['ask'], ...more });
      assert.equal(answer.body.outcome, 'answered', JSON.stringify(answer.body));
    }
    assert.deepEqual(approvals, [undefined, undefined, true, true, true, true]);
  });

  it('names the missing scope and those of the key, and charges nothing', async () => {
    const apiKey = await keyWith('read', 'ask');
    const refused = await act(apiKey, 'say');
    assert.match(refused.body.error, /lacks the scope act; it has read and ask/);
    const left = (answer: Answer) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit')!)?.[1]);
    assert.equal(left(refused), 30);
    assert.equal(left(await act(apiKey, 'say')), 30);
  });

  it('checks every step of a scene before the first', async () => {
    const [acts, asks, both] = await Promise.all([keyWith('act'), keyWith('ask'), keyWith('act', 'ask')]);
    const mixed = {
      actions: [
        { action: 'face', emotion: 'sad' },
        { action: 'ask', ...body['ask'] },
      ],
    };
    for (const [apiKey, missing] of [
      [acts, 'ask'],
      [asks, 'act'],
    ] as const) {
      const answer = await act(apiKey, 'scene', mixed);
      assert.deepEqual([answer.status, answer.body.code], [403, 'scope_missing']);
      assert.match(answer.body.error, new RegExp(`lacks the scope ${missing};`));
    }
    assert.deepEqual(system.link.commands, []);
    assert.equal((await act(both, 'scene', mixed)).status, 200);
  });

  it('answers 404 for a robot of another account, not that a scope is missing', async () => {
    const other = await system.ownerOnline();
    const answer = await system.ask('POST', `/v1/robots/${other.robot}/say`, { apiKey: await keyWith('read'), body: body['say']! });
    assert.deepEqual([answer.status, answer.body.code], [404, 'unknown_robot']);
  });

  it('refuses a tool in its result, and says what to do', async () => {
    const apiKey = await keyWith('read');
    const call = async (name: string, args: object) => {
      const params = { name, arguments: { robot: owner.robot, ...args } };
      const response = await fetch(`${system.base}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      const text = await response.text();
      const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
      return { isError: result.isError === true, said: JSON.stringify(result) };
    };
    const listed = await call('robot_state', {});
    assert.equal(listed.isError, false, listed.said);
    for (const name of ['robot_say', 'robot_ask', 'robot_stop', 'robot_scene']) {
      const refused = await call(name, body[name.slice('robot_'.length)]!);
      assert.equal(refused.isError, true, name);
      assert.match(refused.said, /scope_missing/);
      assert.match(refused.said, /ask the user for a key/);
    }
  });
});
