/** How forms, help and documents arrange the arguments of an action: an order, and keywords of JSON Schema that only the service's own page and shell read. */
import type { TObject, TProperties } from 'typebox';

export interface ArgumentForm {
  /** Optional arguments that a form shows at once, behind the required ones. */
  usual: readonly string[];
  /** All others, by the heading under which a form shows them once it is asked for more. */
  more?: Readonly<Record<string, readonly string[]>>;
}

/** `x-rank`: place in the form, from 1; absent behind "More". `x-group`: heading there. `x-picker`: the control that chooses a value. */
export const formKeywords = ['x-rank', 'x-group', 'x-picker'] as const;

export type Picker = 'chime' | 'color' | 'icon' | 'language' | 'picture';

/** @returns the arguments in the order of the form, with the keywords @throws if an argument is missing from the form or named twice */
export function arranged<A extends TObject>(args: A, { usual, more = {} }: ArgumentForm): A {
  const { properties, required = [] } = args as unknown as { properties: TProperties; required?: readonly string[] };
  const ranked = [...required, ...usual].map((name, at) => [name, { 'x-rank': at + 1 }] as const);
  const grouped = Object.entries(more).flatMap(([group, names]) => names.map((name) => [name, { 'x-group': group }] as const));
  const all = [...ranked, ...grouped];
  const names = all.map(([name]) => name).toSorted();
  if (JSON.stringify(names) !== JSON.stringify(Object.keys(properties).toSorted()))
    throw new Error(`the form has ${names.join(', ')}, the schema ${Object.keys(properties).join(', ')}`);
  const inOrder = Object.fromEntries(all.map(([name, keywords]) => [name, Object.assign(copyOf(properties[name]!), keywords)]));
  return Object.assign(copyOf(args), { properties: inOrder });
}

/** TypeBox marks kinds and optional arguments with properties that are not enumerable. */
function copyOf<T extends object>(schema: T): T {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as T;
}

/** For documents that other programs read: a validator in strict mode rejects keywords that it does not know. @param schema is JSON */
export function withoutForm<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map((each: unknown) => withoutForm(each)) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !(formKeywords as readonly string[]).includes(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutForm(value as unknown)])) as T;
}
