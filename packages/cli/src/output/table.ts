import { printableAnswer, printableJson } from './printable.js';
import type { Session } from '../session.js';

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

/** How a list is printed while it is read: as a table, or with --json as one line of JSON with the whole list in `field`. */
export interface ListFormat<T> {
  field: string;
  heads: readonly string[];
  /** @param item a copy whose strings are safe to print */
  row: (item: T) => string[];
  none: string;
}

export class ListOutput<T extends object> {
  readonly #write: (text: string) => void;
  readonly #json: boolean;
  readonly #format: ListFormat<T>;
  /** Column widths, from the first slice; null before it. */
  #widths: readonly number[] | null = null;

  constructor({ write }: Pick<Session, 'write'>, json: boolean | undefined, format: ListFormat<T>) {
    this.#write = write;
    this.#json = json === true;
    this.#format = format;
  }

  add(items: readonly T[]): void {
    if (items.length === 0) return;
    const { field, heads, row } = this.#format;
    const isFirst = this.#widths === null;
    const rows = this.#json ? [] : items.map((item) => row(printableAnswer(item)));
    const widths = (this.#widths ??= columnWidths(heads, rows));
    if (this.#json) this.#write(`${isFirst ? `{${JSON.stringify(field)}:[` : ','}${printableJson(items).slice(1, -1)}`);
    else this.#write([...(isFirst ? [heads] : []), ...rows].map((cells) => `${rowText(cells, widths)}\n`).join(''));
  }

  end(): void {
    const { field, none } = this.#format;
    const isEmpty = this.#widths === null;
    if (this.#json) this.#write(`${isEmpty ? `{${JSON.stringify(field)}:[` : ''}]}\n`);
    else if (isEmpty) this.#write(`${none}\n`);
  }
}
