import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cardScene } from '@perch/screen';
import emoji from 'emoji.json' with { type: 'json' };
import { RenderPool } from '../src/render-pool.js';
import { allFaces } from '../src/text/faces.js';
import { hanOrder } from '../src/text/glyph-runs.js';
import { drawJob } from './jobs.js';

function textOfAllSlices(lang: string): string {
  const group = hanOrder('', lang)[0];
  return String.fromCodePoint(...allFaces().flatMap(({ face, code }) => (face.group === group ? [code] : [])));
}

/** Returns a character of each font that is not for Han characters, and every tenth emoji. */
function textOfOtherFonts(): string {
  const others = allFaces().flatMap(({ face, code }) => (['sc', 'tc', 'jp', 'kr'].includes(face.group) ? [] : [String.fromCodePoint(code)]));
  return others.join('') + emoji.flatMap(({ char }, i) => (i % 10 === 0 ? [char] : [])).join('');
}

/** Returns the resident memory of a process; 0 where the system does not tell it. */
function rssMbOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

describe('the memory that fonts take', () => {
  it('replaces a process whose fonts take too much memory, and answers the job that is waiting', async () => {
    const han = (['zh', 'zh-Hant', 'ja', 'ko'] as const).map((lang): [string, string] => [lang, textOfAllSlices(lang)]);
    const texts: [string, string][] = [['en', textOfOtherFonts()], ...han];
    const lost: Error[] = [];
    const full = new RenderPool({ processes: 1, jobMsMax: 30_000, rssMbMax: 200, onError: (error) => lost.push(error) });
    await full.start();
    const [pid] = full.pids;
    for (const [lang, text] of texts) {
      const characters = [...text];
      for (let i = 0; i < characters.length; i += 12) {
        const text = characters.slice(i, i + 12).join('');
        const made = await full.render(drawJob(cardScene({ text, title: text, lang, mono: lang === 'en' })));
        assert.equal(made.kind, 'picture');
        for (const running of full.pids) assert.ok(rssMbOf(running) <= 300, `${rssMbOf(running)} MB`);
      }
    }
    assert.notDeepEqual(full.pids, [pid]);
    assert.deepEqual(lost, []);
    await full.close();
  });
});
