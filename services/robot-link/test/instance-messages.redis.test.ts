import assert from 'node:assert/strict';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

describe('unreadable messages of other instances', () => {
  const system = useLinks();
  const link = useLink(system);
  let ids = 0;

  const newId = (): string => `${system.gateway.id}.x${(ids += 1)}`;
  const publish = (batch: unknown): Promise<number | null> =>
    system.store.connections.publish(`perch:{${link.store.instance}}:inbox`, JSON.stringify(batch));
  const packedCommand = async ({ id }: TestRobot, name: string, args: unknown, key = newId()): Promise<unknown[]> => {
    const { session } = await system.store.leases.find(id);
    return [key, id, session, '', Math.floor(system.store.clock.now()) + 5000, 'q', name, args];
  };
  const unreadable = async (): Promise<Record<string, number>> => {
    const { values } = await link.registry.getSingleMetric('perch_link_instance_messages_unreadable_total')!.get();
    return Object.fromEntries(values.filter(({ value }) => value > 0).map(({ labels, value }) => [String(labels['reason']), value]));
  };

  it('answers not_here to a command in an unknown format, counts it, and sends the robot nothing', async () => {
    const made = await system.started(link);
    // LEDs in the format of another release: a lenient robot would acknowledge them and show wrong colours.
    const leds = await packedCommand(made, 'leds.set', { packed: 'CgsMCgsM' });
    const dance = await packedCommand(made, 'dance', {});
    await publish([leds, dance]);
    for (const [id] of [leds, dance]) assert.deepEqual(await system.gateway.reply(id as string), { t: 'not_here', id });
    assert.deepEqual(await unreadable(), { shape: 1, type: 1 });
    assert.deepEqual(
      made.robot.leds.pixels,
      Array.from({ length: 12 }, () => '#000000'),
    );
  });

  it('answers not_here to each message of a batch of a later version', async () => {
    const ids = [newId(), newId(), newId()];
    await publish({ v: 99, m: [ids[0], [ids[1], { anything: true }], { id: ids[2], t: 'command' }] });
    for (const id of ids) assert.deepEqual(await system.gateway.reply(id), { t: 'not_here', id });
    assert.equal((await unreadable())['version'], 3);
  });

  it('executes the readable commands of a batch in order, whatever lies between them', async () => {
    const made = await system.started(link);
    const first = await packedCommand(made, 'face', { emotion: 'happy' });
    const broken = await packedCommand(made, 'face', 'happy');
    const last = await packedCommand(made, 'face', { emotion: 'sad' });
    await publish([first, null, broken, { t: 'wait', record: null }, 7, last]);
    for (const [id] of [first, last]) assert.equal((await system.gateway.reply(id as string)).t, 'ack');
    assert.equal((await system.gateway.reply(broken[0] as string)).t, 'not_here');
    assert.equal(made.robot.face.emotion, 'sad');
  });

  it('reads batches of version 1 and of version 2', async () => {
    const made = await system.started(link);
    for (const [v, color] of [
      [1, '#010203'],
      [2, '#040506'],
    ] as const) {
      const command = await packedCommand(made, 'leds.set', color);
      await publish(v === 1 ? [command] : { v, m: [command] });
      assert.equal((await system.gateway.reply(command[0] as string)).t, 'ack');
      assert.deepEqual(
        made.robot.leds.pixels,
        Array.from({ length: 12 }, () => color),
      );
    }
  });

  it('does not answer a message whose id names the robot-link itself, since it could not read its own answer and would answer that again', async () => {
    const before = await unreadable();
    const made = await system.started(link);
    await publish({ v: 99, m: [[`.${newId()}`], [`${link.store.instance}.1`]] });
    // An answer to itself would come back, be unreadable and be counted before the replies to these two commands arrive.
    for (const emotion of ['happy', 'sad']) {
      const command = await packedCommand(made, 'face', { emotion });
      await publish([command]);
      assert.equal((await system.gateway.reply(command[0] as string)).t, 'ack');
    }
    assert.deepEqual(await unreadable(), { ...before, version: (before['version'] ?? 0) + 2 });
  });
});
