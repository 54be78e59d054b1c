/** Rules between arguments that schemas do not state, written from the descriptions and not from the service's code. */
import { isIcon, withoutTerminalSequences } from '@perch/schema';
import { pictureVerdict } from './generate/pictures.js';

type Args = Record<string, unknown>;

/** '' means no field; empty if no rule is broken. */
export function brokenRules(action: string, args: Args): string[] {
  // `robot` is an argument of the tool, not of its action.
  const own = Object.fromEntries(Object.entries(args).filter(([name]) => name !== 'robot'));
  return rules[action]?.(own) ?? [];
}

const has = (args: Args, ...names: string[]): string[] => names.filter((name) => args[name] !== undefined);

/** Arguments of show that say how something looks, and show nothing alone. */
const styles = ['color', 'lang', 'align', 'format', 'mono', 'overflow'];

/** A picture takes the place of a countdown: then it combines with anything, and is never begun. */
function brokenCountdown({ countdown, sparkline, overflow, image }: Args): string[] {
  const { seconds, until, done } = countdown as { seconds?: number; until?: string; done?: string };
  const broken = blankIn('countdown.done', done);
  if (seconds === undefined && until === undefined) broken.push('countdown');
  if (until !== undefined && (seconds !== undefined || !isTime(until) || (image === undefined && Date.parse(until) > Date.now() + 86_400_000)))
    broken.push('countdown.until');
  if (image !== undefined) return broken;
  return [...broken, ...(sparkline === undefined ? [] : ['countdown']), ...(overflow === 'pages' ? ['overflow'] : [])];
}

