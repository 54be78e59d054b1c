import assert from 'node:assert/strict';
import { limits, type DrawJob } from '@perch/schema';
import { theme, type Scene } from '@perch/screen';
import { useGateway, useOwner, type Answer } from './gateway-under-test.js';

const answers = ['Yes', 'No'];
const pageCount = 3;

/** Number of the page of a question that a job draws; undefined: its question is cut. */
function pageOf(job: DrawJob): number | undefined {
  const box = (job.scene as Scene).boxes.find((each) => each.kind === 'text' && each.name === 'question');
  return box?.kind === 'text' ? box.page : undefined;
}

describe('ask with overflow: "pages"', () => {
  const system = useGateway();
  const owner = useOwner(system);
  /** Differs for each test, so that no picture is found in the cache. */
  let question: string;

  beforeEach(() => {
    question = `A question longer than the screen ${owner.robot}`;
    system.pageOf = (job) => {
      const page = pageOf(job);
      return page === undefined ? undefined : { count: pageCount, ms: 3_000 + page };
    };
    system.notesOf = (job) => (pageOf(job) === undefined ? { truncated: ['question'] } : {});
    system.link.onWait = (record, robot) => void system.link.settle(robot, record, { outcome: 'answered', index: 1, x: 1, y: 1 });
  });

  const ask = (args: object = {}): Promise<Answer> => system.act(owner, 'ask', { question, answers, overflow: 'pages', timeout_s: 20, ...args });
  const drawnPages = (): (number | undefined)[] => system.drawn.map((job) => pageOf(job as unknown as DrawJob));

  it('has the robot-link turn the pages, which have the same answers, and does not say that the question was cut', async () => {
    const { status, body } = await ask();
    assert.deepEqual([status, body.answer, 'truncated' in body], [200, 'No', false]);
    const { number, picture, pages, targets } = system.link.waits[0]!;
    assert.deepEqual(
      pages!.map(({ id, afterMs }) => [id, afterMs]),
      [
        [`w${number}p2`, 3_000],
        [`w${number}p3`, 3_001],
        [`w${number}`, 3_002],
      ],
    );
    assert.deepEqual(pages!.at(-1)!.picture, picture);
    assert.equal(new Set(pages!.map((page) => page.picture.hash)).size, pageCount);
    assert.equal(targets.length, 2);
    assert.deepEqual(drawnPages().toSorted(), [0, 1, 2]);
    const fills = system.drawn.map(({ scene }) => (scene as Scene).boxes.filter(({ kind }) => kind === 'fill'));
    assert.deepEqual(fills[1], fills[0]);
    assert.deepEqual(fills[2], fills[0]);
  });

  it('asks a whole question that its pages show completely, with grey answers on all pages in the first round', async () => {
    const { status, body } = await ask({ whole: true });
    assert.deepEqual([status, body.answer, 'truncated' in body], [200, 'No', false]);
    const { number, picture, pages, greyPages } = system.link.waits[0]!;
    assert.equal(pages?.length, pageCount);
    assert.deepEqual(
      greyPages!.map(({ id, afterMs }) => [id, afterMs]),
      [
        [`w${number}g1`, 0],
        [`w${number}g2`, 3_000],
        [`w${number}g3`, 3_001],
      ],
    );
    const greyOf = ({ scene }: { scene: unknown }): number =>
      (scene as Scene).boxes.filter((box) => box.kind === 'fill' && box.color === theme.grey).length;
    assert.deepEqual(
      system.drawn.map((job) => [pageOf(job as unknown as DrawJob), greyOf(job)]).toSorted(([a, b], [c, d]) => a! - c! || b! - d!),
      [
        [0, 0],
        [0, 2],
        [1, 0],
        [1, 2],
        [2, 0],
        [2, 2],
      ],
    );
    assert.equal(new Set([picture!, ...[...pages!, ...greyPages!].map((page) => page.picture)].map(({ hash }) => hash)).size, 2 * pageCount);
  });

  it('refuses a whole question if renderers disagree about its grey pages', async () => {
    const renderer = system.pageOf;
    system.pageOf = (job) => {
      const isGrey = (job.scene as Scene).boxes.some((box) => box.kind === 'fill' && box.color === theme.grey);
      return isGrey ? { count: pageCount + 1, ms: 3_000 } : renderer(job);
    };
    const { status, body } = await ask({ whole: true });
    assert.deepEqual([status, body.code, system.link.waits.length], [503, 'render_failed', 0]);
  });

  it('refuses a whole question that all pages together cut, and one with an answer that is cut', async () => {
    for (const field of ['question', 'answers[1]']) {
      system.notesOf = () => ({ truncated: [field] });
      question += '.';
      const { status, body } = await ask({ whole: true });
      assert.deepEqual([status, body.code, body.field], [400, 'not_whole', field]);
      assert.deepEqual((await ask()).body.truncated, [field]);
    }
    assert.equal(system.link.waits.length, 2);
  });

  it('names the pages in the refusal of a whole question that was not to be shown on pages', async () => {
    assert.match((await ask({ whole: true, overflow: 'cut' })).body.error, /pages/);
    system.notesOf = () => ({ truncated: ['question'] });
    assert.doesNotMatch((await ask({ whole: true })).body.error, /pages/);
  });

  it('shows a whole question that fits without pages, first with grey answers', async () => {
    system.pageOf = () => ({ count: 1, ms: 3_000 });
    assert.equal((await ask({ whole: true })).body.answer, 'No');
    const { number, picture, pages, greyPages } = system.link.waits[0]!;
    assert.equal(pages, undefined);
    assert.deepEqual(
      greyPages!.map(({ id, afterMs }) => [id, afterMs]),
      [[`w${number}g1`, 0]],
    );
    assert.notEqual(greyPages![0]!.picture.hash, picture!.hash);
    assert.deepEqual(drawnPages(), [0, 0]);
  });

  it('cuts the question if renderers disagree about its pages, and refuses it if it must be whole', async () => {
    const renderer = system.pageOf;
    system.pageOf = (job) => (pageOf(job) === 1 ? undefined : renderer(job));
    assert.deepEqual((await ask()).body.truncated, ['question']);
    assert.equal(system.link.waits[0]!.pages, undefined);
    const { status, body } = await ask({ whole: true });
    assert.deepEqual([status, body.code], [400, 'not_whole']);
  });

  it('refuses a whole question of which a renderer of 0.10 drew some pages, whose lines end elsewhere', async () => {
    const renderer = system.pageOf;
    const isGrey = (job: DrawJob): boolean => (job.scene as Scene).boxes.some((box) => box.kind === 'fill' && box.color === theme.grey);
    for (const [isOld, code] of [
      [(job: DrawJob) => pageOf(job) === 1, 'not_whole'],
      [isGrey, 'render_failed'],
    ] as const) {
      question += '.';
      system.pageOf = (job) => {
        const page = renderer(job);
        return page === undefined || isOld(job) ? page : { ...page, exact: true };
      };
      assert.equal((await ask({ whole: true })).body.code, code);
    }
    question += '.';
    system.pageOf = renderer;
    assert.equal((await ask({ whole: true })).body.answer, 'No');
  });

  it('says that the question was cut if its pages stopped turning before each had shown', async () => {
    for (const outcome of [{ outcome: 'answered', index: 0, x: 1, y: 1 }, { outcome: 'timed_out' }] as const) {
      system.link.onWait = (record, robot) => void system.link.settle(robot, record, { ...outcome, pagesUnseen: true });
      const { status, body } = await ask({ whole: true });
      assert.deepEqual([status, body.outcome, body.truncated], [200, outcome.outcome, ['question']]);
      assert.ok(!JSON.stringify(body).includes('nseen'));
    }
  });

  it('refuses a whole question that leaves less than 10 s for its last page, and says of another that it is cut if the last one does not show', async () => {
    const beforeLast = 3_000 + 3_001;
    const refused = await ask({ whole: true, timeout_s: (beforeLast + 9_999) / 1000 });
    assert.deepEqual([refused.status, refused.body.code, refused.body.field], [400, 'not_whole', 'question']);
    assert.match(refused.body.error, /last of its 3 pages comes after 6\.001 s, and needs 10 s; send a timeout_s of 17 or more/);
    assert.equal(system.link.waits.length, 0);
    assert.equal('truncated' in (await ask({ whole: true, timeout_s: (beforeLast + 10_000) / 1000 })).body, false);
    assert.equal('truncated' in (await ask({ timeout_s: 6.002 })).body, false);
    assert.deepEqual((await ask({ timeout_s: 6.001 })).body.truncated, ['question']);
    assert.equal(system.link.waits.length, 3);
  });

  it('waits for 30 s from the last page on without timeout_s, and for 120 s at most', async () => {
    const renderer = system.pageOf;
    const timeOf = async (args: object): Promise<number | undefined> => {
      question += '.';
      const { status, body } = await ask({ timeout_s: undefined, ...args });
      assert.equal(status, 200, JSON.stringify(body));
      return system.link.waits.at(-1)!.timeoutMs;
    };
    assert.deepEqual([await timeOf({ whole: true }), await timeOf({}), await timeOf({ whole: true, timeout_s: 17 })], [36_001, 30_000, 17_000]);
    system.pageOf = (job) => renderer(job) && { count: limits.show.pagesMax, ms: 12_000 };
    assert.equal(await timeOf({ whole: true }), 120_000);
    system.pageOf = (job) => renderer(job) && { count: 1, ms: 3_000 };
    assert.equal(await timeOf({ whole: true }), 30_000);
  });

  it('refuses a whole question whose last page takes longer than its time', async () => {
    const renderer = system.pageOf;
    system.pageOf = (job) => (pageOf(job) === 2 ? { count: pageCount, ms: 12_000 } : renderer(job));
    assert.match((await ask({ whole: true, timeout_s: 18 })).body.error, /needs 12 s; send a timeout_s of 19 or more/);
    assert.equal((await ask({ whole: true, timeout_s: 19 })).status, 200);
  });

  it('previews the first page', async () => {
    const { status, body } = await system.ask('POST', `/v1/robots/${owner.robot}/preview/ask`, {
      apiKey: owner.apiKey,
      body: { question, answers, overflow: 'pages' },
      headers: { accept: 'application/json' },
    });
    assert.deepEqual([status, body.ok, 'truncated' in body], [200, true, false]);
    assert.ok(drawnPages().includes(0));
  });

  it('previews the first page of a whole question as the person sees it first, with grey answers', async () => {
    const preview = async (args: object): Promise<string> => {
      const { body } = await system.ask('POST', `/v1/robots/${owner.robot}/preview/ask`, {
        apiKey: owner.apiKey,
        body: { question, answers, overflow: 'pages', timeout_s: 20, ...args },
        headers: { accept: 'application/json' },
      });
      return body.image as string;
    };
    const live = await preview({});
    assert.notEqual(await preview({ whole: true }), live);
  });
});
