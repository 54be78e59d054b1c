import { ApiError } from '../api/error.js';

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
  return `${JSON.stringify(shown)} is not a colour; write #rrggbb or one of ${Object.keys(colorNames).join(', ')}`;
}

const hex = /^#[0-9a-fA-F]{6}$/;
