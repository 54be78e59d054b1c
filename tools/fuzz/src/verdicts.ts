/** The served schemas decide, then the rules between arguments. */
import type { ServedAction } from './served.js';
import { faultyFields } from './served.js';
import { brokenRules, picturesIn, type SentPicture } from './rules.js';
import { isRecord } from './generate/json.js';

export type Verdict =
  /** '' means no field. */
  | { kind: 'refused'; codes: readonly string[]; fields: readonly string[] }
  /** Not rejected, except for one of the pictures. */
  | { kind: 'taken'; pictures: readonly SentPicture[]; heldMs: number };

/** As listed in the robot's state. */
export type OwnCommands = ReadonlyMap<string, (args: unknown) => boolean>;

export function verdictOf(action: ServedAction, text: string, own: OwnCommands): Verdict {
  if (text === '') return { kind: 'refused', codes: ['bad_argument'], fields: [''] };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: 'refused', codes: ['malformed_json'], fields: [''] };
  }
  return verdictOfArgs(action, body, own);
}

function verdictOfArgs(action: ServedAction, body: unknown, own: OwnCommands): Verdict {
  if (!isRecord(body)) return { kind: 'refused', codes: ['bad_argument'], fields: [''] };
  if (!action.fits(body)) return { kind: 'refused', codes: ['bad_argument', 'bad_picture'], fields: faultyFields(action.fits.errors) };
  if (action.steps !== null) return verdictOfScene(action.name, body, action.steps, own);
  const broken = brokenRules(action.name, body);
  // A picture of the queue is fetched and decoded when its turn comes.
  const sentPictures = picturesIn(action.name, body);
  const pictures = body['queue'] === true ? sentPictures.map((picture): SentPicture => ({ ...picture, verdict: 'unknown' })) : sentPictures;
  if (broken.length > 0) {
    // A picture that is too long also breaks a rule between arguments, and may be reported first.
    const fields = [...broken, ...pictures.filter(({ verdict }) => verdict !== 'good').map(({ field }) => field)];
    return { kind: 'refused', codes: ['bad_argument', 'bad_picture'], fields };
  }
  const bad = pictures.filter(({ verdict }) => verdict === 'broken');
  if (bad.length > 0) {
    const fields = pictures.filter(({ verdict }) => verdict !== 'good').map(({ field }) => field);
    return { kind: 'refused', codes: ['bad_picture', 'image_unreachable'], fields };
  }
  if (action.name === 'command') return verdictOfCommand(body, own);
  return { kind: 'taken', pictures, heldMs: heldMs(action.name, body) };
}

/** Excluded names are rejected before unknown ones. */
function verdictOfCommand(body: Record<string, unknown>, own: OwnCommands): Verdict {
  const fits = own.get(String(body['command']));
  const args = body['args'] ?? {};
  if (fits === undefined) return { kind: 'refused', codes: ['command_not_passed_on', 'not_offered', 'bad_argument'], fields: ['command', 'args'] };
  if (!fits(args)) return { kind: 'refused', codes: ['bad_argument'], fields: ['args'] };
  const image = (args as Record<string, unknown>)['image'];
  return { kind: 'taken', pictures: image === undefined ? [] : [{ field: 'args.image', verdict: 'unknown' }], heldMs: 0 };
}

/** Each action as if alone, with its index before its fields; the last one's wait follows the latest time that is set. */
function verdictOfScene(name: string, body: Record<string, unknown>, steps: ReadonlyMap<string, ServedAction>, own: OwnCommands): Verdict {
  const actions = body['actions'] as Record<string, unknown>[];
  const verdicts = actions.map(({ action, at_ms: _atMs, ...args }) => verdictOfArgs(steps.get(String(action))!, args, own));
  const within = (at: number, field: string): string => (field === '' ? `actions[${at}]` : `actions[${at}].${field}`);
  const broken = brokenRules(name, body);
  const codes = broken.length === 0 ? [] : ['bad_argument'];
  const fields = [...broken];
  for (const [at, verdict] of verdicts.entries()) {
    if (verdict.kind === 'taken') continue;
    codes.push(...verdict.codes);
    fields.push(...verdict.fields.map((field) => within(at, field)));
  }
  const pictures = verdicts.flatMap((verdict, at) =>
    verdict.kind === 'taken' ? verdict.pictures.map((picture) => ({ ...picture, field: within(at, picture.field) })) : [],
  );
  if (fields.length > 0) return { kind: 'refused', codes: [...new Set(codes)], fields };
  const last = verdicts.at(-1);
  const latestMs = Math.max(...actions.map(({ at_ms: atMs = 0 }) => Number(atMs)));
  return { kind: 'taken', pictures, heldMs: latestMs + (last?.kind === 'taken' ? last.heldMs : 0) };
}

/** A rejected call is answered at once. */
export function mayBeHeld(verdict: Verdict, longMs: number): boolean {
  return verdict.kind === 'taken' && verdict.heldMs > longMs / 2;
}

const waitsS = 30;
const queuedWaitsS = 120;

function heldMs(action: string, body: Record<string, unknown>): number {
  const waits = action === 'ask' || action === 'menu' || action === 'clickmap';
  if (waits && body['detach'] === true) return 0;
  const queuedS = body['queue'] === true ? Number(body['expires_s'] ?? queuedWaitsS) : 0;
  if (waits) return (Number(body['timeout_s'] ?? waitsS) + queuedS) * 1000;
  return action === 'events' ? Number(body['seconds'] ?? 0) * 1000 : 0;
}
