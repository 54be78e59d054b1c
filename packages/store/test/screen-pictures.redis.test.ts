import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { newCardId, type Store } from '../src/index.js';
import { accountKeys, robotKeys } from '../src/redis/keys.js';
import { closeStores, held, testRobot, testStore } from './fixtures.js';

describe('cards that show', () => {
  let store: Store;
  let robot: string;
  let holder: { robot: string; session: string; account: string };
  const account = 'a-test';
  beforeEach(async () => {
    store = await testStore();
    robot = await testRobot(store);
    holder = { robot, account, session: (await held(store, robot)).session };
  });
  afterEach(closeStores);

  /** Stores a picture, and returns the id of a card that shows it. */
  async function card(bytes = 9000, says = 'Build.'): Promise<{ id: string; hash: string; data: Buffer }> {
    const hash = randomBytes(32).toString('hex');
    const data = randomBytes(bytes);
    await store.media.put(account, hash, { kind: 'picture', format: 'png', w: 320, h: 240, data, says });
    return { id: newCardId(hash), hash, data };
  }

  async function expire({ hash }: { hash: string }): Promise<void> {
    await store.connections.commands.unlink(accountKeys.media(account, hash), accountKeys.mediaData(account, hash));
  }

  it('shown cards are read as they were drawn, and from their copy once the picture has expired', async () => {
    const shown = await card();
    const read = { format: 'png', says: 'Build.', bytes: shown.data };
    assert.deepEqual(await store.screenPictures.read(account, robot, shown.id), read);
    assert.equal(await store.screenPictures.keep(holder, shown.id), true);
    await expire(shown);
    assert.deepEqual(await store.screenPictures.read(account, robot, shown.id), read);
    const ttlMs = await store.connections.commands.pttl(robotKeys.card(robot));
    assert.ok(ttlMs > 2 * 86_400_000 && ttlMs <= 3 * 86_400_000, String(ttlMs));
  });

  it('a robot has one copy, of the card that was kept last, which no other id reads', async () => {
    const [first, second] = [await card(), await card()];
    await store.screenPictures.keep(holder, first.id);
    await store.screenPictures.keep(holder, second.id);
    await expire(first);
    await expire(second);
    assert.equal(await store.screenPictures.read(account, robot, first.id), null);
    assert.deepEqual((await store.screenPictures.read(account, robot, second.id))!.bytes, second.data);
    for (const id of ['', 'card-x', 'w7', `${second.id}x`]) assert.equal(await store.screenPictures.read(account, robot, id), null, id);
  });

  it('a copy is kept although the picture has expired, after another robot-link took the robot over', async () => {
    const shown = await card();
    await store.screenPictures.keep(holder, shown.id);
    await expire(shown);
    await store.connections.commands.pexpire(robotKeys.card(robot), 5000);
    const next = { ...holder, session: (await held(store, robot, { dial: 2 })).session };
    assert.equal(await store.screenPictures.keep(next, shown.id), true);
    assert.ok((await store.connections.commands.pttl(robotKeys.card(robot))) > 86_400_000);
    assert.deepEqual((await store.screenPictures.read(account, robot, shown.id))!.bytes, shown.data);
  });

  it('cards are not copied without their picture, beyond 256 KB, or by a session that no longer holds the robot', async () => {
    const gone = await card();
    await expire(gone);
    assert.equal(await store.screenPictures.keep(holder, gone.id), false);
    assert.equal(await store.screenPictures.keep(holder, (await card(256 * 1024 + 1)).id), false);
    await held(store, robot, { dial: 2 });
    assert.equal(await store.screenPictures.keep(holder, (await card()).id), false);
    assert.equal(await store.connections.commands.exists(robotKeys.card(robot)), 0);
  });

  it('the picture of a clickmap is copied as a card, and read after its wait has ended', async () => {
    const { hash, data } = await card();
    const picture = (await store.media.find(account, hash, 0))!;
    assert.ok(picture.kind === 'picture');
    const number = (await store.waits.number(robot))!;
    const record = { number, kind: 'clickmap' as const, targets: [], picture, timeoutMs: 1000, gateway: 'gw', call: 'c', requestId: 'q' };
    await store.waits.open(robot, record);
    assert.equal(await store.screenPictures.keep(holder, `w${number}`), true);
    await store.connections.commands.unlink(robotKeys.wait(robot, number));
    await expire({ hash });
    assert.deepEqual((await store.screenPictures.read(account, robot, `w${number}`))!.bytes, data);
  });

  it('the copy of a card is deleted with the card, and with the robot', async () => {
    const shown = await card();
    await store.screenPictures.keep(holder, shown.id);
    await store.screenPictures.drop({ ...holder, session: 'another' });
    assert.equal(await store.connections.commands.exists(robotKeys.card(robot)), 1, 'not by another session');
    await store.screenPictures.drop(holder);
    assert.equal(await store.connections.commands.exists(robotKeys.card(robot)), 0);
    await store.screenPictures.keep(holder, shown.id);
    await store.robots.remove(account, robot);
    assert.equal(await store.connections.commands.exists(robotKeys.card(robot)), 0);
  });

  it('copies of cards count towards the storage of their account, and none is made once half of it is used', async () => {
    const { account: own } = await store.accounts.create({ email: `${robot}@example.com` });
    const hash = randomBytes(32).toString('hex');
    await store.media.put(own, hash, { kind: 'picture', format: 'png', w: 320, h: 240, data: randomBytes(60_000) });
    // Ids of the same picture are different cards.
    assert.equal(await store.screenPictures.keep({ ...holder, account: own }, newCardId(hash)), true);
    await store.storage.report();
    const stored = await store.storage.total(own);
    assert.ok(stored > 60_000 && stored < 61_000, String(stored));
    store.storage.note(own, 'events:r-other', store.storage.bytesMax * 0.6);
    await store.storage.report();
    assert.equal(await store.screenPictures.keep({ ...holder, account: own }, newCardId(hash)), false);
    assert.equal(store.storage.isFull(own), false);
    assert.equal(await store.connections.commands.exists(robotKeys.card(robot)), 0, 'nor does the copy of the card before stay');
    await store.storage.report();
    assert.ok((await store.storage.total(own)) < store.storage.bytesMax * 0.6 + 1);
  });

  it('copies of cards count towards the storage of their account whichever instance made them, as long as they are renewed, and until they are dropped', async () => {
    const { account: own } = await store.accounts.create({ email: `${robot}@example.com` });
    const hash = randomBytes(32).toString('hex');
    await store.media.put(own, hash, { kind: 'picture', format: 'png', w: 320, h: 240, data: randomBytes(60_000) });
    const mine = { ...holder, account: own };
    const card = newCardId(hash);
    assert.equal(await store.screenPictures.keep(mine, card), true);
    await store.storage.report();
    const endsAt = async (): Promise<number> =>
      Number((await store.connections.commands.hget(accountKeys.stored(own), `card:${robot}`))?.split(' ')[1]);
    const first = await endsAt();

    const other = await testStore();
    assert.equal(await other.screenPictures.keep(mine, card), true);
    await other.storage.report();
    assert.ok((await endsAt()) > first, 'renewed with the copy');
    await other.screenPictures.drop(mine);
    await other.storage.report();
    assert.equal(await store.storage.total(own), 0);
  });

  it('a copy is renewed even if its picture has notes of several kilobytes', async () => {
    const hash = randomBytes(32).toString('hex');
    const missing = Array.from({ length: 500 }, (_, i) => String.fromCodePoint(0xe000 + i));
    await store.media.put(account, hash, { kind: 'picture', format: 'png', w: 320, h: 240, notes: { missing }, data: randomBytes(900) });
    const id = newCardId(hash);
    assert.equal(await store.screenPictures.keep(holder, id), true);
    await expire({ hash });
    assert.equal(await store.screenPictures.keep(holder, id), true);
    assert.deepEqual((await store.screenPictures.read(account, robot, id))!.notes, { missing });
  });
});
