/** Pictures of the screen with the real renderer: what a robot shows now, and what an action would show. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { halves, Pixels } from '../fixture/media/pictures.js';
import { questionShown, left } from '../fixture/robots/question.js';
import { checkedApi, onSharedSystems } from '../fixture/system/shared-systems.js';
import type { Tenant } from '../fixture/system/system-under-test.js';

const ground = '#0a0d14';
const ink = '#f2f6ff';
const asJson = { headers: { accept: 'application/json' } };

onSharedSystems('pictures of the screen', (system) => {
  async function setUp(gateway = 0, options: Parameters<Tenant['robot']>[0] = {}) {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot(options);
    const api = await checkedApi(tenant, gateway);
    const screen = async (): Promise<Buffer> => {
      const { status, body } = await api.get(`/v1/robots/${id}/screen`, asJson);
      assert.equal(status, 200, JSON.stringify(body));
      return Buffer.from(body.image, 'base64');
    };
    const preview = async (action: string, args: object): Promise<Buffer> => {
      const { status, body } = await api.act(id, `preview/${action}`, args, asJson);
      assert.equal(status, 200, JSON.stringify(body));
      return Buffer.from(body.image, 'base64');
    };
    return { tenant, id, robot, api, screen, preview };
  }

  it('the screen is the face with its emotion and bubble, then the card, the question over it, and the face again', async () => {
    const { id, robot, api, screen } = await setUp(1);
    const neutral = await Pixels.of({ picture: await screen() });
    assert.deepEqual([neutral.w, neutral.h], [320, 240]);
    assert.ok(neutral.is(2, 2, ground) && neutral.is(87, 105, ink) && neutral.is(233, 105, ink), 'two eyes');
    assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    const happy = await Pixels.of({ picture: await screen() });
    assert.ok(happy.is(87, 105, ground) && happy.count('#ff7a8a') > 300, 'closed eyes and a tongue');
    assert.equal((await api.act(id, 'say', { text: 'Good morning!', seconds: 30 })).status, 200);
    const said = await Pixels.of({ picture: await screen() });
    assert.ok(said.is(16, 226, '#ffffff') && said.count('#12151c') > 200, 'a bubble with text');

    assert.equal((await api.act(id, 'show', { text: 'Hello', background: 'green' })).status, 200);
    const card = await Pixels.of({ picture: await screen() });
    assert.ok(card.same(await Pixels.of(robot.screen.card)), 'the card as on the screen');
    const answer = api.act(id, 'ask', { question: 'Coffee?', answers: ['Yes', 'No'] });
    await questionShown(robot);
    assert.ok((await Pixels.of({ picture: await screen() })).same(await Pixels.of(robot.screen.question)), 'the question as on the screen');
    await robot.tap(...left);
    assert.equal((await answer).body.answer, 'Yes');
    await until(async () => (await Pixels.of({ picture: await screen() })).same(card), { everyMs: 300, what: 'the card again' });
    assert.equal((await api.act(id, 'show', { clear: true })).status, 200);
    await until(async () => (await Pixels.of({ picture: await screen() })).is(2, 2, ground), { everyMs: 300, what: 'the face again' });
    assert.deepEqual(robot.violations, []);
  });

  it('a preview is what the action then shows, pixel by pixel, and changes nothing on the robot', async () => {
    // A robot that reads JPEG may get one, which differs a little.
    const { id, robot, api, preview } = await setUp(0, { screen: { formats: ['png'] } });
    const card = { title: 'Build', text: '42 %', note: '3 min left', progress: 0.42, color: 'green' };
    const picture = { image: halves(640, 240, '#ff0000', '#0000ff'), background: '#00ff00' };
    const ask = { question: 'Coffee?', answers: ['Yes', 'No ☕', 'Later'], timeout_s: 0.3 };
    const menu = { title: 'Lunch', items: ['🍕 Pizza', { label: 'Soup', image: halves(90, 90, '#ff0000', '#0000ff') }], timeout_s: 0.3 };
    const drawn = [await preview('show', card), await preview('show', picture), await preview('ask', ask), await preview('menu', menu)];
    assert.deepEqual([robot.screen.card, robot.screen.question, robot.commands.filter(({ name }) => name === 'screen.show')], [null, null, []]);
    const shown: Pixels[] = [];
    for (const args of [card, picture]) {
      assert.equal((await api.act(id, 'show', args)).status, 200);
      shown.push(await Pixels.of(robot.screen.card));
    }
    for (const [action, args] of [
      ['ask', ask],
      ['menu', menu],
    ] as const) {
      const call = api.act(id, action, args);
      await questionShown(robot);
      shown.push(await Pixels.of(robot.screen.question));
      await call;
      await robot.until(({ screen }) => screen.question === null, { what: 'the question to be removed' });
    }
    for (const [i, png] of drawn.entries()) assert.ok((await Pixels.of({ picture: png })).same(shown[i]!), `preview ${i}`);
  });

  it('a robot that is away has previews, with its face as last known, but no screen', async () => {
    const { id, robot, api, preview } = await setUp();
    assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    await robot.stop();
    await until(async () => (await api.get(`/v1/robots/${id}/screen`, asJson)).status === 503, {
      everyMs: 300,
      what: 'the robot away',
    });
    const said = await Pixels.of({ picture: await preview('say', { text: 'Are you there?' }) });
    assert.ok(said.is(16, 226, '#ffffff') && said.count('#ff7a8a') > 100, 'a bubble below a happy face');
    assert.ok((await Pixels.of({ picture: await preview('show', { text: 'x', background: '#ff0000' }) })).is(2, 2, '#ff0000'));
  });

  it('the picture itself is sent to a client that does not ask for JSON', async () => {
    const { tenant, id } = await setUp();
    const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' };
    for (const request of [
      { path: 'screen', method: 'GET' },
      { path: 'preview/say', method: 'POST', body: '{"text":"Hi"}' },
    ]) {
      const { path, ...init } = request;
      const response = await fetch(`${system().gateway()}/v1/robots/${id}/${path}`, { ...init, headers });
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
      const { w, h } = await Pixels.of({ picture: Buffer.from(await response.arrayBuffer()) });
      assert.deepEqual([w, h], [320, 240]);
    }
  });

  it("another account's robot has neither screen nor preview", async () => {
    const mine = await system().tenant();
    const { id } = await (await system().tenant()).robot();
    const api = await checkedApi(mine);
    assert.deepEqual((await api.get(`/v1/robots/${id}/screen`, asJson)).body.code, 'unknown_robot');
    assert.deepEqual((await api.act(id, 'preview/say', { text: 'Hi' }, asJson)).body.code, 'unknown_robot');
  });
});