function isTime(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$)/.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return date <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const rules: Record<string, (args: Args) => string[]> = {
  show({ queue, priority, expires_s, for_s, ...args }) {
    const queued = brokenQueue({ ...args, queue, priority, expires_s, for_s }, false);
    if (queued.length > 0) return queued;
    const sent = Object.keys(args).filter((name) => !((name === 'clear' || name === 'mono') && args[name] === false));
    if (sent.includes('clear')) return sent.length > 1 ? ['clear'] : [];
    if (sent.length === 0) return [''];
    if (sent.every((name) => styles.includes(name))) return sent;
    const onlySmall = !sent.some((name) => !['title', 'note', ...styles].includes(name));
    const small = ['title', 'note'].filter((name) => sent.includes(name));
    const blank = onlySmall && small.every((name) => isBlank(args[name])) ? small : [];
    const broken = [...blankIn('text', args['text']), ...blank, ...unknownIcon('icon', args['icon'])];
    const { qr, sparkline } = args as { qr?: string; sparkline?: unknown[] };
    if (qr !== undefined && args['image'] === undefined) {
      const beside = has(args, 'title', 'text', 'note', 'icon').length > 0;
      if (has(args, 'sparkline', 'countdown', 'progress').length > 0 || /\p{Surrogate}/u.test(qr) || Buffer.byteLength(qr) > (beside ? 106 : 331))
        broken.push('qr');
    }
    if (args['mono'] === true && args['format'] === 'markdown') broken.push('mono');
    if (args['overflow'] === 'pages' && args['format'] === 'markdown') broken.push('overflow');
    if (sparkline !== undefined && sparkline.every((number) => number === null)) broken.push('sparkline');
    return args['countdown'] === undefined ? broken : [...broken, ...brokenCountdown(args)];
  },
  say: ({ text }) => blankIn('text', text),
  ask(args) {
    const { question, answers, icons = [], deny, whole, timeout_s, detach, queue } = args;
    const [texts, names] = [answers as unknown[], icons as string[]];
    return [
      ...blankIn('question', question),
      ...texts.flatMap((answer, i) => blankIn(`answers[${i}]`, answer)),
      ...(deny === undefined || texts.some((answer, i) => i === deny && (whole !== true || texts.some((other) => other !== answer))) ? [] : ['deny']),
      ...(names.length > texts.length ? ['icons'] : []),
      ...names.flatMap((icon, i) => (icon === '' ? [] : unknownIcon(`icons[${i}]`, icon))),
      ...brokenQueue(args, detach !== true),
      ...brokenDetach({ timeout_s, detach }, 'answers', answers),
      ...(queue === true ? brokenDetach({ detach: true }, 'answers', answers) : []),
    ];
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
    const lit = has(args, 'color', 'bar', 'pixels').length > 0 || (args['effect'] !== undefined && args['effect'] !== 'off');
    const broken = [];
    if (off && (others.length > 0 || args['brightness'] !== undefined)) broken.push('off');
    if (args['brightness'] !== undefined && !lit) broken.push('brightness');
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
  speak: ({ text }) => (typeof text === 'string' && !/[\p{L}\p{N}]/u.test(withoutTerminalSequences(text)) ? ['text'] : []),
  menu({ items, timeout_s, detach }) {
    const choices = (items as (string | Args)[]).map((item) =>
      typeof item === 'string' ? { label: item } : { id: item['id'], label: item['label'] },
    );
    const broken = (items as unknown[]).flatMap((item, i) => {
      if (typeof item === 'string') return blankIn(`items[${i}]`, item);
      const { label, icon } = item as Args;
      const pictures = has(item as Args, 'image', 'icon');
      if (pictures.length === 0 && label === undefined) return [`items[${i}]`];
      const both = pictures.length === 2 ? [`items[${i}].icon`] : [];
      return [...blankIn(`items[${i}].label`, label), ...both, ...unknownIcon(`items[${i}].icon`, icon)];
    });
    return [...broken, ...brokenDetach({ timeout_s, detach }, 'items', choices)];
  },
  clickmap({ regions, timeout_s, detach }) {
    const areas = regions as { id: string; rect?: number[]; circle?: number[] }[];
    const broken = areas.flatMap(({ rect, circle }, i) => [
      ...[2, 3].flatMap((at) => (rect !== undefined && !(rect[at]! > 0) ? [`regions[${i}].rect[${at}]`] : [])),
      ...(circle !== undefined && !(circle[2]! > 0) ? [`regions[${i}].circle[2]`] : []),
    ]);
    const ids = areas.map(({ id }) => ({ id }));
    return [...broken, ...brokenDetach({ timeout_s, detach }, 'regions', ids)];
  },
  scene: ({ actions }) =>
    (actions as Args[]).flatMap(({ action, at_ms: atMs, timeout_s: timeoutS, detach, queue }, i, all) => [
      ...(queue === true ? [`actions[${i}].queue`] : []),
      ...(['ask', 'menu', 'clickmap'].includes(action as string) && i < all.length - 1 ? [`actions[${i}].action`] : []),
      ...(all.slice(0, i).some((earlier) => numberOr(earlier['at_ms'], 0) > numberOr(atMs, Infinity)) ? [`actions[${i}].at_ms`] : []),
      ...(['ask', 'menu', 'clickmap'].includes(action as string) && detach !== true && numberOr(timeoutS, 30) + latestMs(all) / 1000 > 120
        ? [`actions[${i}].timeout_s`]
        : []),
    ]),
};

/** Arguments of the queue are for `queue: true` alone. A call that stays open is in the queue for 120 s at most. An entry has at most 8 KB. */
function brokenQueue(args: Args, holds: boolean): string[] {
  const own = has(args, 'priority', 'expires_s', 'for_s');
  if (args['queue'] !== true) return own;
  if (args['clear'] === true) return ['clear'];
  if (holds && numberOr(args['expires_s'], 0) > 120) return ['expires_s'];
  return Buffer.byteLength(JSON.stringify(args)) > 8192 ? ['queue'] : [];
}

/** A question that holds its call waits 120 s at most; one that does not is stored with its choices, of which 4 KB are kept. */
function brokenDetach({ timeout_s: timeoutS, detach }: Args, field: string, choices: unknown): string[] {
  if (detach !== true) return numberOr(timeoutS, 30) > 120 ? ['timeout_s'] : [];
  return Buffer.byteLength(JSON.stringify(choices)) > 4096 ? [field] : [];
}

function latestMs(steps: readonly Args[]): number {
  return Math.max(...steps.map((step) => numberOr(step['at_ms'], 0)));
}

/** Values of other types are broken arguments, and converting some of them throws. */
function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Texts of which a person sees nothing: escape sequences of terminals, spaces, controls, formatting, fillers, marks without a letter, the blank braille pattern, the object replacement character, noncharacters. */
function isBlank(text: unknown): boolean {
  return (
    typeof text === 'string' &&
    /^[\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800\ufffc\ufffe\uffff]*$/u.test(withoutTerminalSequences(text))
  );
}

function blankIn(field: string, text: unknown): string[] {
  return isBlank(text) ? [field] : [];
}

function unknownIcon(field: string, icon: unknown): string[] {
  return icon === undefined || (typeof icon === 'string' && isIcon(icon)) ? [] : [field];
}

/** Letter, accidental, octave and ms, separated by white space; 1..30,000 ms each, 30 s in total. No tune in RTTTL is generated. */
function playable(notes: string): boolean {
  const entries = notes.split(/\s+/).filter((entry) => entry !== '');
  const lengths = entries.map((entry) => Number(/^(?:-|[A-G][#b]?[0-8]):(\d{1,12})$/i.exec(entry)?.[1] ?? 0));
  return lengths.length > 0 && lengths.every((ms) => ms >= 1) && lengths.reduce((sum, ms) => sum + ms, 0) <= 30_000;
}

export interface SentPicture {
  field: string;
  verdict: ReturnType<typeof pictureVerdict>;
}

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
