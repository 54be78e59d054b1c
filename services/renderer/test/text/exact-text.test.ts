/**
 * Exact texts (`whole`): two texts that differ are drawn differently, wherever their lines and pages end. The lines are read as a person reads them, and
 * the pictures are compared pixel by pixel.
 */
import '../no-host-fonts.js';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { exactText, invisibleIn, questionScene, whiteSpaceSigns, type QuestionArgs, type TextBox } from '@perch/screen';
import fc from 'fast-check';
import { DrawnNotes } from '../../src/drawn-notes.js';
import { drawScene } from '../../src/draw-scene.js';
import { fitPage, fitText, type FittedLine, type FittedPage } from '../../src/text/fit-text.js';

const asked = (question: string, more: Partial<QuestionArgs> = {}): QuestionArgs => ({ question, answers: ['Allow', 'Deny'], whole: true, ...more });
const textOf = (args: QuestionArgs): TextBox => questionScene(args).scene.boxes.find((box) => box.kind === 'text')!;

const measure = (text: string): number => text.length * 0.6;

/** Returns all pages of a question that `whole` accepts, or null. */
function fittedPages(box: TextBox): FittedPage[] | null {
  const first = fitPage({ ...box, page: 0 }, 0, measure);
  if (first.fitted.cut) return null;
  return [first, ...Array.from({ length: first.count - 1 }, (_, i) => fitPage({ ...box, page: i + 1 }, i + 1, measure))];
}

const signs = new Map<string, string>(
  Object.entries({ space: ' ', tab: '\t', noBreakSpace: '\u00a0', narrowNoBreakSpace: '\u202f', ideographicSpace: '\u3000' }).map(([name, space]) => [
    whiteSpaceSigns[name as keyof typeof whiteSpaceSigns],
    space,
  ]),
);

/** Returns the only text that a person reads from the lines of all pages and their signs. */
function read(pages: readonly FittedPage[]): string {
  for (const { fitted, all } of pages)
    assert.ok(fitted.signs || (!fitted.lines.some(({ withinWord }) => withinWord) && all.every(({ paragraph }) => paragraph === 0)));
  const lines = pages.flatMap(({ fitted, all, from }) =>
    fitted.lines.map((line, i): FittedLine & { starts: boolean } => ({ ...line, starts: all[from + i - 1]?.paragraph !== line.paragraph })),
  );
  const sent = lines.map(({ text, withinWord, starts }, i) => {
    const continues = i + 1 < lines.length && !lines[i + 1]!.starts;
    assert.ok(continues || withinWord !== true);
    return `${starts && i > 0 ? '\n' : ''}${text}${continues && withinWord !== true ? ' ' : ''}`;
  });
  return [...sent.join('')].map((character) => signs.get(character) ?? character).join('');
}

const spaces = [
  '',
  ' ',
  '  ',
  '\t',
  '\n',
  '\n\n',
  '\n\n\n\n',
  ' \n',
  '\n ',
  '-',
  ' -',
  '- ',
  '\u00a0',
  '\u202f',
  '\u3000',
  '\u00ad',
  '\u2002',
  '\r\n',
];
/**
 * With users' reports of lines whose ends they could not read: a space or none (github/copilot-cli 3964), a hyphen that the text lacks (cockroachdb/docs
 * 2372, chromatic/modern_perl_book 129, lucidhq/developer-documentation 227), a line break or none (p-e-w/finalterm 108, herdrdev/herdr 3460), a
 * no-break space (sublimehq/sublime_text 344), blank lines before what matters (anomalyco/opencode 38526).
 */
const commands = [
  'rm -rf /srv/app/releases/2026-11-30/cache b',
  'curl -fsSL https://example.com/setup.sh?a=1&b=2 | sudo bash',
  'x'.repeat(70),
  `${'sudo env A=1 '.repeat(12)}git push --force origin HEAD:refs/heads/main`,
];

/** Returns the accepted texts with one of the insertions at each of the last 70 positions. */
function variants(command: string, insertions: readonly string[]): string[] {
  const all = Array.from({ length: Math.min(70, command.length) + 1 }, (_, i) => command.length - i).flatMap((at) =>
    insertions.map((insertion) => command.slice(0, at) + insertion + command.slice(at)),
  );
  return [...new Set(all)].filter((text) => invisibleIn(text) === undefined);
}

