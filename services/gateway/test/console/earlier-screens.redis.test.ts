/** Cards and questions that a robot showed: what is kept of them, and how they are drawn. The test renderer draws each job as a text that names it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { EarlierScreen } from '@perch/schema';
import { until } from '@perch/testkit';
import { openWait } from '../open-wait.js';
import { pngBase64, useGateway, type Owner } from '../gateway-under-test.js';
import { callTool } from '../mcp/mcp-requests.js';
import { SessionClient } from './session-client.js';
import { hello } from '../test-link.js';

describe('the earlier screens of a robot', () => {
  const system = useGateway();
  let owner: Owner;
  let page: SessionClient;

  beforeEach(async () => {
    owner = await system.ownerOnline();
    page = await SessionClient.signIn(system, owner.account);
  });

  const list = async (of = page, robot = owner.robot): Promise<EarlierScreen[]> => {
    const { status, body } = await of.ask('GET', `robots/${robot}/screens`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.screens;
  };
  /** A call is recorded once its connection has taken the answer: its client may read before. */
  const kept = async (count: number): Promise<EarlierScreen[]> => {
    let found: EarlierScreen[] = [];
    await until(async () => (found = await list()).length >= count, { what: `${count} screens`, everyMs: 300 });
    assert.equal(found.length, count, JSON.stringify(found));
    return found;
  };
  const picture = (id: string, method = 'GET'): Promise<Response> =>
    fetch(`${system.base}/console/robots/${owner.robot}/screens/${id}`, { method, headers: page.headers });
  const drawn = async (id: string): Promise<string> => {
    const response = await picture(id);
    const text = await response.text();
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png'], text);
    return text;
  };
  const preview = async (action: string, args: object): Promise<string> => {
    const response = await fetch(`${system.base}/v1/robots/${owner.robot}/preview/${action}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    assert.equal(response.status, 200);
    return response.text();
  };

  it('the list is empty at first, and only actions that show a card or a question add to it', async () => {
    assert.deepEqual(await list(), []);
    for (const [action, args] of [
      ['face', { emotion: 'happy' }],
      ['leds', { color: 'red' }],
      ['say', { text: 'Hello' }],
      ['show', { clear: true }],
      ['show', { text: 7 }],
    ] as const)
      await system.act(owner, action, args);
    assert.equal((await system.act(owner, 'show', { text: 'the only one' })).status, 200);
    assert.deepEqual((await kept(1))[0]!.arguments, { text: 'the only one' });
  });

  it('a card is kept with its arguments and its key, drawn as its preview and cached by the browser', async () => {
    const args = { title: 'Build', text: '42 %', progress: 0.42, color: 'green' };
    const before = Math.floor(system.store.clock.now());
    assert.equal((await system.act(owner, 'show', args)).status, 200);
    const [card] = await kept(1);
    const { id, at, ...rest } = card!;
    assert.deepEqual(rest, {
      action: 'show',
      via: 'http',
      key: { id: owner.keyId, name: '' },
      outcome: 'ok',
      answer: null,
      x: null,
      y: null,
      tap_s: null,
      arguments: args,
      lacks: [],
      drawable: true,
    });
    assert.ok(Date.parse(at) >= before - 1 && Date.parse(at) <= system.store.clock.now(), at);
    assert.equal(await drawn(id), await preview('show', args));
    const response = await picture(id);
    assert.equal(response.headers.get('cache-control'), 'private, max-age=3600, immutable');
    assert.match(response.headers.get('ratelimit')!, /r=\d+/);
    assert.equal((await picture(id, 'HEAD')).status, 200);
  });

  it('questions are kept with outcome, answer and tap, and drawn with the signs of an exact text, and menus and clickmaps with a picture that was uploaded', async () => {
    const { picture: image } = (await system.ask('POST', '/v1/pictures', { apiKey: owner.apiKey, body: { image: pngBase64 } })).body;
    const question = { question: 'Run this?\nrm -rf /a/ b', answers: ['Yes', 'No'], whole: true };
    const asked = await openWait(system, owner, 'ask', question);
    await system.link.settle(owner.robot, asked.record, { outcome: 'answered', index: 1, x: 10, y: 20 } as never);
    assert.equal((await asked.answer).body.answer, 'No');
    const menu = { title: 'Lunch', items: ['Soup', { id: 'p', label: 'Pizza', image }] };
    const late = await openWait(system, owner, 'menu', menu);
    await system.link.settle(owner.robot, late.record, { outcome: 'timed_out' });
    assert.equal((await late.answer).body.outcome, 'timed_out');
    const map = { regions: [{ id: 'left', rect: [0, 0, 160, 240] }], image };
    const mapped = await openWait(system, owner, 'clickmap', map);
    await system.link.settle(owner.robot, mapped.record, { outcome: 'answered', index: 0, x: 5, y: 6 } as never);
    await mapped.answer;
    // Without a picture, a clickmap shows nothing of its own.
    const bare = await openWait(system, owner, 'clickmap', { regions: map.regions });
    await system.link.settle(owner.robot, bare.record, { outcome: 'timed_out' });
    await bare.answer;

    const [clickmap, menued, questioned] = await kept(3);
    assert.deepEqual([questioned!.action, questioned!.outcome, questioned!.answer, questioned!.x, questioned!.y], ['ask', 'answered', 'No', 10, 20]);
    assert.ok(questioned!.tap_s! >= 0 && questioned!.tap_s! < 30);
    assert.deepEqual(questioned!.arguments, { ...question, timeout_s: 30 });
    assert.deepEqual([menued!.action, menued!.outcome, menued!.answer, menued!.arguments], ['menu', 'timed_out', null, { ...menu, timeout_s: 30 }]);
    assert.deepEqual([clickmap!.action, clickmap!.outcome, clickmap!.answer, clickmap!.drawable], ['clickmap', 'answered', 'left', true]);
    assert.equal(await drawn(questioned!.id), await preview('ask', question));
    assert.equal(await drawn(menued!.id), await preview('menu', menu));
    assert.equal(await drawn(clickmap!.id), await preview('show', { image }));

    await system.store.connections.commands.unlink(`perch:{${owner.account}}:picture:${image}`);
    const gone = await picture(clickmap!.id);
    const { code, error } = (await gone.json()) as { code: string; error: string };
    assert.deepEqual([gone.status, code], [404, 'not_found']);
    assert.match(error, /can no longer be drawn/);
  });

  it('pictures in base64 or at addresses are not kept: a card of one is not drawn, a menu is drawn without', async () => {
    assert.equal((await system.act(owner, 'show', { image: pngBase64, background: 'blue', text: 'ignored' })).status, 200);
    const { answer, record } = await openWait(system, owner, 'menu', { items: ['Soup', { label: 'Pizza', image: pngBase64 }] });
    await system.link.settle(owner.robot, record, { outcome: 'timed_out' });
    await answer;
    const [menu, card] = await kept(2);
    assert.ok(!JSON.stringify([menu, card]).includes(pngBase64));
    assert.deepEqual([card!.lacks, card!.drawable, card!.arguments], [['image'], false, { background: 'blue', text: 'ignored' }]);
    assert.equal((await picture(card!.id)).status, 404);
    assert.deepEqual([menu!.lacks, menu!.drawable], [['items[1].image'], true]);
    assert.equal(await drawn(menu!.id), await preview('menu', { items: ['Soup', { label: 'Pizza' }] }));
  });

  it('arguments longer than 8 KB are not kept', async () => {
    assert.equal((await system.act(owner, 'show', { text: 'x'.repeat(9000) })).status, 200);
    const [card] = await kept(1);
    assert.deepEqual([card!.arguments, card!.drawable], [null, false]);
    assert.equal((await picture(card!.id)).status, 404);
  });

  it('a countdown is drawn as it began, also when its time is over', async () => {
    const args = { title: 'Tea', countdown: { seconds: 240 } };
    assert.equal((await system.act(owner, 'show', args)).status, 200);
    const end = Math.round(system.store.clock.now()) + 2000;
    assert.equal((await system.act(owner, 'show', { countdown: { until: new Date(end).toISOString() } })).status, 200);
    const [second, first] = await kept(2);
    assert.equal(await drawn(first!.id), await preview('show', args));
    await until(() => system.store.clock.now() > end + 500);
    await drawn(second!.id);
    const left = Math.max(0, Math.ceil((end - Date.parse(second!.at)) / 1000));
    assert.ok(
      system.drawn.at(-1)!.scene.boxes.some(({ text }: { text?: string }) => text === `0:0${left}`),
      `${left} s are left: ${JSON.stringify(system.drawn.at(-1))}`,
    );
  });

  it('the list holds the last screens of many, and all actions of a scene, once each', async () => {
    const cards = Array.from({ length: 3 }, (_, i) => ({ action: 'show', text: `step ${i}` }));
    const timed = cards.map((step, i) => ({ ...step, at_ms: i * 10 }));
    for (const actions of [cards, timed])
      assert.equal((await system.ask('POST', `/v1/robots/${owner.robot}/scene`, { apiKey: owner.apiKey, body: { actions } })).status, 200);
    const found = await kept(6);
    assert.deepEqual(
      found.map(({ arguments: args }) => args!['text']),
      ['step 2', 'step 1', 'step 0', 'step 2', 'step 1', 'step 0'],
    );
    const other = await system.store.apiKeys.create({ account: owner.account, name: 'other' });
    for (let i = 0; i < 25; i += 1)
      assert.equal(
        (await system.act({ robot: owner.robot, apiKey: i < 12 ? owner.apiKey : other.apiKey }, 'show', { text: `card ${i}` })).status,
        200,
      );
    await until(async () => (await list())[0]?.arguments?.['text'] === 'card 24', { everyMs: 300 });
    const last = await kept(20);
    assert.deepEqual(
      last.map(({ arguments: args }) => args!['text']),
      Array.from({ length: 20 }, (_, i) => `card ${24 - i}`),
    );
    assert.deepEqual([last[0]!.key?.name, last.at(-1)!.key?.name], ['other', '']);
  });

  it('questions whose client disconnected are kept, and those that never reached the screen are not', async () => {
    const client = new AbortController();
    const { answer } = await openWait(system, owner, 'ask', { question: 'Still there?', answers: ['Yes', 'No'] }, client.signal);
    // The gateway learns of the armed wait by a message, before the one that answers this.
    assert.equal((await system.act(owner, 'face', { emotion: 'happy' })).status, 200);
    client.abort();
    await answer.catch(() => {});
    const [left] = await kept(1);
    assert.deepEqual([left!.outcome, left!.arguments!['question']], ['client_closed', 'Still there?']);
    system.link.arms = false;
    const never = new AbortController();
    const unarmed = await openWait(system, owner, 'ask', { question: 'Never shown', answers: ['Yes', 'No'] }, never.signal);
    never.abort();
    await unarmed.answer.catch(() => {});
    assert.equal((await system.act(owner, 'show', { text: 'later' })).status, 200);
    assert.deepEqual(
      (await kept(2)).map(({ action }) => action),
      ['show', 'ask'],
    );
  });

  it('screens of agents and the web page name how they came, and those of a robot without a screen by now are not drawn', async () => {
    assert.equal((await callTool(system, owner, 'robot_show', { robot: owner.robot, text: 'by an agent' })).status, 200);
    assert.equal((await page.ask('POST', `v1/robots/${owner.robot}/show`, { text: 'by a person' })).status, 200);
    const [byPage, byAgent] = await kept(2);
    assert.deepEqual([byPage!.via, byPage!.key, byAgent!.via, byAgent!.key?.id], ['page', null, 'agent', owner.keyId]);
    await system.link.release(owner.robot, 'away');
    assert.equal(await drawn(byAgent!.id), await preview('show', { text: 'by an agent' }));
    // It had a screen when it was asked.
    owner = await system.ownerOnline({ ...hello, features: ['leds'] });
    page = await SessionClient.signIn(system, owner.account);
    const former = { id: 's-1', at: Math.floor(system.store.clock.now()), action: 'show' as const, via: 'http' as const, outcome: 'ok' };
    await system.store.screenHistory.append(owner.account, new Map([[owner.robot, [{ ...former, args: { text: 'before' } }]]]));
    assert.equal((await kept(1))[0]!.drawable, true);
    assert.equal((await picture('s-1')).status, 404);
  });

  it('screens are seen by no other account, are deleted with their robot, and are unknown by other names', async () => {
    assert.equal((await system.act(owner, 'show', { text: `for ${owner.account} only` })).status, 200);
    const [card] = await kept(1);
    const stranger = await SessionClient.signIn(system, (await system.owner()).account);
    for (const path of ['screens', `screens/${card!.id}`])
      assert.deepEqual((await stranger.ask('GET', `robots/${owner.robot}/${path}`)).body.code, 'unknown_robot', path);
    const second = await system.store.robots.create({ account: owner.account });
    assert.equal((await page.ask('GET', `robots/${second.robot}/screens/${card!.id}`)).body.code, 'not_found');
    for (const id of ['s-0', randomUUID(), '%00', '__proto__']) assert.equal((await picture(id)).status, 404, id);
    assert.equal((await page.ask('DELETE', `robots/${owner.robot}`)).status, 200);
    assert.equal((await page.ask('GET', `robots/${owner.robot}/screens`)).body.code, 'unknown_robot');
    assert.deepEqual(await system.store.screenHistory.list(owner.account, owner.robot), []);
  });
});
