/** The rules between arguments that descriptions state but schemas do not. Written from the descriptions, not from the service's code. */
import { pictureVerdict } from './generate/pictures.js';

type Args = Record<string, unknown>;

/** Returns the fields that an error may name ('' means none); empty if no rule is broken. */
export function brokenRules(action: string, args: Args): string[] {
  // `robot` is an argument of the tool, not of its action.
  const own = Object.fromEntries(Object.entries(args).filter(([name]) => name !== 'robot'));
  return rules[action]?.(own) ?? [];
}

const has = (args: Args, ...names: string[]): string[] => names.filter((name) => args[name] !== undefined);

const rules: Record<string, (args: Args) => string[]> = {
  show(args) {
    const sent = Object.keys(args).filter((name) => !(name === 'clear' && args[name] === false));
    if (sent.includes('clear')) return sent.length > 1 ? ['clear'] : [];
    if (sent.length === 0) return [''];
    return sent.length === 1 && sent[0] === 'color' ? ['color'] : [];
  },
  face: (args) => (has(args, 'emotion', 'view').length === 0 ? [''] : []),
  move(args) {
    const angles = has(args, 'yaw', 'pitch');
    if (args['gesture'] === undefined) return angles.length === 0 ? [''] : [];
    return angles.length > 0 ? ['gesture'] : [];
  },
  leds(args) {
    const off = args['off'] === true;
    const modes = has(args, 'bar', 'pixels', 'effect');
    const others = has(args, 'color', 'bar', 'pixels', 'effect', 'seconds');
    const broken = [];
    if (off && others.length > 0) broken.push('off');
    if (args['seconds'] !== undefined && args['effect'] === undefined) broken.push('seconds');
    if (modes.length > 1) broken.push(...modes);
    if (args['color'] !== undefined && (args['pixels'] !== undefined || args['effect'] === 'off')) broken.push('color');
    if (!off && others.length === 0) broken.push('');
    return broken;
  },
  sound(args) {
    const { chime, notes, bell } = args;
    const broken = [];
    if (chime !== undefined && notes !== undefined) broken.push('chime');
    if (bell === true && notes === undefined) broken.push('bell');
    if (typeof notes === 'string' && !playable(notes)) broken.push('notes');
    if (has(args, 'chime', 'notes', 'volume').length === 0) broken.push('');
    return broken;
  },
  menu({ items }) {
    return (items as unknown[]).flatMap((item, i) =>
      typeof item === 'string' || has(item as Args, 'label', 'image').length > 0 ? [] : [`items[${i}]`],
    );
  },
  clickmap({ regions }) {
    return (regions as { rect?: number[]; circle?: number[] }[]).flatMap(({ rect, circle }, i) => [
      ...[2, 3].flatMap((at) => (rect !== undefined && !(rect[at]! > 0) ? [`regions[${i}].rect[${at}]`] : [])),
      ...(circle !== undefined && !(circle[2]! > 0) ? [`regions[${i}].circle[2]`] : []),
    ]);
  },
  scene: ({ actions }) =>
    (actions as Args[]).flatMap(({ action }, i, { length }) =>
      ['ask', 'menu', 'clickmap'].includes(String(action)) && i < length - 1 ? [`actions[${i}].action`] : [],
    ),
};

/** Returns whether notes are playable: letter, accidental, octave and ms, separated by white space; 1..30,000 ms each, 30 s in total. */
function playable(notes: string): boolean {
  const entries = notes.split(/\s+/).filter((entry) => entry !== '');
  const lengths = entries.map((entry) => Number(/^(?:-|[A-G][#b]?[0-8]):(\d{1,12})$/i.exec(entry)?.[1] ?? 0));
  return lengths.length > 0 && lengths.every((ms) => ms >= 1) && lengths.reduce((sum, ms) => sum + ms, 0) <= 30_000;
}

export interface SentPicture {
  field: string;
  verdict: ReturnType<typeof pictureVerdict>;
}

/** Returns the pictures among valid arguments. */
export function picturesIn(action: string, args: Args): SentPicture[] {
  const at = (field: string, value: unknown): SentPicture[] => (value === undefined ? [] : [{ field, verdict: pictureVerdict(value) }]);
  switch (action) {
    case 'show':
    case 'clickmap':
      return at('image', args['image']);
    case 'menu':
      return (args['items'] as unknown[]).flatMap((item, i) => (typeof item === 'string' ? [] : at(`items[${i}].image`, (item as Args)['image'])));
    default:
      return [];
  }
}
