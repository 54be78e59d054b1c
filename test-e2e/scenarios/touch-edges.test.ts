/**
 * One rule for edges wherever a touch is matched: a rectangle begins at x and y, and ends before x + w and y + h. The page
 * and the service find the pixel of a touch by the same function.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { hitTest, pixelAt } from '@perch/screen';
import { runWasmProgram, wasmRobotFolder } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';

const left = { id: 'left', x: 100, y: 60, w: 40, h: 20 };
const right = { id: 'right', x: 140, y: 60, w: 40, h: 20 };
const stickers = [left, right].map((each) => ({ ...each, tappable: true }));

/** Each edge, the pixel before it, and fractions, which touch panels report. */
const expected: [x: number, y: number, id: string | null][] = [
  [100, 60, 'left'],
  [99, 60, null],
  [99.9, 60, null],
  [100, 59, null],
  [139, 79, 'left'],
  [139.9, 79.9, 'left'],
  [140, 70, 'right'],
  [179, 79, 'right'],
  [179.9, 70, 'right'],
  [180, 70, null],
  [110, 80, null],
  [150, 80, null],
];

describe('edges of what can be touched', () => {
  it('has the same target at an edge in the service and on the page, at the virtual robot and at the robot program', async () => {
    const targets = [left, right].map(({ x, y, w, h }) => ({ shape: 'rect', x, y, w, h }) as const);
    const service = expected.map(([x, y]) => stickers[hitTest(targets, pixelAt(x, 320), pixelAt(y, 240))]?.id ?? null);
    const robot = new VirtualRobot({ url: 'ws://127.0.0.1:1/robot/v1/link', token: 'none' });
    for (const sticker of stickers) robot.own.stickers.set(sticker.id, { ...sticker, picture: null });
    const virtual: (string | null)[] = [];
    robot.on('input', ({ kind, sprite }) => {
      if (kind === 'touch_up') virtual.push((sprite as string | undefined) ?? null);
    });
    for (const [x, y] of expected) {
      robot.touchDown(x, y);
      robot.touchUp(x, y, 90);
    }
    const program = fileURLToPath(new URL('../programs/stickers/at_points.py', import.meta.url));
    const folder = fileURLToPath(new URL('../../robots/micropython', import.meta.url));
    const points = JSON.stringify({ stickers, points: expected.map(([x, y]) => [x, y]) });
    const printed = await runWasmProgram(program, { robot: folder, args: [wasmRobotFolder, points] });
    const ids = expected.map(([, , id]) => id);
    assert.deepEqual({ service, virtual, program: JSON.parse(printed) }, { service: ids, virtual: ids, program: ids });
  });
});
