import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import type { CheckedApi } from '../fixture/interface/published.js';
import { halves, Pixels } from '../fixture/media/pictures.js';
import { nextPicture, question } from '../fixture/robots/question-picture.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const instant = { instant: true };

/** The arguments of questions; `questions.long.test.ts` taps every button and tile. How waits begin, end and replace each other is in waits.test.ts. */
onSingleInstances('questions', (system) => {
  async function setUp() {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    return { tenant, id, robot, api: await checkedApi(tenant) };
  }

  it('clickmap shows its picture first and keeps it, hits every shape as drawn, a rectangle up to its right and bottom edge, and prefers the first of overlapping regions', async () => {
    const { id, robot, api } = await setUp();
    const regions = [
      { id: 'rect', rect: [10, 10, 50, 40] },
      { id: 'circle', circle: [200, 60, 30] },
      {
        id: 'triangle',
        polygon: [
          [100, 200],
          [200, 200],
          [150, 120],
        ],
      },
      { id: 'rect', rect: [0, 0, 120, 120] },
      { id: 'off', rect: [-50.5, 230.25, 400, 400] },
    ];
    const hits: [x: number, y: number, index: number][] = [
      [10, 10, 0],
      [59, 49, 0],
      [60, 49, 3],
      [59, 50, 3],
      [230, 60, 1],
      [200, 30, 1],
      [150, 121, 2],
      [150, 200, 2],
      [319, 239, 4],
      [0, 239, 4],
    ];
    for (const [x, y, index] of hits) {
      const { body } = await tapped(api, id, robot, { regions, image: halves(320, 240, '#ff0000', '#0000ff') }, () => robot.tap(x, y, instant));
      assert.deepEqual([body.region, body.index, body.x, body.y], [regions[index]!.id, index, x, y], `${x},${y}`);
    }
    const picture = await Pixels.of(robot.screen.card);
    assert.ok(picture.is(80, 120, '#ff0000') && picture.is(240, 120, '#0000ff'), 'the picture stays');
    assert.deepEqual(robot.violations, []);
  });

  it('a touch belongs to the target where it began, and only if it ended there or within 12 px', async () => {
    const { id, robot, api } = await setUp();
    const regions = [{ id: 'r', rect: [100, 100, 50, 50] }];
    const slid = (from: [number, number], to: [number, number]) =>
      tapped(api, id, robot, { regions, image: halves(9, 9, '#ff0000', '#ff0000'), timeout_s: 0.3 }, () =>
        robot.slide(from, to, { heldMs: 90, ...instant }),
      );
    const near = await slid([149, 120], [161, 120]);
    assert.deepEqual([near.body.outcome, near.body.x, near.body.y], ['answered', 149, 120]);
    assert.equal((await slid([149, 120], [164, 120])).body.outcome, 'timed_out', 'ended beside it');
    assert.equal((await slid([152, 120], [149, 120])).body.outcome, 'timed_out', 'began beside it');
    await until(async () => (await api.get(`/v1/robots/${id}/events?names=tap`)).body.events.length === 2, { what: 'both as events' });
  });

  it('a question disappears from the screen 2 s after its timeout, which is 30 s by default', async () => {
    const { id, robot, api } = await setUp();
    for (const [args, seconds] of [
      [{}, 30],
      [{ timeout_s: 120 }, 120],
      [{ timeout_s: 0.5 }, 0.5],
    ] as const) {
      const call = api.act(id, 'ask', { question: 'Q', answers: ['a', 'b'], ...args });
      await question(robot);
      const shown = robot.commands.findLast(({ name }) => name === 'screen.show')!;
      const showMs = shown.args['show_ms'] as number;
      assert.ok(showMs <= seconds * 1000 + 2000 && showMs > seconds * 1000 - 1000, `${showMs} ms for ${seconds} s`);
      await robot.tap(60, 170, instant);
      assert.equal((await call).status, 200);
    }
  });
});

async function tapped(api: CheckedApi, id: string, robot: VirtualRobot, args: object, act: () => Promise<void>) {
  const call = api.act(id, 'clickmap', args);
  await nextPicture(robot, 'card');
  await act();
  return call;
}
