import assert from 'node:assert/strict';
import { asNotes, notesDurationMs, NotesError, parseNotes } from '@perch/sound';
import fc from 'fast-check';
import { cutMelody } from '../src/index.js';

const noteEntry = fc
  .constantFrom('C4:2000', '-:700', 'Bb3:3', 'A4:12000', 'F#5:29999')
  .chain((entry) => fc.constantFrom(' ', '\n  ').map((space) => entry + space));
const tuneEntry = fc.constantFrom('c', '8c#6.', '2.d', ' 16p', '1f..', 'd=2', 'b=43', 'b=900', '', '4h6');

function exceeds(notes: string): boolean {
  try {
    parseNotes(asNotes(notes));
    return false;
  } catch (error) {
    assert.ok(error instanceof NotesError);
    return true;
  }
}

describe('cutMelody', () => {
  it('returns what the service plays, and with one entry more it would not', () => {
    const melody = fc.array(noteEntry, { minLength: 1, maxLength: 60 }).map((entries) => ({ head: '', entries, comma: '' }));
    const head = fc.constantFrom('x:d=4,o=5,b=60:', 'd=8,o=5,b=45:', 'My tune : b = 77 , D = 2 :', 'x::');
    const tune = fc
      .tuple(head, fc.array(tuneEntry, { minLength: 1, maxLength: 60 }))
      .map(([each, entries]) => ({ head: each, entries: ['c', ...entries], comma: ',' }));
    let cut = 0;
    fc.assert(
      fc.property(fc.oneof(melody, tune), ({ head: start, entries, comma }) => {
        const whole = start + entries.join(comma);
        const kept = cutMelody(whole);
        if (!exceeds(whole)) return assert.equal(kept, whole);
        cut += 1;
        assert.ok(whole.startsWith(kept));
        const count = entries.findIndex((_, at) => (start + entries.slice(0, at).join(comma)).trimEnd() === kept);
        assert.ok(count >= 0, kept);
        assert.ok(count === 0 || !exceeds(kept), kept);
        assert.ok(exceeds(start + entries.slice(0, count + 1).join(comma)), kept);
      }),
      { numRuns: 500 },
    );
    assert.ok(cut > 50, `${cut} melodies were cut`);
  });

  it('cuts a melody to any length', () => {
    assert.equal(cutMelody('C4:200 E4:200 -:100 G4:400', 0.5), 'C4:200 E4:200 -:100');
    assert.equal(cutMelody('x:d=4,o=5,b=60:c,8d,8e,f', 2), 'x:d=4,o=5,b=60:c,8d,8e');
    assert.equal(notesDurationMs(parseNotes(asNotes(cutMelody('x:d=4,o=5,b=63:c,8d,8e,f', 2)))), 1905);
  });

  it('leaves a text with wrong notes to the service', () => {
    for (const text of ['', 'C4', 'x:d=4,o=5,b=60:k,q', 'x:d=0,o=5,b=0:c', 'x:y:z']) assert.equal(cutMelody(text), text);
  });
});
