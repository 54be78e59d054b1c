import assert from 'node:assert/strict';
import { EventStreamClient, redisMentions, until } from '@perch/testkit';
import { waitArmed } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';

onSharedSystems('account removal', (system) => {
  it('removing an account ends its robots for good, its calls and streams, rejects its keys, and leaves nothing in Redis', async () => {
    const { store } = system();
    const tenant = await system().tenant();
    const other = await system().tenant();
    const { id, robot } = await tenant.robot({ reconnect: { minMs: 50, maxMs: 200 } });
    const { id: second, robot: away, token } = await tenant.offlineRobot();
    const { id: apart, robot: staying } = await other.robot();
    await robot.tap(1, 1);
    const stream = await EventStreamClient.open(`${system().gateway()}/v1/robots/${id}/events`, { apiKey: tenant.key });
    assert.equal(stream.status, 200);
    const asked = tenant.api(1).act(id, 'ask', { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 });
    await waitArmed(system(), id, robot);
    const polled = tenant.api().get(`/v1/robots/${id}/events?after=1000000&seconds=50`);

    const { email } = (await store.accounts.get(tenant.account))!;
    const removal = store.accountRemoval.remove(email);
    // Dials while the removal runs. Until its token is deleted it is admitted, and closed with the others.
    await until(async () => (await store.accounts.get(tenant.account)) === null);
    const admitted = await away.start().then(
      () => true,
      () => false,
    );
    await removal;

    for (const one of admitted ? [robot, away] : [robot]) {
      await one.until(({ lastClosed }) => lastClosed?.final === true, { what: 'the end of the robot' });
      // A robot-link that renews its lease before the message closes with 4009; then the robot dials, and its token is refused.
      const { code, status } = one.lastClosed!;
      assert.ok(code === 4003 || status === 401, JSON.stringify(one.lastClosed));
    }
    await assert.rejects(tenant.again(token));
    // Which of these the gateway notices first varies: the key, the robot or the record of the wait has gone.
    for (const call of [asked, polled]) {
      const { code } = (await call).body;
      assert.ok(['unauthorized', 'unknown_robot', 'outcome_unknown'].includes(code), JSON.stringify((await call).body));
    }
    await stream.closed;
    for (const i of [0, 1]) assert.equal((await tenant.api(i).get(`/v1/robots/${id}`)).status, 401);
    assert.deepEqual(await redisMentions(store.connections.commands, [tenant.account, tenant.keyId, email, id, second]), []);
    assert.equal((await other.api().act(apart, 'say', { text: 'Hello' })).status, 200);
    assert.equal(staying.commands.length > 0, true);
  });
});
