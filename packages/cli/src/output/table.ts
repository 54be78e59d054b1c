export function table(heads: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none;
  const widths = columnWidths(heads, rows);
  return [heads, ...rows].map((row) => rowText(row, widths)).join('\n');
}

export function columnWidths(heads: readonly string[], rows: readonly (readonly string[])[]): number[] {
  return heads.map((head, column) => rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), head.length));
}

/** Pads the cells; one wider than its column shifts the following ones. */
export function rowText(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}

/** @param ms Redis time @returns RFC 3339 to the second, or `-` */
export function timeText(ms: number | null): string {
  return ms === null ? '-' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
