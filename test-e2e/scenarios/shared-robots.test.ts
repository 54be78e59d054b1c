import assert from 'node:assert/strict';
import { until, type EventStreamClient } from '@perch/testkit';
import { PageSession } from '../fixture/clients/page-session.js';
import { withSlowestCall } from '../fixture/clients/slowest-call.js';
import { left, waitArmed } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';

/** Time in which a guest who was removed may still reach the robot on another gateway, ms; what the machine takes to answer comes on top. */
const withinMs = 1500;

onSharedSystems('a robot that is shared with another account', (system) => {
  async function setUp(permission: 'watch' | 'use') {
    const owner = await system().tenant();
    const guest = await system().tenant();
    const { id, robot } = await owner.robot({ instant: true });
    const [ownersPage, guestsPage] = [await PageSession.begin(system(), owner.account), await PageSession.begin(system(), guest.account)];
    const { token } = (await ownersPage.ask('POST', `robots/${id}/share-links`, { permission })).body;
    assert.equal((await guestsPage.ask('POST', 'shares', { token }, 1)).status, 200);
    return { guest, id, robot, ownersPage, guestsPage };
  }
  const received = (stream: EventStreamClient, event: string, fits: (data: any) => boolean): Promise<unknown> =>
    until(() => stream.records.some((one) => one.event === event && fits(one.data)), { what: `a record ${event} that fits` });
  const answerOf = async (page: PageSession, method: string, path: string, body?: unknown, gateway = 0): Promise<unknown[]> => {
    const answer = await page.ask(method, path, body, gateway);
    return [answer.status, answer.body.code ?? 'ok'];
  };

  it('is asked and answered by a guest who may use it, on any gateway, and the call is in the activity of its owner alone', async () => {
    const { guest, id, robot, ownersPage, guestsPage } = await setUp('use');
    const asking = guestsPage.ask('POST', `v1/robots/${id}/ask`, { question: 'Tea?', answers: ['Yes', 'No'] }, 1);
    await waitArmed(system(), id, robot);
    await robot.tap(...left);
    const { status, body } = await asking;
    assert.deepEqual([status, body.outcome, body.answer], [200, 'answered', 'Yes']);
    const email = (await system().store.accounts.get(guest.account))!.email;
    await until(
      async () => {
        const { activity } = (await ownersPage.ask('GET', 'v1/activity?action=ask')).body;
        return activity.some((entry: any) => entry.guest === email && entry.answer === 'Yes' && entry.robot === id && entry.via === 'page');
      },
      { what: "the guest's call in the activity of the owner", everyMs: 300 },
    );
    assert.deepEqual((await guestsPage.ask('GET', 'v1/activity?action=ask')).body.activity, []);
  });

  it('cannot be acted on by a guest who may watch it, nor with an API key of the guest, and its settings, token, log and people answer 404', async () => {
    const { guest, id, robot, guestsPage } = await setUp('watch');
    const before = robot.commands.length;
    for (const gateway of [0, 1]) {
      const stream = await guestsPage.live(`?robot=${id}`, gateway);
      await received(stream, 'twin', ({ online }) => online === true);
      assert.deepEqual(await answerOf(guestsPage, 'GET', `v1/robots/${id}`, undefined, gateway), [200, 'ok']);
      for (const [action, args] of [
        ['face', { emotion: 'sad' }],
        ['ask', { question: 'Q', answers: ['a', 'b'] }],
        ['stop', {}],
        ['command', { command: 'brightness', args: { pct: 10 } }],
      ] as const) {
        assert.deepEqual(await answerOf(guestsPage, 'POST', `v1/robots/${id}/${action}`, args, gateway), [403, 'scope_missing'], action);
        assert.equal((await guest.api(gateway).act(id, action, args)).status, 404, action);
      }
      for (const [method, path, body] of [
        ['PATCH', '', { name: 'Mine' }],
        ['DELETE', ''],
        ['POST', '/token', {}],
        ['GET', '/log'],
        ['GET', '/screens'],
        ['GET', '/screens/1'],
        ['GET', '/people'],
        ['POST', '/share-links', { permission: 'use' }],
      ] as const)
        assert.deepEqual(await answerOf(guestsPage, method, `robots/${id}${path}`, body, gateway), [404, 'unknown_robot'], `${method} ${path}`);
      const hook = { url: 'https://hooks.example.com/', robots: [id] };
      assert.deepEqual(await answerOf(guestsPage, 'POST', 'v1/webhooks', hook, gateway), [400, 'bad_argument']);
    }
    assert.equal(robot.commands.length, before);
    assert.deepEqual((await guest.api().get('/v1/robots')).body.robots, []);
  });

  it('is lost to a guest who was removed, on every gateway, with the calls and streams that are open', async () => {
    const { guest, id, robot, ownersPage, guestsPage } = await setUp('use');
    const streams = [await guestsPage.live(`?robot=${id}`, 0), await guestsPage.live(`?robot=${id}`, 1)];
    for (const stream of streams) await received(stream, 'robots', ({ shared }) => shared[0]?.id === id);
    const asking = guestsPage.ask('POST', `v1/robots/${id}/ask`, { question: 'Tea?', answers: ['Yes', 'No'] }, 1);
    await robot.until((r) => r.screen.question !== null);
    const { result: tookMs, slowestMs } = await withSlowestCall(
      () => guest.api(1).get('/v1/robots'),
      async () => {
        assert.equal((await ownersPage.ask('DELETE', `robots/${id}/people/${guest.account}`)).status, 200);
        const removedAt = performance.now();
        assert.equal((await asking).status, 404);
        return performance.now() - removedAt;
      },
    );
    assert.ok(tookMs < withinMs + 2 * slowestMs, `${tookMs} ms after it was removed; other calls took ${slowestMs} ms`);
    await robot.until((r) => r.screen.question === null, { what: 'the question to go' });
    for (const stream of streams) await received(stream, 'end', ({ code }) => code === 'unknown_robot');
    for (const gateway of [0, 1]) {
      assert.deepEqual(await answerOf(guestsPage, 'GET', `v1/robots/${id}`, undefined, gateway), [404, 'unknown_robot']);
      assert.deepEqual(await answerOf(guestsPage, 'POST', `v1/robots/${id}/face`, { emotion: 'sad' }, gateway), [404, 'unknown_robot']);
      assert.equal((await guestsPage.ask('GET', `live?robot=${id}`, undefined, gateway)).status, 404);
      assert.deepEqual((await guestsPage.ask('GET', 'robots', undefined, gateway)).body.shared, []);
    }
  });
});
