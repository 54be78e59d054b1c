import { parse } from 'bowser';

/** A user agent may name a browser that is not known; such names are cut. */
const nameCharsMax = 40;

/** @param userAgent as a browser sent it, unchecked @returns such as `Chrome on Android`; null if it names neither browser nor system */
export function deviceName(userAgent: string): string | null {
  if (userAgent === '') return null;
  const { browser, os } = parse(userAgent);
  const parts = [browser.name, os.name].flatMap((name) => (name === undefined || name === '' ? [] : [name.slice(0, nameCharsMax)]));
  return parts.length === 0 ? null : parts.join(' on ');
}
