/** One change to a valid body: every probe of every position, values removed, added and duplicated. */
import { isRecord, jsonText, Raw, valueAt, withAt, withoutAt, type Path } from './json.js';
import type { Probe } from './probe.js';
import { probesOf, sampleOf, type Schema } from './probes.js';
import { prototypeNames, hostileValues } from './hostile-values.js';

export interface Mutant {
  what: string;
  change: (body: unknown) => unknown;
}

interface Place {
  path: Path;
  schema: Schema;
}

/** @param base fits the schema */
export function mutantsOf(schema: Schema, base: Record<string, unknown>): Mutant[] {
  return placesOf(schema, base, []).flatMap(({ path, schema: at }) => {
    const name = nameOf(path);
    const value = valueAt(base, path);
    const probes = path.length === 0 ? hostileValues : probesOf(at);
    return [
      ...probes.map((probe) => put(name, path, probe)),
      ...(path.length === 0 ? [] : [{ what: `without ${name}`, change: (body: unknown) => withoutAt(body, path) }]),
      ...(isRecord(value) || path.length === 0 ? objectMutants(name, path) : []),
    ];
  });
}

/** The examples, and the first of them with each argument it lacks. Rules between arguments are not checked. */
export function basesOf(schema: Schema, examples: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const [first = {}] = examples;
  const more = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const alone = { [name]: sampleOf(inner) };
    return Object.hasOwn(first, name) ? [alone] : [{ ...first, ...alone }, alone];
  });
  return [...examples, ...more];
}

function placesOf(schema: Schema, value: unknown, path: Path): Place[] {
  const here: Place = { path, schema };
  if (schema.anyOf !== undefined) {
    const branch = schema.anyOf.find(({ type }) => (type === 'object' ? isRecord(value) : typeof value === type));
    const inside = branch === undefined ? [] : placesOf(branch, value, path).slice(1);
    return [here, ...inside];
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema;
    // The entries of a list are alike.
    return [here, ...[...new Set([0, value.length - 1])].flatMap((i) => placesOf(items, value[i], [...path, i]))];
  }
  if (isRecord(value)) {
    return [here, ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => placesOf(inner, value[name], [...path, name]))];
  }
  return [here];
}

function put(name: string, path: Path, { what, value }: Probe): Mutant {
  return { what: `${name}: ${what}`, change: (body) => withAt(body, path, value) };
}

function objectMutants(name: string, path: Path): Mutant[] {
  const unknown = ['no_such_argument', '', 'TEXT', 'a.b', 'a[0]', 'x'.repeat(5000), '\u0000', '💥', ...prototypeNames];
  return [
    ...unknown.map((key) => ({ what: `${name}: an unknown ${JSON.stringify(key.slice(0, 20))}`, change: addKey(path, key, 1) })),
    { what: `${name}: 2,000 unknown keys`, change: addMany(path) },
    { what: `${name}: __proto__ with all there is`, change: (body) => addKey(path, '__proto__', valueAt(body, path))(body) },
    { what: `${name}: each key twice`, change: twice(path) },
  ];
}

/** JSON.stringify and spread both lose a `__proto__`. */
function addKey(path: Path, key: string, value: unknown): Mutant['change'] {
  return (body) => {
    const at = valueAt(body, path);
    if (!isRecord(at)) return body;
    return withAt(body, path, new Raw(joined(jsonText(at), `${JSON.stringify(key)}:${jsonText(value)}`)));
  };
}

function addMany(path: Path): Mutant['change'] {
  return (body) => {
    const at = valueAt(body, path);
    if (!isRecord(at)) return body;
    return withAt(body, path, { ...at, ...Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, i])) });
  };
}

/** First with null, then with its value: JSON.parse uses the last one. */
function twice(path: Path): Mutant['change'] {
  return (body) => {
    const at = valueAt(body, path);
    if (!isRecord(at)) return body;
    const nulls = Object.keys(at).map((key) => `${JSON.stringify(key)}:null`);
    return withAt(body, path, new Raw(joined(`{${nulls.join(',')}}`, jsonText(at).slice(1, -1))));
  };
}

function joined(object: string, more: string): string {
  const inside = object.slice(1, -1);
  return `{${[inside, more].filter((part) => part !== '').join(',')}}`;
}

function nameOf(path: Path): string {
  if (path.length === 0) return 'the body';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}
