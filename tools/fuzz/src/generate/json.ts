/** Includes what JSON.stringify cannot write: 1e400, -0, a duplicate key. */

/** JSON text, inserted verbatim. */
export class Raw {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

export type Path = readonly (string | number)[];

export function jsonText(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}:${jsonText(inner)}`)
    .join(',')}}`;
}

/** Returns the same value if the path does not exist. */
export function withAt(value: unknown, [key, ...rest]: Path, inner: unknown): unknown {
  if (key === undefined) return inner;
  if (Array.isArray(value) && typeof key === 'number') {
    return value.map((each: unknown, i) => (i === key ? withAt(each, rest, inner) : each));
  }
  if (!isRecord(value)) return value;
  if (rest.length > 0 && !Object.hasOwn(value, key)) return value;
  return Object.fromEntries([
    ...Object.entries(value).filter(([name]) => name !== key),
    [key, withAt(Object.hasOwn(value, key) ? value[key] : undefined, rest, inner)],
  ]);
}

export function withoutAt(value: unknown, path: Path): unknown {
  const parent = path.slice(0, -1);
  const last = path.at(-1);
  const holder = valueAt(value, parent);
  if (Array.isArray(holder)) return withAt(value, parent, holder.toSpliced(Number(last), 1));
  if (!isRecord(holder)) return value;
  return withAt(value, parent, Object.fromEntries(Object.entries(holder).filter(([name]) => name !== last)));
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined),
    value,
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw);
}
