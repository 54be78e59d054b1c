/**
 * The Output of a script's header: `form note | form note …`. A form is `number`, `text`, `nothing`, a literal (`1`, `'lost'`, `'full <maximum>'`), a
 * tuple `{output, output}` or a list `[output]` of any length. A note explains; in brackets it may contain anything.
 */

export type Output =
  | { kind: 'number' | 'text' | 'nothing' }
  | { kind: 'literal'; value: number | string }
  | { kind: 'tuple'; elements: Output[] }
  | { kind: 'list'; element: Output }
  | { kind: 'either'; outputs: Output[] };

/** @throws {Error} naming the file, if its header has no Output of this grammar */
export function declaredOutput(file: string, lua: string): Output {
  const text = /^-- Output ((?:.*\n)(?:--  .*\n)*)/m
    .exec(lua)?.[1]
    ?.replaceAll(/\n--\s+/g, ' ')
    .trim();
  if (text === undefined) throw new Error(`lua/${file}: its header declares no Output`);
  const parser = new OutputParser(`lua/${file}`, text);
  return parser.parse();
}

class OutputParser {
  readonly #file: string;
  #rest: string;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#rest = text;
  }

  parse(): Output {
    const output = this.#either('');
    if (this.#rest !== '') this.#refuse();
    return output;
  }

  /** @param ends characters that end a note, beside `|` */
  #either(ends: string): Output {
    const outputs = [this.#form(ends)];
    while (this.#take('|')) outputs.push(this.#form(ends));
    return outputs.length === 1 ? outputs[0]! : { kind: 'either', outputs };
  }

  #form(ends: string): Output {
    const form = this.#bareForm();
    const stops = ends === '' ? '|{}[\\]' : `|{}[\\]${ends}`;
    this.#rest = this.#rest.replace(new RegExp(`^(?:\\([^()]*\\)|[^${stops}(])*`), '');
    return form;
  }

  #bareForm(): Output {
    if (this.#take('{')) return { kind: 'tuple', elements: this.#elements() };
    if (this.#take('[')) {
      const element = this.#either('');
      if (!this.#take(']')) this.#refuse();
      return { kind: 'list', element };
    }
    const [word, number, literal] = /^(?:(-?\d+)\b|'([^']*)'|(?:number|text|nothing)\b)/.exec(this.#rest) ?? this.#refuse();
    this.#rest = this.#rest.slice(word.length);
    if (number !== undefined) return { kind: 'literal', value: Number(number) };
    return literal === undefined ? { kind: word as 'number' | 'text' | 'nothing' } : { kind: 'literal', value: literal };
  }

  #elements(): Output[] {
    const elements: Output[] = [];
    if (this.#take('}')) return elements;
    do elements.push(this.#either(','));
    while (this.#take(','));
    if (!this.#take('}')) this.#refuse();
    return elements;
  }

  #take(character: string): boolean {
    if (!this.#rest.startsWith(character)) return false;
    this.#rest = this.#rest.slice(1).trimStart();
    return true;
  }

  #refuse(): never {
    throw new Error(`${this.#file}: the Output of its header cannot be read from here: ${this.#rest}`);
  }
}

/** The type of a reply, as ioredis returns it. */
export function typeOf(output: Output): string {
  switch (output.kind) {
    case 'number':
      return 'number';
    case 'text':
      return 'string';
    case 'nothing':
      return 'null';
    case 'literal':
      return literalType(output.value);
    case 'tuple':
      return `[${output.elements.map(typeOf).join(', ')}]`;
    case 'list':
      return output.element.kind === 'either' ? `(${typeOf(output.element)})[]` : `${typeOf(output.element)}[]`;
    case 'either': {
      const types = [...new Set(output.outputs.map(typeOf))];
      // `number | 0` says no more than `number`.
      const isCovered = (type: string) => (types.includes('number') && /^-?\d+$/.test(type)) || (types.includes('string') && /^['`]/.test(type));
      return types.filter((type) => !isCovered(type)).join(' | ');
    }
  }
}

function literalType(value: number | string): string {
  if (typeof value === 'number') return String(value);
  return value.includes('<') ? `\`${value.replaceAll(/<[^>]*>/g, '${string}')}\`` : `'${value}'`;
}

export function matches(output: Output, reply: unknown): boolean {
  switch (output.kind) {
    case 'number':
      return typeof reply === 'number';
    case 'text':
      return typeof reply === 'string';
    case 'nothing':
      return reply === null;
    case 'literal':
      return typeof output.value === 'string' && output.value.includes('<')
        ? typeof reply === 'string' && new RegExp(`^${output.value.replaceAll(/<[^>]*>/g, '.+')}$`).test(reply)
        : reply === output.value;
    case 'tuple':
      return Array.isArray(reply) && reply.length === output.elements.length && output.elements.every((element, i) => matches(element, reply[i]));
    case 'list':
      return Array.isArray(reply) && reply.every((element) => matches(output.element, element));
    case 'either':
      return output.outputs.some((one) => matches(one, reply));
  }
}
