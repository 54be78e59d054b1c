/** The icons of Lucide, by name: what programs may show, and suggestions for a name that is not one of them. */
import { Type } from 'typebox';
import type { Picker } from '../base/argument-form.js';
import type { Problem } from '../base/open-object.js';
import { iconTags } from './icon-tags.generated.js';

export const iconCharsMax = 64;
export const iconNamesHelp = 'Names of Lucide icons, such as check, bell or cloud-sun; GET /v1/icons lists all.';
const suggestionsMax = 3;
/** A name with more wrong letters than this is not a misspelling. */
const typosMax = 2;

export interface Icon {
  name: string;
  tags: string[];
}

/** Read with the first icon: most processes need none. */
let icons: ReadonlyMap<string, Icon> | undefined;

export function allIcons(): Icon[] {
  return [...iconsByName().values()];
}

function iconsByName(): ReadonlyMap<string, Icon> {
  icons ??= new Map(
    iconTags
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', tags = ''] = line.split(':');
        return [name, { name, tags: tags === '' ? [] : tags.split(',') }];
      }),
  );
  return icons;
}

/** @param use what the icon is for; precedes the names in the description */
export function iconSchema(use: string) {
  return Type.String({ 'x-picker': 'icon' satisfies Picker, minLength: 1, maxLength: iconCharsMax, description: `${use} ${iconNamesHelp}` });
}

export function isIcon(name: string): boolean {
  return iconsByName().has(name);
}

export function iconProblem(field: string, name: string): Problem | null {
  if (isIcon(name)) return null;
  const near = nearIcons(name);
  const advice = near.length === 0 ? 'GET /v1/icons lists all' : `did you mean ${listed(near)}? GET /v1/icons lists all`;
  return { field, message: `${JSON.stringify(name)} is not an icon; ${advice}` };
}

export function nearIcons(wanted: string): string[] {
  const plain = wanted
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const words = plain.split('-').filter((word) => word.length > 2);
  return allIcons()
    .map((icon) => ({ name: icon.name, distance: distanceOf(icon, plain, words) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, suggestionsMax)
    .map(({ name }) => name);
}

/** Returns how far a name is from what was wanted: 0 for the same in another notation, Infinity for one that has nothing in common with it. */
function distanceOf({ name, tags }: Icon, wanted: string, words: readonly string[]): number {
  if (name === wanted) return 0;
  const typos = editDistance(name, wanted);
  if (typos <= typosMax && typos < wanted.length / 2) return typos;
  if (tags.includes(wanted.replaceAll('-', ' '))) return 3;
  const parts = name.split('-');
  const missing = words.filter((word) => !parts.includes(word) && !tags.includes(word)).length;
  return missing === words.length ? Infinity : 4 + 2 * missing + Math.abs(parts.length - words.length) / 10;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > typosMax) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    if (Math.min(...next) > typosMax) return Infinity;
    row = next;
  }
  return row.at(-1) ?? Infinity;
}

function listed(all: readonly string[]): string {
  return all.length === 1 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}
