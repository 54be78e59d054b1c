/** What the robot program in MicroPython draws by itself: its face beside the page's, bubbles, notices, and the code by which it pairs. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { MicropythonRobot, ownScreen, type Micropython, type MicropythonRobotOptions } from '@perch/micropython-robot';
import { emotions, faceColors, facePlace, faceShapes, livePose, newFaceLife, poseShapes, timings, type FaceShape } from '@perch/screen/own-screen';
import { needsMicropython } from '@perch/testkit';
import { createCanvas, Path2D } from 'canvas';
import jsqr from 'jsqr';
import { WebSocketServer } from 'ws';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const { w, h } = ownScreen;
type Rgba = Uint8ClampedArray;
// Its types are those of a CommonJS module.
const readQr = jsqr as unknown as typeof jsqr.default;

function frameOf(robot: MicropythonRobot, still = false): Promise<Rgba> {
  const frame = new Promise<Rgba>((resolve) => {
    const off = robot.on('frame', ({ rgba }) => {
      off();
      resolve(rgba);
    });
  });
  robot.askFrame(still);
  return frame;
}

/** The page's drawing of an emotion without movement. */
function pageFace(emotion: string): Rgba {
  return drawn(faceShapes(emotion));
}

/** The page's drawings of a reaction, from when it is complete to when it begins to fade. */
function* pageReactions(kind: 'shaken' | 'lifted'): Generator<Rgba> {
  const { attack, hold } = timings[kind];
  const life = { ...newFaceLife(1, 'neutral' as const), reactions: [{ kind, at: 0, until: 0 }] };
  for (let ms = attack; ms < hold; ms += 50) yield drawn(poseShapes(livePose(life, ms)));
}

function drawn(shapes: readonly FaceShape[]): Rgba {
  const context = createCanvas(w, h).getContext('2d');
  context.fillStyle = faceColors.ground;
  context.fillRect(0, 0, w, h);
  const { x, y, scale } = facePlace(null);
  context.translate(x, y);
  context.scale(scale, scale);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const { path, color, line, opacity = 1 } of shapes) {
    context.globalAlpha = opacity;
    context.fillStyle = faceColors[color];
    context.strokeStyle = faceColors[color];
    context.lineWidth = line ?? 0;
    // oxlint-disable-next-line no-array-fill-with-reference-type
    if (line === undefined) context.fill(new Path2D(path));
    else context.stroke(new Path2D(path));
  }
  return context.getImageData(0, 0, w, h).data;
}

/** Returns the share of pixels that differ clearly: more than edges of another sharpness do in one channel of the three. */
function difference(one: Rgba, other: Rgba): number {
  let differing = 0;
  for (let at = 0; at < one.length; at += 4) {
    const far = [0, 1, 2].some((channel) => Math.abs(one[at + channel]! - other[at + channel]!) > 90);
    if (far) differing += 1;
  }
  return differing / (w * h);
}

function lightShare(rgba: Rgba, fromY: number, toY: number): number {
  let light = 0;
  for (let at = 4 * w * fromY; at < 4 * w * toY; at += 4) if (rgba[at]! > 200 && rgba[at + 1]! > 200) light += 1;
  return light / (w * (toY - fromY));
}

