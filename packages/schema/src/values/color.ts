import { ApiError } from '../base/error.js';

/** For a screen (sRGB). */
export const colorNames = {
  red: '#ff3b30',
  orange: '#ff9500',
  yellow: '#ffcc00',
  green: '#34c759',
  cyan: '#32d7e6',
  blue: '#2f80ff',
  purple: '#af52de',
  pink: '#ff5fa2',
  white: '#ffffff',
} as const;

export type ColorName = keyof typeof colorNames;

export const colorPattern = `^(#[0-9a-fA-F]{6}|${Object.keys(colorNames).join('|')})$`;

/** @returns `#rrggbb` in lower case @throws {ApiError} bad_argument */
export function parseColor(text: string): string {
  if (Object.hasOwn(colorNames, text)) return colorNames[text as ColorName];
  if (hex.test(text)) return text.toLowerCase();
  throw new ApiError('bad_argument', notAColor(text));
}

export function notAColor(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text;
  const meant = text.length > 40 ? null : spellingOf(text.trim().toLowerCase());
  const forms = `#rrggbb or one of ${Object.keys(colorNames).join(', ')}`;
  return `${JSON.stringify(shown)} is not a colour; write ${meant === null ? forms : `${meant} (${forms})`}`;
}

/** Names that colours of the web have and the interface has not. */
const otherNames: Readonly<Record<string, string>> = { black: '#000000', gray: '#808080', grey: '#808080', brown: '#a52a2a', magenta: '#ff00ff' };

/** Returns how a colour that is written as elsewhere is written here: without #, with three digits or an alpha, as rgb(). @param text in lower case */
function spellingOf(text: string): string | null {
  if (Object.hasOwn(colorNames, text)) return text;
  if (Object.hasOwn(otherNames, text)) return otherNames[text]!;
  const digits = /^(?:#|0x)?([0-9a-f]{3,8})$/.exec(text)?.[1];
  if (digits !== undefined && digits.length < 5) return `#${[...digits.slice(0, 3)].map((digit) => digit + digit).join('')}`;
  if (digits?.length === 6 || digits?.length === 8) return `#${digits.slice(0, 6)}`;
  const parts = /^rgba?\(([\d\s,./%]*)\)$/.exec(text)?.[1]?.match(/\d+(?:\.\d+)?%?/g);
  const bytes = parts?.slice(0, 3).map((part) => Math.round(parseFloat(part) * (part.endsWith('%') ? 2.55 : 1)));
  if (bytes?.length !== 3 || bytes.some((each) => each > 255)) return null;
  return `#${bytes.map((each) => each.toString(16).padStart(2, '0')).join('')}`;
}

const hex = /^#[0-9a-fA-F]{6}$/;
