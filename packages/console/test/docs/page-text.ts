/** Takes the place of the browser's document: makes elements of which only text and nesting can be read. */

class Part {
  className = '';
  id = '';
  open = false;
  readonly tagName: string;
  readonly #children: (Part | string)[] = [];
  #opened = (): void => {};

  constructor(name: string) {
    this.tagName = name;
  }

  append(...children: readonly (Part | string)[]): void {
    this.#children.push(...children);
  }

  addEventListener(_toggle: string, listener: () => void): void {
    this.#opened = listener;
  }

  /** Opens every part but those inside one of the same summary: some schemas contain themselves. */
  text(inside: readonly string[] = []): string {
    const summary = this.tagName === 'details' ? this.#summary() : '';
    if (inside.includes(summary)) return summary;
    if (summary !== '') {
      this.open = true;
      this.#opened();
    }
    const within = summary === '' ? inside : [...inside, summary];
    return `${this.#children.map((child) => (typeof child === 'string' ? child : child.text(within))).join('')}\n`;
  }

  #summary(): string {
    const [first] = this.#children;
    return first instanceof Part ? first.text() : '';
  }
}

/** Returns the text of what is made, with every closed part opened. */
export function textOf(make: () => HTMLElement): string {
  const scope = globalThis as { document?: unknown };
  const { document } = scope;
  scope.document = { createElement: (name: string) => new Part(name) };
  try {
    return (make() as unknown as Part).text();
  } finally {
    scope.document = document;
  }
}
