/** What a robot showed, redrawn by the real renderer from what is kept of it. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { PageSession } from '../fixture/clients/page-session.js';
import { halves, Pixels } from '../fixture/media/pictures.js';
import { left, questionShown, waitArmed } from '../fixture/robots/question.js';
import { checkedApi, onSharedSystems } from '../fixture/system/shared-systems.js';
import type { Tenant } from '../fixture/system/system-under-test.js';

interface EarlierScreen {
  id: string;
  at: string;
  action: string;
  outcome: string;
  answer: string | null;
  x: number | null;
  y: number | null;
  arguments: Record<string, unknown> | null;
  lacks: string[];
  drawable: boolean;
}

onSharedSystems('earlier screens', (system) => {
  async function setUp(options: Parameters<Tenant['robot']>[0] = {}) {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot(options);
    const api = await checkedApi(tenant);
    const page = await PageSession.begin(system(), tenant.account);
    /** Another gateway may write its entries up to a second later. */
    const kept = async (count: number): Promise<EarlierScreen[]> => {
      let screens: EarlierScreen[] = [];
      await until(async () => (screens = (await page.ask('GET', `robots/${id}/screens`)).body.screens).length >= count, { everyMs: 300 });
      assert.equal(screens.length, count);
      return screens;
    };
    const redrawn = async (screen: EarlierScreen): Promise<Pixels> => {
      const { status, type, bytes } = await page.bytes(`robots/${id}/screens/${screen.id}`);
      assert.deepEqual([status, type], [200, 'image/png'], bytes.toString().slice(0, 200));
      return Pixels.of({ picture: bytes });
    };
    const preview = async (action: string, args: object): Promise<Pixels> => {
      const { status, body } = await api.act(id, `preview/${action}`, args, { headers: { accept: 'application/json' } });
      assert.equal(status, 200, JSON.stringify(body));
      return Pixels.of({ picture: Buffer.from(body.image, 'base64') });
    };
    return { tenant, id, robot, api, page, kept, redrawn, preview };
  }

  it('a card and an answered question are redrawn pixel by pixel as they were shown and as a preview draws them', async () => {
    const { tenant, id, robot, kept, redrawn, preview } = await setUp({ screen: { formats: ['png'] } });
    const card = { title: 'Build', text: '42 %', note: '3 min left', progress: 0.42, color: 'green', icon: 'rocket' };
    assert.equal((await tenant.api().act(id, 'show', card)).status, 200);
    const cardShown = await Pixels.of(robot.screen.card);
    const ask = { question: 'Coffee?', answers: ['Yes ☕', 'No'] };
    const answer = tenant.api(1).act(id, 'ask', ask);
    await questionShown(robot);
    const questionDrawn = await Pixels.of(robot.screen.question);
    await waitArmed(system(), id, robot);
    await robot.tap(...left);
    assert.equal((await answer).body.answer, 'Yes ☕');

    const [asked, showed] = await kept(2);
    assert.deepEqual([showed!.action, showed!.outcome, showed!.arguments], ['show', 'ok', card]);
    assert.deepEqual([asked!.action, asked!.outcome, asked!.answer, [asked!.x, asked!.y]], ['ask', 'answered', 'Yes ☕', [...left]]);
    assert.ok(Date.parse(asked!.at) > Date.parse(showed!.at));
    for (const [screen, shown, drawn] of [
      [showed!, cardShown, await preview('show', card)],
      [asked!, questionDrawn, await preview('ask', ask)],
    ] as const) {
      const again = await redrawn(screen);
      assert.ok(again.same(shown), `${screen.action} as it was shown`);
      assert.ok(again.same(drawn), `${screen.action} as its preview`);
    }
    await robot.stop();
    assert.ok((await redrawn(showed!)).same(cardShown), 'also without the robot');
  });

  it('uploaded pictures are drawn while they are kept, others are not', async () => {
    const { id, robot, api, kept, redrawn, page } = await setUp({ screen: { formats: ['png'] } });
    const image = halves(320, 240, '#ff0000', '#0000ff');
    const { picture: uploaded } = (
      await api.send('POST', '/v1/pictures', JSON.stringify({ image }), { headers: { 'content-type': 'application/json' } })
    ).body;
    assert.equal((await api.act(id, 'show', { image: uploaded })).status, 200);
    const shown = await Pixels.of(robot.screen.card);
    assert.equal((await api.act(id, 'show', { image })).status, 200);
    const [sent, byId] = await kept(2);
    assert.deepEqual([byId!.lacks, byId!.drawable, sent!.lacks, sent!.drawable], [[], true, ['image'], false]);
    assert.ok((await redrawn(byId!)).same(shown));
    assert.equal((await page.bytes(`robots/${id}/screens/${sent!.id}`)).status, 404);
  });

  it('the export of the account has them, and the removal of the robot ends them', async () => {
    const { tenant, id, api, page, kept } = await setUp();
    const { store } = system();
    assert.equal((await api.act(id, 'show', { text: 'Exported' })).status, 200);
    await kept(1);
    let text = '';
    for await (const piece of store.accountExport.write((await store.accounts.get(tenant.account))!)) text += piece;
    const [robot] = (JSON.parse(text) as { robots: { screens: EarlierScreen[] }[] }).robots;
    assert.deepEqual(
      robot!.screens.map(({ action, arguments: args }) => [action, args]),
      [['show', { text: 'Exported' }]],
    );
    assert.equal((await page.ask('DELETE', `robots/${id}`)).status, 200);
    assert.equal((await page.ask('GET', `robots/${id}/screens`)).status, 404);
    assert.equal(await store.connections.commands.exists(`perch:{${tenant.account}}:screens:${id}`), 0);
  });
});
