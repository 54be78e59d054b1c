/** What must become of a body: refused for these arguments, or taken. The served schemas decide, then the rules between arguments. */
import type { ServedAction } from './served.js';
import { faultyFields } from './served.js';
import { brokenRules, picturesIn, type SentPicture } from './rules.js';
import { isRecord } from './generate/json.js';

export type Verdict =
  /** 400 with one of the codes, naming one of the fields ('' is none). */
  | { kind: 'refused'; codes: readonly string[]; fields: readonly string[] }
  /** Not refused, unless for one of the pictures; `heldMs`: how long the call may stay open. */
  | { kind: 'taken'; pictures: readonly SentPicture[]; heldMs: number };

/** What a robot's own commands take, as its state lists them. */
export type OwnCommands = ReadonlyMap<string, (args: unknown) => boolean>;

export function verdictOf(action: ServedAction, text: string, own: OwnCommands): Verdict {
  if (text === '') return { kind: 'refused', codes: ['bad_argument'], fields: [''] };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: 'refused', codes: ['malformed_json'], fields: [''] };
  }
  if (!isRecord(body)) return { kind: 'refused', codes: ['bad_argument'], fields: [''] };
  if (!action.fits(body)) return { kind: 'refused', codes: ['bad_argument', 'bad_picture'], fields: faultyFields(action.fits.errors) };
  const broken = brokenRules(action.name, body);
  const pictures = picturesIn(action.name, body);
  if (broken.length > 0) {
    // A picture that is too long is a rule between arguments as well, and may be told first.
    const fields = [...broken, ...pictures.filter(({ verdict }) => verdict !== 'good').map(({ field }) => field)];
    return { kind: 'refused', codes: ['bad_argument', 'bad_picture'], fields };
  }
  const bad = pictures.filter(({ verdict }) => verdict === 'broken');
  if (bad.length > 0) {
    const fields = pictures.filter(({ verdict }) => verdict !== 'good').map(({ field }) => field);
    return { kind: 'refused', codes: ['bad_picture'], fields };
  }
  if (action.name === 'command') return verdictOfCommand(body, own);
  return { kind: 'taken', pictures, heldMs: heldMs(action.name, body) };
}

/** Names and arguments of the robot's own; what is excluded is refused before what is unknown. */
function verdictOfCommand(body: Record<string, unknown>, own: OwnCommands): Verdict {
  const fits = own.get(String(body['command']));
  const args = body['args'] ?? {};
  if (fits === undefined) return { kind: 'refused', codes: ['command_not_passed_on', 'not_offered', 'bad_argument'], fields: ['command', 'args'] };
  if (!fits(args)) return { kind: 'refused', codes: ['bad_argument'], fields: ['args'] };
  const image = (args as Record<string, unknown>)['image'];
  return { kind: 'taken', pictures: image === undefined ? [] : [{ field: 'args.image', verdict: 'unknown' }], heldMs: 0 };
}

const waitsS = 30;

function heldMs(action: string, body: Record<string, unknown>): number {
  if (action === 'ask' || action === 'menu' || action === 'clickmap') return Number(body['timeout_s'] ?? waitsS) * 1000;
  return action === 'events' ? Number(body['seconds'] ?? 0) * 1000 : 0;
}
