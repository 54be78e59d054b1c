/** The robot program of robots/micropython in the real interpreter, with a heap of 1 MB, on real services. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MicropythonRobot, type Micropython, type MicropythonRobotOptions } from '@perch/micropython-robot';
import { needsMicropython, until } from '@perch/testkit';
import { halves, photograph, Pixels } from '../fixture/media/pictures.js';
import { left } from '../fixture/robots/question.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const soon = { minMs: 40, maxMs: 400 };
const bytesPerS = 32_000;

onSingleInstances('the robot program in MicroPython', (system) => {
  let micropython: Micropython;
  before(async function () {
    micropython = await needsMicropython(this);
  });

  function robotOf(options: Partial<MicropythonRobotOptions>): MicropythonRobot {
    const robot = new MicropythonRobot({ micropython, url: system().link(), reconnect: soon, ...options });
    system().keep(robot);
    return robot;
  }

  async function setUp(options: Partial<MicropythonRobotOptions> = {}) {
    const tenant = await system().tenant();
    const { robot: id, token } = await system().store.robots.create({ account: tenant.account });
    const robot = robotOf({ token, ...options });
    await robot.start();
    const api = await checkedApi(tenant);
    const act = async (action: string, args: object) => {
      const { status, body } = await api.act(id, action, args);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const events = async (names: string, count: number) => {
      let seen: { name: string }[] = [];
      await until(async () => (seen = (await api.get(`/v1/robots/${id}/events?names=${names}`)).body.events).length >= count, {
        what: `${count} of ${names}`,
      });
      return seen;
    };
    return { tenant, id, token, robot, api, act, events };
  }

  it('shows the pictures of cards, and keeps a card beneath a question, which a tap answers', async () => {
    const { robot, act } = await setUp();
    await act('show', { image: halves(320, 240, '#ff0000', '#0000ff') });
    const card = robot.screen.card!;
    const pixels = await Pixels.of(card);
    assert.ok(pixels.is(60, 120, '#ff0000') && pixels.is(260, 120, '#0000ff'));
    const asked = act('ask', { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
    await robot.until(({ screen, commands }) => screen.question !== null && commands.at(-1)!.ack !== null, {
      what: 'the question',
    });
    await robot.tap(...left);
    assert.equal((await asked).outcome, 'answered');
    await robot.until(({ screen }) => screen.question === null);
    assert.equal(robot.screen.card?.id, card.id);
    await act('show', { clear: true });
    assert.equal(robot.screen.card, null);
    assert.deepEqual(robot.violations, []);
  });

  it('moves within its limits, lights its LEDs, speaks in a bubble, changes its face and runs its own commands', async () => {
    const { robot, act } = await setUp();
    assert.deepEqual(await act('move', { yaw: 30.5, pitch: 500 }), { ok: true, yaw: 30.5, pitch: 85 });
    await act('move', { gesture: 'home' });
    await robot.until(({ head }) => head.yaw === 0 && !head.moving);
    await act('leds', { color: '#ff0000' });
    assert.deepEqual(new Set(robot.leds.pixels), new Set(['#ff0000']));
    await act('leds', { effect: 'rainbow', seconds: 60 });
    assert.equal(robot.leds.effect?.palette?.length, 6);
    await act('leds', { effect: 'rainbow', seconds: 0.2 });
    await robot.until(({ leds }) => leds.effect === null);
    await act('say', { text: 'Grüße 👋', seconds: 30 });
    assert.equal(robot.bubble?.text, 'Grüße 👋');
    await act('say', { text: 'Grüße 👋', seconds: 0.3 });
    await robot.until(({ bubble }) => bubble === null);
    await act('face', { emotion: 'happy' });
    assert.equal(robot.face.emotion, 'happy');
    await act('command', { command: 'sticker', args: { id: 's', image: halves(20, 30, '#00ff00', '#00ff00'), x: 10, y: 20, tappable: true } });
    assert.deepEqual([robot.own.stickers.get('s')?.w, robot.own.stickers.get('s')?.h], [20, 30]);
    assert.deepEqual(robot.violations, []);
  });

  it('plays sounds from its ring of 96 KB without a gap, and the last of several replaces the others', async () => {
    const { robot, act } = await setUp();
    await act('sound', { notes: 'C4:4000', volume: 13 });
    assert.equal(robot.volume, 13);
    await robot.until(({ sounds }) => sounds[0]!.done !== null, { what: 'the end of the sound' });
    const [sound] = robot.sounds;
    assert.deepEqual([sound!.done, sound!.gaps, sound!.received, sound!.pcm.byteLength], ['end', 0, 4 * bytesPerS, 4 * bytesPerS]);
    await act('sound', { notes: 'C4:20000' });
    await act('sound', { notes: 'A4:300' });
    await robot.until(({ playing }) => playing === null);
    assert.deepEqual(
      robot.sounds.slice(1).map(({ done }) => done),
      ['stopped', 'end'],
    );
    assert.deepEqual(robot.violations, []);
  });

  it('reports what people do, which becomes events', async () => {
    const { robot, events } = await setUp();
    await robot.tap(10, 20);
    await robot.longTouch(10, 20);
    await robot.pat();
    await robot.stroke('back');
    robot.shake();
    robot.holdTag({ uid: '04a1b2c3', uri: 'https://example.com/' });
    robot.takeTag();
    await robot.pressRemote({ address: 4, command: 8 });
    robot.powerPress('short');
    robot.unplug();
    const expected = ['tap', 'long_press', 'pat', 'stroke', 'shaken', 'tag', 'tag_removed', 'remote', 'button', 'unplugged'];
    const seen = await events(expected.join(','), expected.length);
    assert.deepEqual(
      seen.map(({ name }) => name),
      expected,
    );
    await robot.until(({ inputs }) => inputs.acked === inputs.seq, { what: 'all inputs to be safe' });
    assert.deepEqual(robot.violations, []);
  });

  it('comes back after a lost connection with what it shows, and no input is lost or stored twice', async () => {
    const { id, robot, act, events, api } = await setUp();
    await act('show', { text: 'stays' });
    const { session, bootId } = robot;
    const card = robot.screen.card!.id;
    for (let i = 0; i < 5; i += 1) {
      const tap = robot.tap(10 + i, 20, { heldMs: 20 });
      if (i === 2) robot.faults.dropConnection();
      await tap;
    }
    await robot.until((r) => r.session !== null && r.session !== session, { what: 'another session' });
    const seen = (await events('tap', 5)) as unknown as { data: { x: number } }[];
    assert.deepEqual(
      seen.map(({ data }) => data.x),
      [10, 11, 12, 13, 14],
    );
    assert.deepEqual([robot.bootId, robot.screen.card?.id], [bootId, card]);
    assert.equal((await api.act(id, 'show', { clear: true })).status, 200);
    assert.equal(robot.screen.card, null);
    robot.restart();
    await robot.until((r) => r.session !== null && r.bootId !== bootId, { what: 'a session of another boot' });
    assert.deepEqual(robot.violations, []);
  });

  it('a part that fails is left out: the other parts work, and its actions are not offered', async () => {
    const { id, api, act } = await setUp({ absent: ['head', 'speaker'] });
    assert.equal((await api.act(id, 'move', { yaw: 1 })).status, 501);
    assert.equal((await api.act(id, 'sound', { notes: 'C4:40' })).status, 501);
    await act('leds', { color: 'red' });
    await act('say', { text: 'here' });
  });

  it('pairs by the code on its screen, and after its token was revoked shows another code', async () => {
    const tenant = await system().tenant();
    const robot = robotOf({ serial: randomUUID() });
    const code = new Promise<string>((resolve) => robot.on('code', (shown) => resolve(shown.code)));
    robot.boot();
    const approved = await system().store.pairing.approve(tenant.account, await code);
    await robot.until(({ online }) => online, { what: 'the paired robot' });
    const api = await checkedApi(tenant);
    assert.equal((await api.act(approved!.robot, 'face', { emotion: 'sad' })).status, 200);
    assert.equal(robot.face.emotion, 'sad');
    const again = new Promise<string>((resolve) => robot.on('code', (shown) => resolve(shown.code)));
    await system().store.robots.remove(tenant.account, approved!.robot);
    robot.faults.dropConnection();
    assert.match(await again, /^[A-Z]{4}-[A-Z]{4}$/);
  });

  it('keeps memory free in a heap of 1 MB, and no turn of its loop works for 40 ms, with many pictures and a sound', async () => {
    const { robot, act } = await setUp();
    await act('sound', { notes: 'C4:3000' });
    const image = photograph(320, 240);
    for (let i = 0; i < 12; i += 1) await act('show', { image, background: i % 2 === 0 ? 'blue' : 'red' });
    assert.ok(robot.screen.card!.bytes > 10_000);
    robot.reportNow();
    await robot.until(({ latestReadings }) => typeof latestReadings['heap_free_kb'] === 'number');
    // The reading is that of any moment; what counts is left after a collection.
    const left = new Promise<number>((resolve) => robot.on('heap', ({ freeKb }) => resolve(freeKb)));
    robot.askHeap();
    assert.ok((await left) > 100, `${await left} KB`);
    const longest = new Promise<number>((resolve) => robot.on('longest', ({ ms }) => resolve(ms)));
    robot.askLongestTurn();
    assert.ok((await longest) < 40, `${await longest} ms`);
    assert.deepEqual(robot.violations, []);
  });
});
