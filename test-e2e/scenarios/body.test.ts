import assert from 'node:assert/strict';
import { defaultCommands } from '@perch/virtual-robot';
import { halves, picture, Pixels } from '../fixture/media/pictures.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const black = Array.from({ length: 12 }, () => '#000000');

onSingleInstances('body', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const act = async (action: string, args: object) => {
      const { status, body } = await api.act(id, action, args);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    return { id, robot, api, act };
  }

  it('move turns the head and answers with the position the robot took, with pitch clamped', async () => {
    const { robot, act } = await setUp();
    assert.deepEqual(await act('move', { yaw: 30.5, pitch: 40 }), { ok: true, yaw: 30.5, pitch: 40 });
    assert.deepEqual([robot.head.yaw, robot.head.pitch], [30.5, 40]);
    assert.deepEqual(await act('move', { yaw: -128 }), { ok: true, yaw: -128, pitch: 40 });
    assert.deepEqual(await act('move', { pitch: 500 }), { ok: true, yaw: -128, pitch: 85 });
    assert.deepEqual(await act('move', { pitch: -3 }), { ok: true, yaw: -128, pitch: 5 });
    assert.deepEqual(robot.violations, []);
  });

  it('move performs its gestures, and home faces forward', async () => {
    const { robot, act } = await setUp();
    const seen: (string | null)[] = [];
    robot.on('head', ({ gesture }) => seen.push(gesture));
    await act('move', { yaw: 60 });
    for (const gesture of ['nod', 'shake', 'home']) await act('move', { gesture });
    assert.deepEqual(
      seen.filter((gesture, i) => gesture !== null && gesture !== seen[i - 1]),
      ['nod', 'shake', 'home'],
    );
    assert.equal(robot.head.yaw, 0);
  });

  it('leds sets all LEDs to one colour, white by default, with dark colours corrected downwards, within 400 mA', async () => {
    const { robot, act } = await setUp();
    const lit = async (args: object) => {
      await act('leds', args);
      assert.equal(new Set(robot.leds.pixels).size, 1, 'all alike');
      return channels(robot.leds.pixels[0]!);
    };
    assert.deepEqual(await lit({ color: '#ff0000' }), [255, 0, 0]);
    assert.deepEqual(await lit({ color: '#000000' }), [0, 0, 0]);
    const white = await lit({ color: 'white' });
    assert.ok(
      white.every((channel) => channel > 100),
      String(white),
    );
    assert.ok((white.reduce((sum, channel) => sum + channel) * 12 * 20) / 255 <= 400, 'at most 400 mA');
    const red = await lit({ color: '#800000' });
    assert.ok(Math.abs(red[0]! / 255 - 0.216) < 0.02, 'half the number is a fifth of the light');
    assert.deepEqual(await lit({ color: '#ff0000', brightness: 0.5 }), [55, 0, 0]);
    const named = await lit({ color: 'blue' });
    assert.deepEqual(await lit({ color: '#2f80ff' }), named, 'a name is its colour');
    await act('leds', { off: true });
    assert.deepEqual(robot.leds, { pixels: black, effect: null });
  });

  it('leds bar lights both strips from the screen end by its share', async () => {
    const { robot, act } = await setUp();
    const litAt = () => robot.leds.pixels.flatMap((pixel, i) => (pixel === '#000000' ? [] : [i]));
    for (const [bar, lit] of [
      [0, []],
      [0.5, [0, 1, 2, 9, 10, 11]],
      [1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
    ] as const) {
      await act('leds', { bar, color: 'red' });
      assert.deepEqual(litAt(), lit, String(bar));
    }
    await act('leds', { bar: 0.25 });
    const [full, part] = robot.leds.pixels.map((pixel) => channels(pixel)[1]!) as [number, number];
    assert.deepEqual(litAt(), [0, 1, 10, 11]);
    assert.ok(part > 0 && part < full, 'where the bar ends an LED is lit in part');
  });

  it('leds pixels sets each LED to its own colour', async () => {
    const { robot, act } = await setUp();
    const pixels = ['#ff0000', '#00ff00', '#0000ff', 'red', '#000000', '#808080', '#00ff00', '#0000ff', '#000000', '#ff0000', '#801040', 'red'];
    const corrected: string[] = [];
    for (const color of new Set(pixels)) {
      await act('leds', { color });
      corrected[pixels.indexOf(color)] = robot.leds.pixels[0]!;
    }
    await act('leds', { pixels });
    assert.deepEqual(
      robot.leds.pixels,
      pixels.map((color) => corrected[pixels.indexOf(color)]),
    );
  });

  it('leds effects run with their colour, speed and length, and the colours return when an effect ends', async () => {
    const { robot, act } = await setUp();
    await act('leds', { color: '#ff0000' });
    const red = robot.leds.pixels[0];
    for (const name of ['breathe', 'chase', 'blink', 'rainbow', 'off']) {
      await act('leds', { effect: name });
      const { effect, pixels } = robot.leds;
      assert.deepEqual([effect?.name, effect?.speed, effect?.seconds, effect?.palette?.length], [name, 1, 0, name === 'rainbow' ? 6 : undefined]);
      assert.deepEqual(pixels[0], red, 'an effect runs over what is set');
    }
    await act('leds', { effect: 'breathe', color: '#ff0000', speed: 0.2, seconds: 60 });
    assert.deepEqual(robot.leds.effect, { name: 'breathe', color: red, palette: null, speed: 0.2, seconds: 60 });
    await act('leds', { effect: 'chase', seconds: 0.05 });
    await robot.until((r) => r.leds.effect === null && r.leds.pixels[0] === red);
    await act('leds', { effect: 'blink', speed: 5 });
    await act('leds', { off: true });
    assert.deepEqual(robot.leds, { pixels: black, effect: null });
    assert.deepEqual(robot.violations, []);
  });

  it('every other action succeeds while an LED effect and a sound run', async () => {
    const { robot, act } = await setUp();
    await act('leds', { effect: 'rainbow' });
    await act('sound', { notes: 'C4:20000', volume: 1 });
    await act('move', { gesture: 'nod' });
    await act('face', { emotion: 'happy' });
    await act('show', { text: 'x' });
    assert.equal(robot.leds.effect?.name, 'rainbow');
    assert.ok(robot.playing !== null);
    assert.deepEqual(robot.violations, []);
  });

  it("command passes each of the robot's own commands to the robot and returns its result", async () => {
    const { id, robot, api, act } = await setUp();
    assert.deepEqual(await act('command', { command: 'brightness', args: { pct: 35 } }), { ok: true, result: {} });
    await act('command', { command: 'screen', args: { on: false } });
    await act('command', { command: 'power_led', args: { on: false } });
    assert.deepEqual((await act('command', { command: 'ir_send', args: { address: 4, command: 8 } })).result, { sent: true });
    const { brightness, screenOn, powerLed, irSent } = robot.own;
    assert.deepEqual(
      { brightness, screenOn, powerLed, irSent },
      { brightness: 35, screenOn: false, powerLed: false, irSent: [{ address: 4, command: 8 }] },
    );
    assert.equal((await api.act(id, 'command', { command: 'brightness' })).status, 400, 'args are {} when left out, and pct is required');
  });

  it('command sticker sends a picture scaled to the limits of the robot, with its transparency kept', async () => {
    const { robot, act } = await setUp();
    const image = picture(400, 200, (context) => {
      context.fillStyle = '#ff0000';
      context.fillRect(0, 0, 200, 200);
    });
    await act('command', { command: 'sticker', args: { id: 's', image, x: 10, y: 20, tappable: true } });
    const sticker = robot.own.stickers.get('s')!;
    assert.deepEqual([sticker.x, sticker.y, sticker.w, sticker.h, sticker.tappable], [10, 20, 96, 48, true]);
    const pixels = await Pixels.of(sticker.picture);
    assert.ok(pixels.is(20, 24, '#ff0000') && pixels.alphaAt(20, 24) === 255 && pixels.alphaAt(80, 24) === 0);

    await act('command', { command: 'sticker', args: { id: 'small', image: halves(20, 30, '#00ff00', '#00ff00'), x: 0, y: 0 } });
    assert.deepEqual([robot.own.stickers.get('small')?.w, robot.own.stickers.get('small')?.h], [20, 30], 'a small one is not blown up');
    await act('command', { command: 'sticker', args: { id: 's', x: 50 } });
    assert.equal(robot.own.stickers.get('s')?.x, 50);
    assert.deepEqual((await act('command', { command: 'sticker', args: { id: 's', remove: true } })).result, { removed: true });
    assert.deepEqual(robot.violations, []);
  });

  it('system commands of the robot are rejected, however they are declared, and never reach the robot', async () => {
    const { id, robot, api } = await setUp();
    const before = robot.commands.length;
    const refused = [...defaultCommands.filter(({ name }) => /_stream$|^restart$|^app_|^wifi_|^settings_/.test(name)).map(({ name }) => name)];
    assert.equal(refused.length, 6);
    for (const command of [
      ...refused,
      'app_list',
      'power_off',
      'factory_reset',
      'firmware_update',
      'server_url',
      'pair_again',
      'Camera_Stream',
      ' restart',
    ]) {
      const { status, body } = await api.act(id, 'command', { command });
      assert.deepEqual([status, body.code, body.field], [400, 'command_not_passed_on', 'command'], command);
    }
    const { status, body } = await api.act(id, 'command', { command: 'dance' });
    assert.deepEqual([status, body.code], [501, 'not_offered']);
    assert.equal(robot.commands.length, before);
  });

  it('a refusal of the robot keeps its meaning: 400 for bad arguments, 503 for busy or broken parts, 501 for unknown commands', async () => {
    const { id, robot, api } = await setUp();
    for (const [nack, status, code] of [
      ['bad_args', 400, 'bad_argument'],
      ['card_showing', 400, 'card_showing'],
      ['unknown', 501, 'not_offered'],
      ['busy', 503, 'robot_busy'],
      ['hardware', 503, 'robot_hardware'],
    ] as const) {
      robot.faults.nack(nack);
      const { status: answered, body } = await api.act(id, 'move', { yaw: 1 });
      assert.deepEqual([answered, body.code], [status, code], nack);
    }
    robot.faults.none();
    assert.equal((await api.act(id, 'move', { yaw: 1 })).status, 200);
  });
});

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
