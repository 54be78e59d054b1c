/**
 * Characters that draw nothing where they stand, so that a text with them looks like another one: Unicode's default ignorable code points, as UTS #55
 * describes their abuse, and the blank of Braille. They are part of a text where its script or an emoji needs them, and only there.
 */

/** Stands for one or several invisible characters in a drawn text. */
export const invisibleBox = '\u25a1';

/** U+FFFC is in a shipped font, without a shape. */
const noInk = /[\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu;
/** A keycap is drawn the same without its U+FE0F, which emoji have. */
const unseen =
  // eslint-disable-next-line no-control-regex
  /(?<=[0-9#*])\u20e3|[\p{Default_Ignorable_Code_Point}\u2800\ufffc\u0000-\u0008\u000b-\u001f\u007f-\u009f\u1680\u2000-\u200a\u2028\u2029\u205f\ufffe\uffff]/gu;
const rightToLeft = /[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Letters that change their shape, or are kept from it, by a joiner after them (UAX #31, R1a). Not by `scx`, in which a Latin letter's accents belong to
 * Syriac or Thai, too. U+0640 and the vowels of Arabic are of no one script.
 */
const joining =
  /[\u064b-\u0655\u0670\u0640\p{sc=Arab}\p{sc=Syrc}\p{sc=Mand}\p{sc=Nkoo}\p{sc=Mong}\p{sc=Phag}\p{sc=Adlm}\p{sc=Rohg}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Tibt}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Bali}\p{sc=Java}\p{sc=Sund}\p{sc=Cham}\p{sc=Limb}\p{sc=Newa}]/u;
/** Scripts without spaces, whose words are told apart by U+200B. */
const unspaced = /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tale}\p{sc=Talu}\p{sc=Lana}\p{sc=Java}\p{sc=Bali}]/u;
const letterOrMark = /[\p{L}\p{M}]/u;
const mongolian = /\p{sc=Mong}/u;
const emoji = /(?![0-9#*])\p{Emoji}/u;
/** UTS #51; flags of other regions are drawn as the black flag alone. */
const regionFlag =
  /\u{1f3f4}(?:\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073}))\u{e007f}/gu;
const braille = /[\u2800-\u28ff]+/g;
const marks = /[\u061c\u200e\u200f]+/g;
const besideMarks = /[\p{Nd}\p{P}\p{S}]/u;

/**
 * Returns the first character of the text that draws nothing where it stands, or without which it looks the same: also one that `boxed` leaves, a control
 * character, and white space that an exact text does not show (`whiteSpaceSigns`); undefined: there is none.
 */
export function invisibleIn(text: string): string | undefined {
  return invisibles(text, unseen, (at) => at.isIn(qualifiedEmoji(), () => true) || isOfScript(at))[0]?.[0];
}

/**
 * Puts a box in place of each run of characters that draw nothing. It leaves soft hyphens within a word, marks of direction beside numbers and signs, and
 * in a text with letters from right to left all characters for directions.
 */
export function boxed(text: string): string {
  const isMixed = rightToLeft.test(text);
  const found = invisibles(text, noInk, (at) => isOfEmoji(at) || isOfScript(at) || hasEffect(at, isMixed));
  let drawn = '';
  let end = 0;
  for (const { 0: character, index } of found) {
    if (index > end || index === 0) drawn += text.slice(end, index) + invisibleBox;
    end = index + character.length;
  }
  return drawn + text.slice(end);
}

interface Place {
  character: string;
  /** '' at the start and end of the text, and beside a character that draws nothing. */
  before: string;
  after: string;
  /** Returns whether the character is part of a run that fits. Each run is looked at once: a text may be one run of 16,000 characters. */
  isIn: (runs: RegExp, fits: (run: string, before: string, after: string) => boolean) => boolean;
}

function invisibles(text: string, characters: RegExp, isVisible: (at: Place) => boolean): RegExpExecArray[] {
  const indexes = new Map<RegExp, Set<number>>();
  const inRuns = (runs: RegExp, fits: Parameters<Place['isIn']>[1]): Set<number> => {
    const inside = new Set<number>();
    for (const { 0: run, index } of text.matchAll(runs)) {
      const end = index + run.length;
      if (fits(run, codePointBefore(text, index), codePointAt(text, end))) for (let i = index; i < end; i++) inside.add(i);
    }
    indexes.set(runs, inside);
    return inside;
  };
  let last = 0;
  return [...text.matchAll(characters)].filter((match) => {
    const { 0: character, index } = match;
    const end = index + character.length;
    const before = index === last ? '' : codePointBefore(text, index);
    const isIn: Place['isIn'] = (runs, fits) => (indexes.get(runs) ?? inRuns(runs, fits)).has(index);
    if (isVisible({ character, before, after: codePointAt(text, end), isIn })) return false;
    last = end;
    return true;
  });
}

/** Returns whether the character may be part of an emoji, also of one that looks like another one without it. */
function isOfEmoji({ character, before, after, isIn }: Place): boolean {
  if (character === '\u200d') return emoji.test(after) && (before === '\ufe0f' || emoji.test(before));
  if (character === '\ufe0f') return emoji.test(before) || (/[0-9#*]/.test(before) && after === '\u20e3');
  if (character === '\ufe0e') return emoji.test(before);
  return /[\u{e0020}-\u{e007f}]/u.test(character) && isIn(regionFlag, () => true);
}

/** Returns whether the script needs the character. */
function isOfScript({ character, before, after, isIn }: Place): boolean {
  if (character === '\u200c' || character === '\u200d') return letterOrMark.test(before) && joining.test(before);
  if (character === '\u200b') return unspaced.test(before);
  if (/[\u180b-\u180d\u180f]/.test(character)) return mongolian.test(before);
  if (character === '\u180e') return mongolian.test(before) && mongolian.test(after);
  if (/[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u.test(character)) return /\p{Unified_Ideograph}/u.test(before);
  return character === '\u2800' && isIn(braille, (run) => /[^\u2800]/.test(run));
}

let qualified: RegExp | undefined;

/** Emoji with all their joiners and selectors, each of which changes the picture. Made when it is first used: a browser may lack the flag v. */
function qualifiedEmoji(): RegExp {
  return (qualified ??= new RegExp('\\p{RGI_Emoji}', 'gv'));
}

/** UTS #55 keeps marks of direction, which `Intl` writes into numbers and dates of Hebrew, Arabic and Persian. */
function hasEffect({ character, before, after, isIn }: Place, isMixed: boolean): boolean {
  if (character === '\u00ad') return /\p{L}/u.test(before) && /\p{L}/u.test(after);
  if (isMixed && /[\u202a-\u202e\u2066-\u2069]/.test(character)) return true;
  return /[\u061c\u200e\u200f]/.test(character) && (isMixed || isIn(marks, (_, left, right) => besideMarks.test(left) || besideMarks.test(right)));
}

function codePointAt(text: string, index: number): string {
  return index < text.length ? String.fromCodePoint(text.codePointAt(index)!) : '';
}

function codePointBefore(text: string, index: number): string {
  return index === 0 ? '' : text.slice(index - (index > 1 && /[\udc00-\udfff]/.test(text[index - 1]!) ? 2 : 1), index);
}