/** Draws all pages of a question that is accepted, without what their marks say of turning them. */
async function digestsOf(args: QuestionArgs): Promise<string[]> {
  const notes = new DrawnNotes();
  const { scene } = questionScene(args);
  for (const box of scene.boxes) if (box.kind === 'text') delete box.pageTurn;
  const canvas = await drawScene(scene, new Map(), notes);
  const { count = 1 } = notes.page ?? {};
  const others = args.page === 0 ? await Promise.all(Array.from({ length: count - 1 }, (_, i) => digestsOf({ ...args, page: i + 1 }))) : [];
  if (args.whole === true) assert.deepEqual(notes.get(), {}, JSON.stringify(args));
  return [createHash('sha256').update(canvas.data()).digest('hex'), ...others.flat()];
}

describe('exact texts', () => {
  it('are read from their lines and signs as they were sent, with any white space at any position, on one page and on several', () => {
    let pages = 0;
    for (const text of commands.flatMap((command) => variants(command, spaces))) {
      const fitted = fittedPages(textOf(asked(text)))!;
      pages = Math.max(pages, fitted.length);
      assert.equal(read(fitted), text, JSON.stringify(text));
    }
    assert.ok(pages >= 2);
  });

  it('that differ have different pictures, with a space, a tab, a hyphen or the end of a line at any position', async () => {
    const texts = [
      ...variants(commands[0]!, ['', ' ', '  ', '\t', '\n', '-']),
      ...variants(`${'sudo env A=1 '.repeat(11)}rm /srv/a/b`, ['', ' ', '\n']),
    ];
    const drawn = new Map<string, string>();
    let onPages = 0;
    for (const text of texts) {
      const digests = await digestsOf(asked(text, { page: 0 }));
      if (digests.length > 1) onPages++;
      assert.equal(drawn.get(digests.join(' ')), undefined, JSON.stringify(text));
      drawn.set(digests.join(' '), text);
    }
    assert.ok(onPages > 100);
  });

  it('are kept out of the column of the signs that begin lines, and have no letter in the colour of the signs', async () => {
    const isSign = (r: number, b: number): boolean => r > 200 && b < 120;
    const pixels = async (args: QuestionArgs, w: number): Promise<[r: number, b: number][]> => {
      const { data } = (await drawScene(questionScene(args).scene, new Map())).getContext('2d').getImageData(0, 0, w, 128);
      return Array.from({ length: data.length / 4 }, (_, i) => [data[4 * i]!, data[4 * i + 2]!]);
    };
    for (const text of ['WWWW👍🏽\n'.repeat(3), `j${'W'.repeat(80)}\n⤵👍🏽`, '\u0301jj\n•'.repeat(2)]) {
      const column = await pixels(asked(text, { page: 0 }), 16);
      assert.ok(
        column.some(([r, b]) => isSign(r, b)),
        text,
      );
      // The sign and the background have the same blue.
      assert.ok(
        column.every(([, b]) => Math.abs(b - 0x3d) < 3),
        text,
      );
    }
    for (const text of ['rm⤵ /a • · → ▸ ° b', 'x'.repeat(20)])
      assert.ok(
        (await pixels(asked(text), 320)).every(([r, b]) => !isSign(r, b)),
        text,
      );
    assert.ok((await pixels(asked('x'.repeat(50)), 320)).some(([r, b]) => isSign(r, b)));
  });

  it('look as other texts where they are one line or end lines at spaces alone', async () => {
    for (const text of ['Deploy the web app to production now?', 'git push --force origin main', 'word '.repeat(70).trim()]) {
      const args = { question: text, answers: ['Allow', 'Deny'], page: 0 };
      const [exact, other] = await Promise.all([digestsOf({ ...args, whole: true }), digestsOf(args)]);
      assert.deepEqual(exact, other, text);
    }
  });

  it('are read so from any words, in any box, and in the answers too', () => {
    const units = ['a', 'rm', '/', '-', ' ', '  ', '\t', '\n', '日本', '。', '👍🏽', 'é', 'w'.repeat(25), '\u00a0', '\u3000', '=', '"', ','];
    const unit = fc.constantFrom(...units);
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.integer({ min: 60, max: 300 }), fc.integer({ min: 26, max: 200 }), (text, w, h) => {
        const box: TextBox = { ...textOf(asked('a')), text: exactText(text), w, h };
        const fitted = fittedPages(box);
        if (box.text !== '' && fitted !== null) assert.equal(read(fitted), text);
        const alone = fitText(box, measure);
        if (box.text !== '' && !alone.cut) assert.equal(read([{ fitted: alone, all: alone.lines, from: 0, count: 1 }]), text);
      }),
      { numRuns: 1000 },
    );
  });
});
