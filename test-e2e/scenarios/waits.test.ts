import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { questionShown } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';

const keys = ['outcome', 'timed_out', 'replaced', 'robot_away', 'answer', 'index', 'item', 'label', 'region', 'x', 'y'];

onSharedSystems('waits', (system) => {
  it('ask shows its question, a tap on a button answers with its text and index, and the question disappears', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const call = tenant.api().act(id, 'ask', { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
    await questionShown(robot);
    assert.ok(robot.screen.question!.bytes > 500, 'a drawn picture');
    await robot.tap(260, 170);
    const { status, body } = await call;
    assert.equal(status, 200);
    assert.equal(body.outcome, 'answered');
    assert.ok([0, 1].includes(body.index));
    assert.equal(body.answer, ['Tea', 'Coffee'][body.index]);
    assert.equal(body.timed_out, false);
    assert.equal(body.replaced, false);
    await robot.until((r) => r.screen.question === null);
    const events = await tenant.api().get(`/v1/robots/${id}/events`);
    assert.ok(!events.body.events.some((event: { name: string }) => event.name === 'tap'), 'an answering touch yields no event');
    assert.deepEqual(robot.violations, []);
  });

  it('menu answers with the id of the tapped tile, or with its label if it has none', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const call = tenant.api().act(id, 'menu', { title: 'Lunch', items: [{ id: 'p', label: 'Pizza' }, 'Salad'] });
    await questionShown(robot);
    await robot.tap(60, 170);
    const { body } = await call;
    assert.deepEqual(
      { item: body.item, index: body.index, label: body.label, outcome: body.outcome },
      { item: 'p', index: 0, label: 'Pizza', outcome: 'answered' },
    );
  });

  it('clickmap answers with the first region that contains the tap and its position; a tap beside is an event and the wait continues', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const regions = [
      { id: 'left', rect: [0, 0, 100, 240] },
      { id: 'dot', circle: [200, 120, 30] },
      {
        id: 'all-right',
        polygon: [
          [150, 0],
          [300, 0],
          [300, 240],
          [150, 240],
        ],
      },
    ];
    const api = tenant.api();
    await api.act(id, 'show', { text: 'Tap!' });
    const card = robot.screen.card!.id;
    const call = api.act(id, 'clickmap', { regions });
    // Without a picture, the wait is armed when the robot-link receives it. Until then a tap is an event.
    let taps = 0;
    await until(async () => {
      await robot.tap(125, 100 + taps);
      taps += 1;
      return (await api.get(`/v1/robots/${id}/events?names=tap`)).body.events.length >= 1;
    });
    await robot.tap(210, 130);
    const { body } = await call;
    assert.deepEqual({ region: body.region, index: body.index, x: body.x, y: body.y }, { region: 'dot', index: 1, x: 210, y: 130 });
    assert.equal(robot.screen.card!.id, card, 'the screen stays as it is');
  });

  it('every wait returns the same keys when it times out, and its question disappears before the answer, so that say succeeds at once', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = tenant.api();
    const waits: [string, object, string[]][] = [
      ['ask', { question: 'Q', answers: ['a', 'b'], timeout_s: 0.3 }, ['answer', 'index']],
      ['menu', { items: ['a', 'b'], timeout_s: 0.3 }, ['item', 'index', 'label']],
      ['clickmap', { regions: [{ id: 'r', rect: [0, 0, 9, 9] }], timeout_s: 0.3 }, ['region', 'index', 'x', 'y']],
    ];
    for (const [action, args, fields] of waits) {
      const { status, body } = await api.act(id, action, args);
      assert.equal(status, 200);
      assert.deepEqual([body.outcome, body.timed_out, body.replaced], ['timed_out', true, false]);
      for (const field of fields) assert.equal(body[field], null, field);
      for (const key of Object.keys(body)) assert.ok(keys.includes(key) || key === 'ok', key);
      const said = await api.act(id, 'say', { text: 'done' });
      assert.equal(said.status, 200, JSON.stringify(said.body));
      await robot.until((r) => r.bubble !== null);
    }
    assert.deepEqual(robot.violations, []);
  });

  it('a newer wait on another gateway ends the older one as replaced, at once', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const older = tenant.api(0).act(id, 'ask', { question: 'Old?', answers: ['a', 'b'] });
    await questionShown(robot);
    const oldId = robot.screen.question!.id;
    const newer = tenant.api(1).act(id, 'ask', { question: 'New?', answers: ['c', 'd'] });
    const { body } = await older;
    assert.deepEqual([body.outcome, body.replaced, body.answer], ['replaced', true, null]);
    await questionShown(robot, oldId);
    // Meant for the older one, it answers nothing.
    await robot.tap(60, 170);
    await robot.tap(60, 170, { lookMs: 1000 });
    assert.equal((await newer).body.outcome, 'answered');
    const events = await tenant.api().get(`/v1/robots/${id}/events?after=0&names=tap`);
    assert.deepEqual(
      events.body.events.map(({ data }: { data: object }) => data),
      [{ x: 60, y: 170, early: true }],
    );
  });

  it('a rejected call ends no wait', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const call = tenant.api().act(id, 'ask', { question: 'Still?', answers: ['yes', 'no'] });
    await questionShown(robot);
    assert.equal((await tenant.api(1).act(id, 'ask', { question: 'x', answers: ['one'] })).status, 400);
    assert.equal(
      (await tenant.api(1).act(id, 'menu', { items: ['a', { label: 'b', image: Buffer.from('no picture').toString('base64') }] })).status,
      400,
    );
    await robot.tap(60, 170);
    assert.equal((await call).body.outcome, 'answered');
  });

  it('a client that hangs up cancels its wait, and the question disappears', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const hangUp = new AbortController();
    const call = tenant.api().act(id, 'ask', { question: 'Anyone?', answers: ['a', 'b'] }, { signal: hangUp.signal });
    call.catch(() => {});
    await questionShown(robot);
    hangUp.abort();
    await robot.until((r) => r.screen.question === null);
    await assert.rejects(call);
    assert.equal((await tenant.api(1).act(id, 'say', { text: 'free' })).status, 200);
  });

  it('a button may be held for up to 8 s; a long touch in a clickmap is a long_press event and the wait continues', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = tenant.api();
    const ask = api.act(id, 'ask', { question: 'Hold', answers: ['a', 'b'] });
    await questionShown(robot);
    await robot.tap(60, 170, { heldMs: 1200 });
    assert.equal((await ask).body.outcome, 'answered');

    const map = api.act(id, 'clickmap', { regions: [{ id: 'all', rect: [0, 0, 320, 240] }], image: png });
    await robot.until((r) => r.screen.card !== null);
    await robot.tap(60, 60, { heldMs: 900 });
    await until(async () => (await api.get(`/v1/robots/${id}/events?names=long_press`)).body.events.length === 1);
    await robot.tap(61, 62);
    assert.equal((await map).body.x, 61);
  });

  it('one of 25 waits at once on two gateways stays open and can be answered, and the others answer replaced', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    // 25 stay below the bucket of 30.
    const calls = Array.from({ length: 25 }, (_, i) =>
      tenant.api(i).act(id, 'ask', { question: `Question ${i}`, answers: ['a', 'b'], timeout_s: 100 }),
    );
    let open = calls.length;
    const outcomes = calls.map((call) => call.then(({ status, body }) => ((open -= 1), assert.equal(status, 200), body.outcome)));
    await until(() => open === 1, { what: 'all but one to be replaced' });
    await questionShown(robot);
    // Taps before the last question is shown answer nothing.
    await until(
      async () => {
        await robot.tap(60, 170);
        return open === 0;
      },
      { everyMs: 100 },
    );
    const counted = (await Promise.all(outcomes)).toSorted();
    assert.deepEqual(counted, ['answered', ...Array.from({ length: 24 }, () => 'replaced')]);
    assert.deepEqual(robot.violations, []);
  });

  it('a tap does not answer a question that was not on the screen yet: touches before its picture is shown are events', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = tenant.api();
    robot.faults.ackLate(400);
    const call = api.act(id, 'ask', { question: 'Late?', answers: ['a', 'b'], timeout_s: 10 });
    // Began before the picture was shown and ended after it.
    const tapped = robot.tap(60, 170, { heldMs: 1500 });
    await questionShown(robot);
    await tapped;
    await until(async () => (await api.get(`/v1/robots/${id}/events?names=long_press`)).body.events.length === 1);
    // Began on the question before its ack arrived: the person saw it.
    await robot.tap(260, 170);
    assert.equal((await call).body.outcome, 'answered');
  });

  it('a wait fails instead of hanging if the robot cannot show its question', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    robot.faults.nack('hardware', ['screen.show']);
    const { status, body } = await tenant.api().act(id, 'ask', { question: 'Q', answers: ['a', 'b'] });
    assert.equal(status, 503);
    assert.equal(body.code, 'robot_hardware');
  });
});

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=';
