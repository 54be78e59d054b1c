const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @returns ms, or null if the text is not a duration */
export function durationMs(text: string): number | null {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return unit === undefined ? null : Number(number) * unitMs[unit]!;
}
