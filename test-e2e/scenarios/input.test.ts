import assert from 'node:assert/strict';
import type { VirtualRobot } from '@perch/virtual-robot';
import { halves } from '../fixture/media/pictures.js';
import type { CheckedApi } from '../fixture/interface/published.js';
import { checkedApi, connected, onSingleInstances } from '../fixture/system/shared-systems.js';

type Named = [name: string, data: object];
type Deed = [what: string, act: (robot: VirtualRobot) => unknown, events: Named[]];

const instant = { instant: true };
const link = 'https://example.com/a?b=c';
const long = 'ä'.repeat(3000);

/** Every input of a robot and the event it becomes (interface section 6). */
const deeds: Deed[] = [
  ['a short touch', (robot) => robot.tap(160, 120, { heldMs: 799, ...instant }), [['tap', { x: 160, y: 120 }]]],
  ['a long touch', (robot) => robot.longTouch(3, 239, { heldMs: 800, ...instant }), [['long_press', { x: 3, y: 239 }]]],
  ['a touch that slides', (robot) => robot.slide([10, 20], [300, 200], instant), [['tap', { x: 10, y: 20 }]]],
  ['a short hand on the head', (robot) => robot.pat({ heldMs: 699, ...instant }), [['pat', { ms: 699 }]]],
  ['a hand that stays on the head', (robot) => robot.pet({ heldMs: 700, ...instant }), [['pet', { seconds: 0.7 }]]],
  ['a finger along the head', (robot) => robot.stroke('forward', instant), [['stroke', { direction: 'forward' }]]],
  ['and back, slowly', (robot) => robot.stroke('back', { heldMs: 2000, ...instant }), [['stroke', { direction: 'back' }]]],
  ['shaking it', (robot) => robot.shake(), [['shaken', {}]]],
  ['picking it up', (robot) => robot.lift(), [['picked_up', {}]]],
  ['a knock on the table, a tilt and a bump', (robot) => [robot.imuBurst('knock'), robot.imuBurst('tilt'), robot.imuBurst('bump')], []],
  ['coming near', (robot) => robot.comeNear(instant), [['near', {}]]],
  ['coming nearer', (robot) => robot.comeNear(instant), []],
  ['going away', (robot) => robot.goAway(instant), [['away', {}]]],
  ['staying away', (robot) => robot.goAway(instant), []],
  [
    'holding a sticker with a link',
    (robot) => robot.holdTag({ uid: '04a1b2c3d4e5f6', uri: link }),
    [['tag', { uid: '04a1b2c3d4e5f6', type: 'NTAG213', text: link }]],
  ],
  ['taking it away', (robot) => robot.takeTag(), [['tag_removed', { uid: '04a1b2c3d4e5f6' }]]],
  [
    'a sticker with a text',
    (robot) => robot.holdTag({ uid: '0a0b0c0d', type: 'NTAG215', text: 'Grüße 🤖', language: 'de' }),
    [['tag', { uid: '0a0b0c0d', type: 'NTAG215', text: 'Grüße 🤖' }]],
  ],
  ['an empty card', (robot) => robot.holdTag({ uid: 'ffeeddcc', type: 'MIFARE Classic' }), [['tag', { uid: 'ffeeddcc', type: 'MIFARE Classic' }]]],
  ["a remote's button", (robot) => robot.pressRemote({ address: 4, command: 8 }), [['remote', { address: 4, command: 8 }]]],
  [
    'one that is held',
    (robot) => robot.pressRemote({ address: 0xbeef, command: 255, repeats: 3, ...instant }),
    [['remote', { address: 0xbeef, command: 255 }]],
  ],
  [
    'a remote of another make',
    (robot) => robot.pressRemote({ raw: [900, 450, 560, 1690, 560], jitter: 0 }),
    [['remote', { code: '82e79e7659caf985', raw: [900, 450, 560, 1690, 560] }]],
  ],
  ['the power button', (robot) => robot.pressPower({ heldMs: 999, ...instant }), [['button', { press: 'short' }]]],
  ['held', (robot) => robot.pressPower({ heldMs: 1000, ...instant }), [['button', { press: 'long' }]]],
  ['taking the cable out', (robot) => robot.unplug(), [['unplugged', {}]]],
  ['once more', (robot) => robot.unplug(), []],
  ['plugging it in', (robot) => robot.plug(), [['plugged', {}]]],
];

