/** `-- KEYS 1 wait head, 2 lease, 3 call (optional)`, `4 and on: …`, or a text without numbers for any number of keys. */
export interface DeclaredKeys {
  /** Without what is in brackets. */
  labels: string[];
  least: number;
  /** Infinity: any number from `least` on. */
  most: number;
}

/** Throws if the header declares no keys, has gaps in their numbers, or the script uses a key that is not declared. */
export function declaredKeys(file: string, lua: string): DeclaredKeys {
  const text = /^-- KEYS ((?:.*\n)(?:--  .*\n)*)/m
    .exec(lua)?.[1]
    ?.replaceAll(/\n--\s+/g, ' ')
    .trim();
  if (text === undefined) throw new Error(`lua/${file}: its header declares no KEYS`);
  if (!/^\d/.test(text)) return { labels: [], least: 0, most: Infinity };
  const entries = text.split(/, (?=\d+ )/);
  const labels: string[] = [];
  let least = 0;
  let most = entries.length;
  for (const [i, entry] of entries.entries()) {
    const [, number, rest, label] = /^(\d+) (and on: )?(.*)$/.exec(entry)!;
    if (Number(number) !== i + 1) throw new Error(`lua/${file}: KEYS ${number} of its header should be ${i + 1}`);
    if (rest === undefined) {
      labels.push(label!.replaceAll(/ ?\([^)]*\)/g, ''));
      if (!label!.includes('(optional)')) least = i + 1;
    } else most = Infinity;
  }
  const used = Math.max(0, ...[...lua.matchAll(/KEYS\[(\d+)\]/g)].map(([, number]) => Number(number)));
  if (used > most) throw new Error(`lua/${file}: uses KEYS[${used}], and its header declares ${most}`);
  return { labels, least, most };
}
