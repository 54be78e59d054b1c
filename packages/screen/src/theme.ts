/** Colours of the service's drawings, adapted to keep their contrast on a background chosen by the caller. */

export const theme = {
  background: '#0b1b3d',
  /** Behind transparent pictures that are nearly black. */
  backing: '#ffffff',
  text: '#ffffff',
  dark: '#08142e',
  blue: '#6db5ff',
  button: '#2b63e3',
  buttonEdge: '#5b8bf5',
  /** An answer that does not count yet: without colour, and readable. */
  grey: '#2d323b',
  greyEdge: '#474d59',
  greyText: '#aab0bc',
  /** Signs of exact texts. */
  sign: '#ffc53d',
  tile: '#17305f',
  tileEdge: '#31558f',
  bubble: '#ffffff',
} as const;

/** WCAG's threshold for normal text. */
const readable = 4.5;

/** Returns white, or nearly black for a bright background: a contrast of at least 4.5:1 on every colour. */
export function textOn(background: string): string {
  return firstReadable(background, [theme.text, theme.dark, '#000000']);
}

/** Returns the title's blue, lightened or darkened for the background; the text's colour if no blue is readable. */
export function blueOn(background: string): string {
  return firstReadable(background, [theme.blue, '#a9d3ff', '#1550b8', '#0a2f78', textOn(background)]);
}

/** Returns a muted text colour; the text's colour itself if no muted one is readable. */
export function mutedOn(background: string): string {
  const text = textOn(background);
  return firstReadable(background, [mix(text, background, 0.28), mix(text, background, 0.12), text]);
}

/** Returns the colour of a plate on which the text's own colour is readable, or undefined if it is readable on the background. */
export function plateFor(color: string, background: string): string | undefined {
  return contrast(color, background) >= readable ? undefined : textOn(color);
}

export function trackOn(background: string): string {
  return mix(textOn(background), background, 0.8);
}

export function shadeOf(color: string, background: string): string {
  return mix(color, background, 0.75);
}

/** Returns the WCAG 2 contrast ratio of two colours, 1..21. */
export function contrast(a: string, b: string): number {
  const la = luminance(a);
  const lb = luminance(b);
  return (Math.max(la, lb) + 0.05) / (Math.min(la, lb) + 0.05);
}

function firstReadable(background: string, candidates: string[]): string {
  return candidates.find((color) => contrast(color, background) >= readable) ?? candidates.at(-1) ?? theme.text;
}

function mix(a: string, b: string, share: number): string {
  const from = channels(a);
  const to = channels(b);
  return (
    '#' +
    from
      .map((v, i) =>
        Math.round(v + ((to[i] ?? v) - v) * share)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')
  );
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = channels(color).map((v) => {
    const c = v / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((i) => Number.parseInt(color.slice(i, i + 2), 16));
}