onSingleInstances('input', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    await connected(api, id);
    return { id, robot, api };
  }

  it('every input of a robot becomes exactly its event, in order, with its fields', async () => {
    const { id, robot, api } = await setUp();
    const expected: [what: string, name: string, data: object][] = [['its start', 'connected', {}]];
    for (const [what, act, events] of deeds) {
      await act(robot);
      for (const [name, data] of events) expected.push([what, name, data]);
    }
    await robot.until((r) => r.inputs.unacked.length === 0, { what: 'all input to be stored' });
    const { events, last_seq } = (await api.get(`/v1/robots/${id}/events`)).body;
    assert.deepEqual(
      events.map(({ name, data }: any, i: number) => [expected[i]?.[0], name, data]),
      expected,
    );
    assert.deepEqual(
      events.map(({ seq }: any) => seq),
      expected.map((_, i) => i + 1),
    );
    assert.equal(last_seq, expected.length);
    for (const { at } of events) assert.ok(Math.abs(Date.parse(at) - Date.now()) < 20_000, at);
    assert.deepEqual(robot.violations, []);
  });

  it('a text longer than an event allows is cut between characters', async () => {
    const { id, robot, api } = await setUp();
    const { last_seq: after } = (await api.get(`/v1/robots/${id}/events`)).body;
    robot.holdTag({ uid: '01', text: long });
    const { text, truncated } = (await next(api, id, after)).data;
    assert.deepEqual(truncated, ['text']);
    assert.ok(text.length > 300 && text.length < 1024 && long.startsWith(text), `${text.length} characters`);
  });

  it('a tap on a tappable picture names the picture', async () => {
    const { id, robot, api } = await setUp();
    const image = halves(40, 40, '#ff0000', '#ff0000');
    await api.act(id, 'command', { command: 'sticker', args: { id: 'button', image, x: 100, y: 100, tappable: true } });
    const { last_seq: after } = (await api.get(`/v1/robots/${id}/events`)).body;
    await robot.tap(110, 110, instant);
    assert.deepEqual(pick(await next(api, id, after)), ['tap', { x: 110, y: 110, sprite: 'button' }]);
    await robot.tap(90, 90, instant);
    assert.deepEqual(pick(await next(api, id, after + 1)), ['tap', { x: 90, y: 90 }]);
  });

  it('a robot that moves its own head yields no shaken event', async () => {
    const { id, robot, api } = await setUp();
    await api.act(id, 'move', { yaw: 120 });
    robot.reportNow();
    robot.shake();
    await robot.until((r) => r.inputs.unacked.length === 0);
    assert.deepEqual((await api.get(`/v1/robots/${id}/events?names=shaken`)).body.events, []);
  });

  it('connected is stored at the start and after a restart, and not for a robot back within 6 s', async () => {
    const { id, robot, api } = await setUp();
    const count = async () => (await api.get(`/v1/robots/${id}/events?names=connected`)).body.events.length;
    assert.equal(await count(), 1);
    const before = robot.session;
    robot.faults.redial();
    await robot.until((r) => r.online && r.session !== before);
    await robot.tap(1, 1, instant);
    await robot.until((r) => r.inputs.unacked.length === 0);
    assert.equal(await count(), 1);
    robot.restart();
    await robot.until((r) => r.online);
    const { last_seq } = (await api.get(`/v1/robots/${id}/events?names=connected&after=2&seconds=10`)).body;
    assert.equal(last_seq, 3);
    assert.equal(await count(), 2);
  });
});

async function next(api: CheckedApi, id: string, after: number): Promise<{ seq: number; name: string; data: any }> {
  const { events } = (await api.get(`/v1/robots/${id}/events?after=${after}&seconds=10`)).body;
  assert.equal(events.length, 1);
  return events[0];
}

function pick({ name, data }: { name: string; data: object }): [string, object] {
  return [name, data];
}
