/** Prints a list while it is read: a table, or with --json one line of JSON with the whole list in one field. */
import { printableAnswer, printableJson } from './printable.js';
import type { Session } from '../session.js';
import { columnWidths, rowText } from './table.js';

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
