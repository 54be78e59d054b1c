import assert from 'node:assert/strict';
import { newCardId } from '@perch/store';
import { until } from '@perch/testkit';
import { useLinks, type TestRobot } from './links-under-test.js';

describe('copies of cards that show', () => {
  const system = useLinks();

  async function show(made: TestRobot): Promise<{ id: string; bytes: Buffer }> {
    const picture = await system.picture();
    const id = newCardId(picture.hash);
    const reply = await system.gateway.command(made, {
      name: 'screen.show',
      args: { layer: 'card', id },
      attachments: [{ path: [], picture }],
    });
    assert.equal(reply.t, 'ack');
    const bytes = (await system.store.media.read(picture))!;
    return { id, bytes };
  }

  const copyOf = async ({ id }: TestRobot): Promise<Buffer | null> => system.store.connections.commands.getBuffer(`perch:{${id}}:card`);
  const hasCopy = async (made: TestRobot, bytes: Buffer): Promise<boolean> => (await copyOf(made))?.includes(bytes) === true;

  it('a card that stays is copied; the copy is replaced by that of the next card, and deleted after the card is cleared', async () => {
    const link = await system.instance({ timing: { keepCardMs: 200 } });
    const made = await system.started(link);
    const first = await show(made);
    await until(() => hasCopy(made, first.bytes), { what: 'a copy of the card' });
    const second = await show(made);
    await until(() => hasCopy(made, second.bytes), { what: 'a copy of the next card' });
    await system.gateway.command(made, { name: 'screen.clear', args: { layer: 'card' } });
    await until(async () => (await copyOf(made)) === null, { what: 'the copy to be deleted' });
  });

  it('a card that is soon replaced or cleared is not copied', async () => {
    const link = await system.instance({ timing: { keepCardMs: 1500 } });
    const made = await system.started(link);
    for (let i = 0; i < 4; i++) {
      await show(made);
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(await copyOf(made), null);
    }
    await system.gateway.command(made, { name: 'screen.clear', args: { layer: 'card' } });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    assert.equal(await copyOf(made), null);
  });

  it('the robot-link that takes a robot over copies its card, from the id that the robot reports', async () => {
    const before = await system.instance({ timing: { keepCardMs: 60_000 } });
    const made = await system.started(before);
    const shown = await show(made);
    const after = await system.instance({ timing: { keepCardMs: 200 } });
    made.robot.dialAt(after.app.address);
    await before.stop();
    await until(() => hasCopy(made, shown.bytes), { what: 'a copy made after the move' });
    assert.deepEqual((await system.store.screenPictures.read(made.account, made.id, shown.id))!.bytes, shown.bytes);
  });
});
