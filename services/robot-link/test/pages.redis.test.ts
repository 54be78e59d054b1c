import assert from 'node:assert/strict';
import type { CardPage } from '@perch/schema';
import { newCardId } from '@perch/store';
import { until } from '@perch/testkit';
import { useLinks, type TestRobot } from './links-under-test.js';

const pageMs = 60;
const anywhere = { shape: 'rect', x: 0, y: 0, w: 10, h: 10 } as const;

describe('the pages of a card', () => {
  const system = useLinks();

  const cardOf = ({ robot }: TestRobot): string | undefined => robot.screen.card?.id;
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  async function started(): Promise<TestRobot> {
    return system.started(await system.instance());
  }

  async function showCard(made: TestRobot, id = 'newer', bytes?: number): Promise<void> {
    const attachments = [{ path: [], picture: await system.picture(bytes) }];
    assert.equal((await system.gateway.command(made, { name: 'screen.show', args: { layer: 'card', id }, attachments })).t, 'ack');
  }

  /** @returns the ids of the pages, the first one first */
  async function showPages(made: TestRobot, afterMs = pageMs): Promise<string[]> {
    const pictures = [await system.picture(), await system.picture(), await system.picture()];
    const ids = pictures.map(({ hash }) => newCardId(hash, true));
    const pages: CardPage[] = [1, 2, 0].map((i) => ({ id: ids[i]!, picture: pictures[i]!, afterMs }));
    const command = { name: 'screen.show', args: { layer: 'card', id: ids[0]! }, attachments: [{ path: [], picture: pictures[0]! }], pages };
    assert.equal((await system.gateway.command(made, command)).t, 'ack');
    return ids;
  }

  async function turns(made: TestRobot, ids: readonly string[]): Promise<void> {
    for (const id of ids) await until(() => cardOf(made) === id, { what: `page ${id}`, everyMs: 5 });
  }

  /** Leaves time for five turns, none of which may happen. */
  async function staysAt(made: TestRobot, id: string | undefined): Promise<void> {
    const before = made.robot.commands.length;
    await pause(5 * pageMs);
    assert.equal(cardOf(made), id);
    assert.deepEqual(made.robot.commands.slice(before), []);
  }

  it('the pages of a card show one after the other, and again from the first', async () => {
    const made = await started();
    await showPages(made, 10);
    const shown = (): string[] => made.robot.commands.map(({ args }) => String(args['id']));
    await until(() => shown().length >= 7, { what: 'two rounds of pages' });
    const [first, second, third] = shown();
    assert.equal(new Set([first, second, third]).size, 3);
    assert.deepEqual(shown().slice(0, 7), [first, second, third, first, second, third, first]);
  });

  it('never cover a newer card, at whatever moment it arrives', async () => {
    const made = await started();
    for (let i = 0; i < 15; i++) {
      await showPages(made, 15);
      await pause(Math.random() * 60);
      await showCard(made, `newer-${i}`, 40_000);
      await pause(45);
      assert.equal(cardOf(made), `newer-${i}`);
      assert.equal(made.robot.commands.at(-1)!.args['id'], `newer-${i}`);
    }
  });

  it('never cover a newer card that arrives while a page is in flight', async () => {
    const made = await started();
    await showPages(made);
    made.robot.faults.ackLate(400);
    const shown = made.robot.commands.length;
    await until(() => made.robot.commands.length > shown, { what: 'a page without its ack' });
    await showCard(made);
    made.robot.faults.none();
    await staysAt(made, 'newer');
  });

  it('the pages of a card do not begin to turn if a newer card arrived before the robot confirmed the first page', async () => {
    const made = await started();
    made.robot.faults.ackLate(400);
    const pages = showPages(made, 1);
    await until(() => made.robot.commands.length === 1, { what: 'the first page without its ack' });
    await showCard(made);
    await pages;
    await staysAt(made, 'newer');
  });

  it('the pages of a card stop turning when the card is cleared', async () => {
    const made = await started();
    await showPages(made);
    await system.gateway.command(made, { name: 'screen.clear', args: { layer: 'card' } });
    await staysAt(made, undefined);
  });

  it('the pages of a card stop turning when a clickmap shows its picture', async () => {
    const made = await started();
    await showPages(made);
    const { number } = await system.gateway.wait(made, { kind: 'clickmap', targets: [anywhere], picture: await system.picture() });
    await until(() => cardOf(made) === `w${number}`, { what: 'the picture of the clickmap' });
    await staysAt(made, `w${number}`);
  });

  it('the pages of a card turn beneath a question', async () => {
    const made = await started();
    const [first, second, third] = (await showPages(made, 200)) as [string, string, string];
    await system.gateway.wait(made, { kind: 'ask', targets: [anywhere], picture: await system.picture() });
    await turns(made, [second, third, first]);
  });

  it('the pages of a card stay at the one that shows if a picture has expired', async () => {
    const made = await started();
    const picture = await system.picture();
    const gone = { ...(await system.picture()), hash: 'f'.repeat(64) };
    const pages: CardPage[] = [
      { id: 'gone', picture: gone, afterMs: pageMs },
      { id: 'first', picture, afterMs: pageMs },
    ];
    await system.gateway.command(made, { name: 'screen.show', args: { layer: 'card', id: 'first' }, attachments: [{ path: [], picture }], pages });
    await staysAt(made, 'first');
  });

  it('the pages of a card continue at the robot-link that the robot moves to', async () => {
    const before = await system.instance();
    const made = await system.started(before);
    const [first, second, third] = (await showPages(made, 200)) as [string, string, string];
    const after = await system.instance();
    made.robot.dialAt(after.app.address);
    await before.stop();
    await made.robot.until(({ online }) => online);
    const at = cardOf(made)!;
    const next = { [first]: second, [second]: third, [third]: first }[at]!;
    await turns(made, [next, { [first]: second, [second]: third, [third]: first }[next]!]);
  });

  it('the pages of a card are renewed in Redis with each turn', async () => {
    const made = await started();
    const [first, second] = (await showPages(made)) as [string, string];
    const hash = Buffer.from(first.slice('page-'.length, 'page-'.length + 43), 'base64url').toString('hex');
    const key = `perch:{${made.account}}:media:${hash}`;
    const { commands } = system.store.connections;
    await Promise.all([commands.pexpire(key, 20_000), commands.pexpire(`${key}:data`, 20_000)]);
    await turns(made, [second, first]);
    assert.equal((await system.store.screenPictures.read(made.account, made.id, first))?.format, 'png');
    const ttl = Math.min(await commands.pttl(key), await commands.pttl(`${key}:data`));
    assert.ok(ttl > 60_000, `${ttl} ms`);
  });
});