onSingleInstances('the own screen of the robot program in MicroPython', (system) => {
  let micropython: Micropython;
  before(async function () {
    micropython = await needsMicropython(this);
  });

  function robotOf(options: Partial<MicropythonRobotOptions>): MicropythonRobot {
    const robot = new MicropythonRobot({ micropython, url: system().link(), ...options });
    system().keep(robot);
    return robot;
  }

  async function setUp() {
    const tenant = await system().tenant();
    const { robot: id, token } = await system().store.robots.create({ account: tenant.account });
    const robot = robotOf({ token });
    await robot.start();
    const api = await checkedApi(tenant);
    const act = async (action: string, args: object) => assert.equal((await api.act(id, action, args)).status, 200);
    return { robot, act };
  }

  async function eventually(robot: MicropythonRobot, holds: (frame: Rgba) => boolean, what: string): Promise<Rgba> {
    for (let tries = 0; tries < 200; tries += 1) {
      const frame = await frameOf(robot, true);
      if (holds(frame)) return frame;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`never drawn: ${what}`);
  }

  it('draws each emotion as the web page draws it', async () => {
    const { robot, act } = await setUp();
    for (const emotion of emotions) {
      await act('face', { emotion });
      await eventually(robot, (frame) => difference(frame, pageFace(emotion)) < 0.012, `${emotion}, as on the page`);
      const others = emotions.filter((other) => other !== emotion);
      const frame = await frameOf(robot, true);
      for (const other of others) assert.ok(difference(frame, pageFace(other)) > 0.02, `${emotion} is not ${other}`);
    }
    assert.deepEqual(robot.violations, []);
  });

  it('moves the face above a bubble with the text, and back', async () => {
    const { robot, act } = await setUp();
    await eventually(robot, (frame) => lightShare(frame, 200, 240) === 0, 'a face alone');
    await act('say', { text: 'This is a rather long sentence that needs several lines.', seconds: 20 });
    const bubble = await frameOf(robot, true);
    assert.ok(lightShare(bubble, 190, 220) > 0.6, 'a light bubble');
    await act('say', { text: 'Bye', seconds: 0.1 });
    await eventually(robot, (frame) => lightShare(frame, 200, 240) === 0, 'a face alone again');
    assert.deepEqual(robot.violations, []);
  });

  it('lives: it is drawn again and again, and not always the same', async () => {
    const { robot } = await setUp();
    const seen = new Set<string>();
    for (let tries = 0; tries < 400 && seen.size < 5; tries += 1) seen.add(Buffer.from(await frameOf(robot)).toString('base64'));
    assert.ok(seen.size >= 5, `${seen.size} different faces`);
  });

  for (const [kind, what] of [
    ['shaken', 'dizzy after a shake'],
    ['lifted', 'surprised when it is picked up'],
  ] as const) {
    it(`is ${what}, as on the page, and neutral again`, async () => {
      const { robot } = await setUp();
      const page = [...pageReactions(kind)];
      let closest = 1;
      // A reaction lasts for seconds; a busy machine may miss it, then it is repeated.
      for (let tries = 0; tries < 60 && closest > 0.02; tries += 1) {
        if (tries % 20 === 0) robot[kind === 'shaken' ? 'shake' : 'lift']();
        const frame = await frameOf(robot);
        closest = Math.min(closest, ...page.map((face) => difference(frame, face)));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.ok(closest <= 0.02, `the closest frame differs by ${closest}`);
      assert.ok(difference(page[0]!, pageFace('neutral')) > 0.03);
      for (let tries = 0; tries < 400; tries += 1) {
        if (difference(await frameOf(robot), pageFace('neutral')) < 0.02) return assert.deepEqual(robot.violations, []);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('it is never neutral again');
    });
  }

  it('sleeps above a notice while it is not online: no service, no Wi-Fi, an update', async () => {
    const { robot } = await setUp();
    const online = await eventually(robot, (frame) => difference(frame, pageFace('neutral')) < 0.012, 'the face of a robot that is online');
    robot.setCondition('updating', true);
    const updating = await eventually(robot, (frame) => lightShare(frame, 190, 212) > 0.05, 'a notice of the update');
    robot.setCondition('updating', false);
    await eventually(robot, (frame) => difference(frame, online) < 0.001, 'the face again');
    const lost = robotOf({ url: 'ws://127.0.0.1:9/robot/v1/link', token: 'of nobody' });
    lost.boot();
    const looking = await eventually(lost, (frame) => lightShare(frame, 190, 212) > 0.05, 'that it looks for the service');
    lost.setCondition('wifi', false);
    const offline = await eventually(lost, (frame) => difference(frame, looking) > 0.01, 'that there is no Wi-Fi');
    assert.ok(difference(updating, looking) > 0.01 && difference(updating, offline) > 0.01);
  });

  it('says that it needs another program, and no longer dials, where the service has another version of the link', async () => {
    let dials = 0;
    const service = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: () => 'perch-link.v1' });
    system().keep({ stop: async () => service.close() });
    service.on('connection', (socket) => {
      dials += 1;
      socket.on('message', () => socket.close(4010, 'no common version'));
    });
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const looking = robotOf({ url: 'ws://127.0.0.1:9/robot/v1/link', token: 'any' });
    looking.boot();
    const other = await eventually(looking, (frame) => lightShare(frame, 190, 212) > 0.05, 'that it looks for the service');
    const robot = robotOf({ url: `ws://127.0.0.1:${port}/robot/v1/link`, token: 'any', reconnect: { minMs: 20, maxMs: 20 } });
    robot.boot();
    await robot.until(({ lastClosed }) => lastClosed?.final === true, { what: 'the end of the link' });
    await eventually(robot, (frame) => lightShare(frame, 190, 212) > 0.03 && difference(frame, other) > 0.01, 'another notice');
    assert.equal(dials, 1);
  });

  it('shows the code and a QR code that leads to the page where the code is filled in, until it is paired', async () => {
    const tenant = await system().tenant();
    const robot = robotOf({ serial: randomUUID() });
    const shown = new Promise<{ code: string; uri: string }>((resolve) => robot.on('code', resolve));
    robot.boot();
    const { code, uri } = await shown;
    const frame = await frameOf(robot);
    assert.equal(readQr(frame, w, h)?.data, uri);
    assert.ok(uri.includes(code) && uri.startsWith('http'), uri);
    assert.ok(lightShare(frame, 14, 46) > 0.1, 'large letters');
    await system().store.pairing.approve(tenant.account, code);
    await robot.until(({ online }) => online, { what: 'the paired robot' });
    await eventually(robot, (face) => difference(face, pageFace('neutral')) < 0.012, 'the face');
    assert.deepEqual(robot.violations, []);
  });
});
