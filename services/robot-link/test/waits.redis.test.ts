import assert from 'node:assert/strict';
import { questionsOn } from './questions.js';
import { leftHalf, useLink, useLinks } from './links-under-test.js';

describe('waits on a robot', () => {
  const system = useLinks();
  const link = useLink(system);

  const { targets, outcomeOf, armed, ask } = questionsOn(system);

  it('answers a question with a tap, which removes the question and is not an event', async () => {
    const made = await system.started(link, { instant: true });
    const { number } = await ask(made);
    await made.robot.tap(200, 100);
    assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 1, x: 200, y: 100 });
    await made.robot.until(({ screen, inputs }) => screen.question === null && inputs.acked === inputs.seq);
    assert.deepEqual(await system.eventNames(made), ['connected']);
    assert.deepEqual(made.robot.violations, []);
  });

  it('writes the removal of the question before any command that its answer triggers', async () => {
    const made = await system.started(link, { instant: true });
    for (let i = 0; i < 10; i += 1) {
      const { number } = await ask(made);
      await made.robot.tap(20, 100);
      await outcomeOf(made, number);
      const reply = await system.gateway.command(made, { name: 'bubble', args: { text: 'Thank you', seconds: 1 } });
      assert.equal(reply.t, 'ack', JSON.stringify(reply));
    }
  });

  it('stores a tap beside the targets as an event and keeps the wait open', async () => {
    const made = await system.started(link, { instant: true });
    const record = await system.gateway.wait(made, { kind: 'clickmap', targets: [{ shape: 'circle', x: 50, y: 50, r: 20 }] });
    await armed(made, record.number);
    await made.robot.tap(200, 200);
    await system.events(made, ['connected', 'tap']);
    await made.robot.tap(55, 55);
    assert.deepEqual(await outcomeOf(made, record.number), { outcome: 'answered', index: 0, x: 55, y: 55 });
    assert.deepEqual(await system.eventNames(made), ['connected', 'tap']);
  });

  it('does not answer a question with a touch that began before the question was seen', async () => {
    const made = await system.started(link, { instant: true });
    made.robot.touchDown(20, 100);
    const { number } = await ask(made);
    made.robot.touchUp(20, 100, 90);
    await system.events(made, ['connected', 'tap']);
    assert.equal((await system.store.waits.read(made.id, number))?.outcome, null);
  });

  it('stores a tap after another outcome as an event', async () => {
    const made = await system.started(link, { instant: true });
    const { number } = await ask(made);
    await system.store.waits.settle(made.id, number, { outcome: 'cancelled' }, null);
    await made.robot.tap(20, 100);
    await system.events(made, ['connected', 'tap']);
    assert.deepEqual(await outcomeOf(made, number), { outcome: 'cancelled' });
    await made.robot.until(({ screen }) => screen.question === null);
  });

  it('times out a question without a message of a gateway and removes it', async () => {
    const made = await system.started(link);
    const { number } = await ask(made, 200);
    assert.deepEqual(await outcomeOf(made, number), { outcome: 'timed_out' });
    await made.robot.until(({ screen }) => screen.question === null);
  });

  it('covers a question with the next one, and drops late messages about a lower number', async () => {
    const made = await system.started(link, { instant: true });
    const first = await ask(made);
    const second = await ask(made);
    const { session } = await system.store.leases.find(made.id);
    await system.gateway.send(made, { t: 'wait', robot: made.id, session, record: first });
    await system.gateway.send(made, { t: 'wait_end', robot: made.id, session, number: first.number });
    assert.equal((await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } })).t, 'ack');
    assert.equal(made.robot.screen.question?.id, `w${second.number}`);
    assert.deepEqual(
      made.robot.commands.map(({ name }) => name),
      ['screen.show', 'screen.show', 'face'],
    );
    await made.robot.tap(20, 100);
    assert.equal((await outcomeOf(made, second.number)).outcome, 'answered');
  });

  it('does not answer a clickmap without a picture with a tap that was made before, while the robot was disconnected', async () => {
    const made = await system.started(link, { reconnect: { minMs: 20, maxMs: 50 } });
    await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } });
    made.robot.faults.halfOpen();
    await made.robot.tap(55, 55);
    const record = await system.gateway.wait(made, { kind: 'clickmap', targets: [{ shape: 'circle', x: 50, y: 50, r: 20 }] });
    await armed(made, record.number);
    made.robot.faults.redial();
    await system.events(made, ['connected', 'tap']);
    await made.robot.tap(56, 56);
    assert.deepEqual(await outcomeOf(made, record.number), { outcome: 'answered', index: 0, x: 56, y: 56 });
  });

  it('does not answer a clickmap without a picture that was opened while the robot was away with a tap that the robot had kept', async () => {
    const made = await system.started(link, { reconnect: { minMs: 20, maxMs: 50 } });
    made.robot.faults.halfOpen();
    await made.robot.tap(55, 55);
    const number = (await system.store.waits.number(made.id)) ?? assert.fail();
    const record = {
      number,
      kind: 'clickmap' as const,
      targets: [leftHalf],
      picture: null,
      timeoutMs: 30_000,
      gateway: system.gateway.id,
      call: 'c',
      requestId: 'r',
    };
    await system.store.waits.open(made.id, record);
    made.robot.faults.redial();
    await armed(made, number);
    await system.events(made, ['connected', 'tap']);
    await made.robot.tap(56, 56);
    assert.deepEqual(await outcomeOf(made, number), { outcome: 'answered', index: 0, x: 56, y: 56 });
    assert.deepEqual(made.robot.violations, []);
  });

  it('removes a question when a clickmap without a picture follows', async () => {
    const made = await system.started(link, { instant: true });
    await ask(made);
    const record = await system.gateway.wait(made, { kind: 'clickmap', targets });
    await armed(made, record.number);
    await made.robot.until(({ screen }) => screen.question === null);
  });

  it('removes the question of a cancelled wait, and keeps the picture of a clickmap', async () => {
    const made = await system.started(link);
    const { number } = await ask(made);
    const { session } = await system.store.leases.find(made.id);
    await system.store.waits.settle(made.id, number, { outcome: 'cancelled' }, null);
    await system.gateway.send(made, { t: 'wait_end', robot: made.id, session, number });
    await made.robot.until(({ screen }) => screen.question === null);

    const map = await system.gateway.wait(made, { kind: 'clickmap', targets, picture: await system.picture() });
    await armed(made, map.number);
    await system.store.waits.settle(made.id, map.number, { outcome: 'cancelled' }, null);
    await system.gateway.send(made, { t: 'wait_end', robot: made.id, session, number: map.number });
    assert.equal((await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } })).t, 'ack');
    assert.equal(made.robot.screen.card?.id, `w${map.number}`);
  });

  it('removes a picture that was shown for a wait that had already ended', async () => {
    const made = await system.started(link);
    const record = {
      number: (await system.store.waits.number(made.id)) ?? assert.fail(),
      kind: 'ask' as const,
      targets,
      picture: await system.picture(),
      timeoutMs: 5000,
      gateway: system.gateway.id,
      call: 'x',
      requestId: 'x',
    };
    await system.store.waits.open(made.id, record);
    await system.store.waits.settle(made.id, record.number, { outcome: 'cancelled' }, null);
    const { session } = await system.store.leases.find(made.id);
    await system.gateway.send(made, { t: 'wait', robot: made.id, session, record });
    await made.robot.until(({ commands }) => commands.some(({ name }) => name === 'screen.clear'));
    await made.robot.until(({ screen }) => screen.question === null);
  });

  it('fails a wait whose picture the robot refuses, and removes the picture that it was to cover', async () => {
    const made = await system.started(link);
    await ask(made);
    made.robot.faults.nack('hardware', ['screen.show']);
    const record = await system.gateway.wait(made, { kind: 'menu', targets, picture: await system.picture() });
    const outcome = await outcomeOf(made, record.number);
    assert.equal(outcome.outcome === 'failed' && outcome.code, 'robot_hardware');
    await made.robot.until(({ screen }) => screen.question === null);
  });

  it('requests a picture that is missing, and shows the wait when the picture arrives', async () => {
    const made = await system.started(link, { instant: true });
    const picture = await system.picture();
    const record = await system.gateway.wait(made, { kind: 'ask', targets, picture: { ...picture, hash: 'e'.repeat(64) } });
    const reply = await system.gateway.reply(record.call);
    assert.equal(reply.t, 'media_missing');
    const { session } = await system.store.leases.find(made.id);
    await system.gateway.send(made, { t: 'wait', robot: made.id, session, record: { ...record, picture } });
    await armed(made, record.number);
    await made.robot.tap(20, 20);
    assert.equal((await outcomeOf(made, record.number)).outcome, 'answered');
  });

  it('sends back a wait whose robot is not on this instance', async () => {
    const made = await system.started(link);
    const record = {
      number: (await system.store.waits.number(made.id)) ?? assert.fail(),
      kind: 'ask' as const,
      targets,
      picture: null,
      timeoutMs: 5000,
      gateway: system.gateway.id,
      call: 'not-here-1',
      requestId: 'x',
    };
    await system.gateway.send(made, { t: 'wait', robot: made.id, session: 's-another', record });
    assert.deepEqual(await system.gateway.reply('not-here-1'), { t: 'not_here', id: 'not-here-1' });
  });
});
