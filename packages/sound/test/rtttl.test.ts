import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { asNotes, NotesError, notesDurationMs, parseNotes } from '../src/index.js';

function refusalOf(text: string): NotesError {
  try {
    asNotes(text);
  } catch (error) {
    assert.ok(error instanceof NotesError);
    return error;
  }
  throw new Error(`accepted: ${text.slice(0, 40)}`);
}

/** One row for each way of writing that a player or a specification has; rtttl.ts names them. At b=60 a quarter note takes a second. */
const read: readonly (readonly [what: string, tune: string, notes: string])[] = [
  ['the example of the first specification', 'x:d=4,o=5,b=60:8c,d#6,2p', 'C5:500 D#6:1000 -:2000'],
  ['a dot after the note, before the octave', 'x:d=4,o=5,b=60:c.6,8c#.6', 'C6:1500 C#6:750'],
  ['a dot after the octave', 'x:d=4,o=5,b=60:c6.,8c#6.', 'C6:1500 C#6:750'],
  ['a dot after the duration', 'x:d=4,o=5,b=60:2.b4', 'B4:3000'],
  ['two dots', 'x:d=4,o=5,b=60:c6..,2c..', 'C6:1750 C5:3500'],
  ['a dotted rest', 'x:d=4,o=5,b=60:p.,8p.', '-:1500 -:750'],
  ['a rest with an octave', 'x:d=4,o=5,b=60:16p5', '-:250'],
  ['_ for #', 'x:d=4,o=5,b=60:c_,f_6,g_.', 'C#5:1000 F#6:1000 G#5:1500'],
  ['# before the letter and after the octave', 'x:d=4,o=5,b=60:8#a4,2d6#.', 'A#4:500 D#6:3000'],
  ['h for b', 'x:d=4,o=5,b=60:h,h4,b', 'B5:1000 B4:1000 B5:1000'],
  ['e# and b#', 'x:d=4,o=5,b=60:e#,b#', 'E#5:1000 B#5:1000'],
  ['upper case', 'X:D=4,O=5,B=60:8C,D#6,2P', 'C5:500 D#6:1000 -:2000'],
  ['white space and line breaks', ' My tune : d = 4 , o=5,\n b=60 :\r\n 8 c , d # 6,\t2p ', 'C5:500 D#6:1000 -:2000'],
  ['no settings: d=4, o=6, b=63', 'x::c,8d', 'C6:952 D6:477'],
  ['some settings, in any order', 'x:b=60,d=8:c', 'C6:500'],
  ['a setting that is given twice', 'x:o=5,d=8,b=100,b=60:c', 'C5:500'],
  ['settings of RTX, which mean nothing here', 'x:d=4,o=5,b=60,s=L,l=15,v=8:c', 'C5:1000'],
  ['settings between notes', 'x:d=4,o=5,b=60:c,d=8,o=4,c,b=120,c', 'C5:1000 C4:500 C4:250'],
  ['no name', 'd=4,o=5,b=60:c,8d', 'C5:1000 D5:500'],
  ['an empty name', ':d=4,o=5,b=60:c', 'C5:1000'],
  ['a comma at the end, and two in a row', 'x:d=4,o=5,b=60:c,,8d,', 'C5:1000 D5:500'],
  ['lengths that are no power of two', 'x:d=12,o=5,b=60:c,c,c,3d', 'C5:333 C5:334 C5:333 D5:1333'],
];

