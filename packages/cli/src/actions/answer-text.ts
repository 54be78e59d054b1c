/** Formats responses for people and simple scripts: a question prints only its result, a successful action without result nothing. */
import type { EventGap, RobotEvent, StateAnswer } from '@perch/client';

type Answer = Record<string, unknown>;

export function answerText(action: string, answer: object): string {
  const { ok: _, ...fields } = answer as Answer;
  if ('outcome' in fields) return waitText(fields);
  switch (action) {
    case 'state':
      return stateText(answer as StateAnswer);
    case 'events':
      return (fields['events'] as RobotEvent[]).map(eventText).join('\n');
    case 'scene':
      return (fields['results'] as object[])
        .map((result) => answerText('', result))
        .filter((text) => text !== '')
        .join('\n');
    default:
      return pairs(Object.fromEntries(Object.entries(fields).filter(([name]) => !noteFields.has(name))));
  }
}

export function eventText(event: RobotEvent | EventGap): string {
  if (event.name === 'gap') return `- gap: events ${event.after + 1} to ${event.next - 1} are missing`;
  const { at, seq, name, data } = event;
  // Marks and spaces of an infrared code are for programs (--json).
  const shown = 'raw' in data && Array.isArray(data.raw) ? { ...data, raw: `${data.raw.length} lengths` } : data;
  return [at, seq, name, pairs(shown)].join(' ').trimEnd();
}

/** Prints the id of a wait that outlives its call. */
function waitText({ outcome, wait, answer, item, region, index, x, y }: Answer): string {
  if (outcome === 'pending') return String(wait);
  if (outcome !== 'answered') return '';
  if (typeof region === 'string') return `${region} ${String(x)} ${String(y)}`;
  return String(answer ?? item ?? index);
}

function stateText(state: StateAnswer): string {
  const { id, name, online, model, firmware, commands, showing, readings, readings_at: readAt, events, last_seq: lastSeq } = state;
  const lines = [
    [id, name === id ? '' : name, online ? 'online' : 'offline', model, firmware].filter((word) => word !== '').join(' '),
    `showing ${pairs({ ...showing })}`,
    ['commands', ...commands.map(({ name }) => name)].join(' '),
    `last_seq ${lastSeq}`,
    ...events.map((event) => `  ${eventText(event)}`),
    ...(readAt === null ? [] : [`readings of ${readAt}`, ...Object.entries(readings).map(([name, value]) => `  ${name} ${String(value)}`)]),
  ];
  return lines.join('\n');
}

function pairs(fields: Answer): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

/** Names of the notes in answers, which are printed as warnings rather than with the result. */
const noteFields: ReadonlySet<string> = new Set(['truncated', 'missing', 'adjusted']);

interface Noted {
  truncated?: readonly string[];
  missing?: readonly string[];
  adjusted?: readonly string[];
  results?: readonly object[];
}

/** Returns a line for each note on what the person does not see as it was sent. A scene has those of its actions, by position. */
export function noteLines(answer: object): string[] {
  const { truncated = [], missing = [], adjusted = [], results = [] } = answer as Noted;
  return [
    ...(truncated.length === 0 ? [] : [`cut on the screen: ${truncated.join(', ')}`]),
    ...(missing.length === 0 ? [] : [`characters without a font: ${missing.join(' ')}`]),
    ...(adjusted.length === 0 ? [] : [`shown otherwise than sent: ${adjusted.join(', ')}`]),
    ...results.flatMap((result, i) => noteLines(result).map((line) => `actions[${i}]: ${line}`)),
  ];
}
