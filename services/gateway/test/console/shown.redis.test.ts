import assert from 'node:assert/strict';
import type { ScreenTextAnswer } from '@perch/schema';
import { newCardId } from '@perch/store';
import { until } from '@perch/testkit';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { SessionClient } from './session-client.js';

const doing = {
  bubble: 'hello',
  head: { yaw: 20, pitch: 30, moving: false },
  leds: { pixels: null, effect: null },
  sound: false,
};
const face = { card: null, question: null, emotion: 'sad', view: 'face' };

describe('what the robots of a list show', () => {
  const system = useGateway();
  const owner = useOwner(system, null);
  let page: SessionClient;

  beforeEach(async () => {
    page = await SessionClient.signIn(system, owner.account);
    system.link.doing = doing;
    system.link.state = { readings: { battery_pct: 81 }, readingsAt: 1_790_000_000_000, showing: face };
  });

  const shown = (...robots: string[]) =>
    page.ask('GET', `shown?${new URLSearchParams(robots.map((robot): [string, string] => ['robot', robot])).toString()}`);
  /** A robot is asked at most twice a second. */
  const shows = (fits: (robot: any) => boolean): Promise<unknown> =>
    until(async () => (await shown(owner.robot)).body.robots.some(fits), { what: 'an answer that fits', everyMs: 100 });

  it('answers with what the robot-link reports now, not with what it saved, and with readings only while they show', async () => {
    await system.link.take(owner.robot, owner.token);
    assert.deepEqual((await shown(owner.robot)).body, { ok: true, robots: [{ id: owner.robot, showing: face, bubble: 'hello', readings: {} }] });
    system.link.state = { ...system.link.state!, showing: { ...face, question: 'c-1', emotion: 'happy' } };
    await shows(({ showing }) => showing.question === 'c-1' && showing.emotion === 'happy');
    system.link.state = { ...system.link.state!, showing: { ...face, view: 'readings' } };
    await shows(({ readings }) => readings.battery_pct === 81);
  });

  it('a question is read as text while it shows and after, with its answers, and a card while it shows; a picture, what is unknown and of 0.10 has none', async () => {
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account });
    await system.link.take(owner.robot, owner.token);
    const textOf = async (id: string): Promise<unknown> =>
      (await page.ask('GET', `robots/${owner.robot}/screen?id=${encodeURIComponent(id)}&form=text`)).body;
    const number = async (action: string, args: object): Promise<number> => {
      const { status } = await system.ask('POST', `/v1/robots/${owner.robot}/${action}`, { apiKey, body: { ...args, detach: true } });
      assert.equal(status, 200);
      return system.link.waits.at(-1)!.number;
    };
    const asked = await number('ask', { question: 'Deploy “web”? 🚀', answers: ['Allow', 'Deny'], whole: true });
    const halves = [
      { name: 'Allow', x: 8, y: 128, w: 148, h: 104 },
      { name: 'Deny', x: 164, y: 128, w: 148, h: 104 },
    ];
    const says = { ok: true, text: 'Deploy “web”? 🚀 Answers: Allow, Deny.', answers: halves };
    for (const id of [`w${asked}`, `w${asked}g1`, `w${asked}r1`]) assert.deepEqual(await textOf(id), says, id);
    const menu = await number('menu', { items: ['Tea', { icon: 'coffee' }, { label: 'Water' }] });
    const { answers: tiles, ...said } = (await textOf(`w${menu}`)) as ScreenTextAnswer;
    assert.deepEqual(said, { ok: true, text: 'Tiles: Tea, coffee, Water.' });
    assert.deepEqual(
      tiles?.map(({ name }) => name),
      ['Tea', 'coffee', 'Water'],
    );
    assert.deepEqual(await textOf(`w${asked}g1`), says);
    const cards = [{ says: 'Build. 42 %.' }, {}].map(async (said, i) => {
      const hash = String(i).repeat(64);
      await system.store.media.put(owner.account, hash, { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.alloc(9), ...said });
      return textOf(newCardId(hash));
    });
    assert.deepEqual(await Promise.all(cards), [
      { ok: true, text: 'Build. 42 %.' },
      { ok: true, text: null },
    ]);
    for (const id of ['card-1', `w${menu + 1}`]) assert.deepEqual(await textOf(id), { ok: true, text: null }, id);
    const { record } = (await system.store.waits.read(owner.robot, menu))!;
    const { says: _, names: __, ...earlier } = record;
    await system.store.connections.commands.hset(`perch:{${owner.robot}}:wait:${menu}`, 'record', JSON.stringify(earlier));
    assert.deepEqual(await textOf(`w${menu}`), { ok: true, text: null });
    const stranger = await SessionClient.signIn(system, (await system.owner()).account);
    assert.equal((await stranger.ask('GET', `robots/${owner.robot}/screen?id=w${asked}&form=text`)).status, 404);
  });

  it('leaves out robots of other accounts, unknown ones, offline ones and those whose robot-link does not reply', async () => {
    const other = await system.owner();
    await system.link.take(other.robot, other.token);
    const before = system.link.states.length;
    const { status, body } = await shown(other.robot, owner.robot, 'r-0000000000', '}', 'x'.repeat(5000));
    assert.deepEqual([status, body], [200, { ok: true, robots: [] }]);
    assert.equal(system.link.states.length, before, 'and asks about none of them');
    await system.link.take(owner.robot, owner.token);
    system.link.state = null;
    assert.deepEqual((await shown(owner.robot)).body, { ok: true, robots: [] });
  });

  it('answers a person with whom a robot is shared, until the sharing ends', async () => {
    await system.link.take(owner.robot, owner.token);
    const { account } = await system.owner();
    const { token } = (await system.store.guests.makeLink(owner.account, owner.robot, 'watch'))!;
    await system.store.guests.accept(token, { id: account, email: 'ada@example.org' });
    const guest = await SessionClient.signIn(system, account);
    const read = async (): Promise<unknown[]> => (await guest.ask('GET', `shown?robot=${owner.robot}`)).body.robots;
    await until(async () => (await read()).length === 1);
    await system.store.guests.remove(owner.account, owner.robot, account);
    assert.deepEqual(await read(), []);
  });

  it('asks the robot-link about a robot at most once in half a second, however many pages ask', async () => {
    await system.link.take(owner.robot, owner.token);
    await shows(() => true);
    const [before, at] = [system.link.states.length, performance.now()];
    await Promise.all(Array.from({ length: 20 }, () => shown(owner.robot, owner.robot)));
    const asked = system.link.states.length - before;
    assert.ok(asked <= 1 + (performance.now() - at) / 500, `${asked} messages`);
  });

  it('rejects none and more than 50 robots, and a request without a session', async () => {
    for (const robots of [[], Array.from({ length: 51 }, (_, i) => `r-${i}`)]) {
      const { status, body } = await shown(...robots);
      assert.deepEqual([status, body.code, body.field], [400, 'bad_argument', 'robot']);
    }
    assert.equal((await system.ask('GET', `/console/shown?robot=${owner.robot}`)).status, 401);
  });
});