describe('RTTTL', () => {
  for (const [what, tune, notes] of read)
    it(`reads ${what}`, () => {
      assert.equal(asNotes(tune), notes);
      parseNotes(asNotes(tune));
    });

  it('plays octave 4 with A at 440 Hz, as the players named in rtttl.ts', () => {
    assert.deepEqual(parseNotes(asNotes('x:d=4,o=4,b=60:a')), [{ semitone: 69, ms: 1000 }]);
  });

  it('leaves every other text as it is', () => {
    const entries = fc.array(fc.constantFrom('C4:200', '-:1', 'Bb3:9', 'H4:2', 'C4', 'C4:1:1', ':5'), { minLength: 1 }).map((each) => each.join(' '));
    fc.assert(fc.property(entries, (text) => assert.equal(asNotes(text), text)));
  });

  it('keeps the tempo: the notes of a tune last as long together as their fractions of a beat, to 1 ms', () => {
    const entry = fc.record({ d: fc.constantFrom(1, 2, 4, 8, 16, 32), dots: fc.constantFrom('', '.'), note: fc.constantFrom('c', 'f#', 'p') });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 30 }), fc.integer({ min: 450, max: 900 }), (entries, b) => {
        const tune = `x:d=4,o=5,b=${b}:${entries.map(({ d, note, dots }) => `${d}${note}${dots}`).join(',')}`;
        const exact = entries.reduce((sum, { d, dots }) => sum + ((240_000 / b / d) * (dots === '' ? 2 : 3)) / 2, 0);
        assert.ok(Math.abs(notesDurationMs(parseNotes(asNotes(tune))) - exact) <= 1);
      }),
    );
  });

  it('refuses a tune of more than 30 s with its length and the entry at 30 s, and plays one of 30 s', () => {
    assert.equal(notesDurationMs(parseNotes(asNotes(`x:d=4,o=5,b=60:${'c,'.repeat(30)}`))), 30_000);
    const { message, index } = refusalOf(`x:d=4,o=5,b=60:${'c,'.repeat(41)}8c`);
    assert.equal(index, 30);
    assert.equal(message, 'notes[30]: the tune exceeds 30 s here; it takes 41.5 s and may take at most 30 s');
  });

  for (const [tune, message] of [
    ['x:d=4,o=5,b=60:c,k,d', /^notes\[1\]: "k" is not a note of a tune/],
    ['x:d=4,o=5,b=60:c9', /^notes\[0\]: "c9" is not a note of a tune/],
    ['x:d=4,o=5,b=60:c d e', /^notes\[0\]: "cde" is not a note of a tune/],
    ['x:d=4,o=5,b=60:200c', /^notes\[0\]: "200c" is 1\/200 of a note/],
    ['x:d=4,o=5,b=60:0c', /^notes\[0\]: "0c" is 1\/0 of a note/],
    ['x:d=0,o=5,b=60:c', /^notes: "d=0" is not a whole number from 1 to 128/],
    ['x:d=4,o=9,b=60:c', /^notes: "o=9" is not a whole number from 0 to 8/],
    ['x:d=4,o=5,b=0:c', /^notes: "b=0" is not a whole number from 10 to 2000/],
    ['x:d=4,o=5,b=60:c,b=1', /^notes\[1\]: "b=1" is not a whole number/],
    ['x:d=4,o=5,b=60;l=1:c', /^notes: "b=60;l=1" is not a setting of a tune/],
    ['x:d=4,o=5,b=60:', /^notes: at least one note of the tune/],
    ['x:d=4,o=5,b=60:,,', /^notes: at least one note of the tune/],
    ['a:d=4,o=5,b=60:c\nb:d=4,o=5,b=60:c', /^notes\[0\]: "cb:d=4" is not a setting/],
  ] as const)
    it(`refuses ${JSON.stringify(tune)}`, () => assert.match(refusalOf(tune).message, message));

  it('refuses or reads any text of 2 MB within 2 s, and quotes only a little of it', () => {
    const head = 'x:d=4,o=5,b=60:';
    for (const body of [
      'c,'.repeat(1e6),
      ','.repeat(2e6),
      'c'.repeat(2e6),
      '='.repeat(2e6),
      '💥'.repeat(5e5),
      'd=4,'.repeat(5e5),
      ' '.repeat(2e6),
      ':'.repeat(2e6),
    ])
      for (const text of [head + body, body, `:${body}`]) {
        const before = process.cpuUsage();
        let message = '';
        try {
          asNotes(text);
        } catch (error) {
          ({ message } = error as Error);
        }
        const { user, system } = process.cpuUsage(before);
        assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms for ${text.slice(0, 20)}`);
        assert.ok(message.length < 150);
        assert.equal(Buffer.from(message).toString(), message, 'half a character');
      }
  });
});
