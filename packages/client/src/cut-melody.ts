/** As long as the service plays. */
const secondsMax = 30;

/**
 * Returns the beginning of a melody that plays for at most 30 s, or `seconds`: of `<note>:<ms>` entries, or of a tune in RTTTL
 * (`name:d=4,o=5,b=100:8c,8e,g`). Only whole notes are left out. What is wrong with a note is left to the service.
 */
export function cutMelody(notes: string, seconds = secondsMax): string {
  const head = tuneHead(notes);
  const entries = head === null ? (notes.match(/\S+\s*/g) ?? []) : notes.slice(head.length).split(',');
  const msOf = head === null ? noteMs : tuneTimes(head);
  let ms = 0;
  const cutAt = entries.findIndex((entry) => {
    ms += msOf(entry);
    // The service rounds the end of each note of a tune.
    return ms >= 1000 * seconds + 0.5;
  });
  if (cutAt === -1) return notes;
  return (
    (head ?? '') +
    entries
      .slice(0, cutAt)
      .join(head === null ? '' : ',')
      .trimEnd()
  );
}

/** Returns a tune in RTTTL up to its last colon, null for any other text: one of notes has no equals sign and no two colons in a row. */
function tuneHead(notes: string): string | null {
  const first = notes.indexOf(':');
  if (first === -1) return null;
  if (notes.slice(0, first).includes('=')) return notes.slice(0, first + 1);
  const second = notes.indexOf(':', first + 1);
  const settings = second === -1 ? '-' : notes.slice(first + 1, second);
  return settings.trim() === '' || settings.includes('=') ? notes.slice(0, second + 1) : null;
}

function noteMs(entry: string): number {
  return Number(/:(\d+)\s*$/.exec(entry)?.[1] ?? 0);
}

/** Returns a function for the ms of each entry of a tune, in their order: an entry may be a setting of those after it. */
function tuneTimes(head: string): (entry: string) => number {
  const set: Record<string, number> = { d: 4, b: 63 };
  const bareEntries = (text: string): string[] => text.replace(/\s+/g, '').toLowerCase().split(/[:,]/);
  const isSetting = (entry: string): boolean => {
    const [, letter, value] = /^([a-z])=(\d+)$/.exec(entry) ?? [];
    if (letter !== undefined) set[letter] = Number(value);
    return letter !== undefined;
  };
  bareEntries(head).forEach(isSetting);
  return (text) => {
    const entry = bareEntries(text).join('');
    if (entry === '' || isSetting(entry)) return 0;
    const length = Number(/^\d+/.exec(entry)?.[0] ?? set['d']);
    const dots = entry.split('.').length - 1;
    const parts = set['b']! * length;
    return parts === 0 ? 0 : (240_000 / parts) * (2 - 0.5 ** dots);
  };
}
