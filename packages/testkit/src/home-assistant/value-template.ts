/**
 * Renders templates of Home Assistant: the part of Jinja 3.1 that the bridge's value templates and the documented automations use. Any other expression
 * throws, so that a test names it. Python writes true, false and null as True, False and None (homeassistant/components/mqtt/models.py,
 * MqttValueTemplate; homeassistant/helpers/template.py for `round` and `to_json`). The expected values of the tests are those of Jinja 3.1.6 itself.
 */
type Scope = Readonly<Record<string, unknown>>;

const token = /\s*(?:(\d+(?:\.\d+)?)|'([^']*)'|([A-Za-z_]\w*)|(==|!=|[()|.,{}]))/y;
interface Token {
  kind: 'number' | 'text' | 'name' | 'sign';
  text: string;
}

/** Returns the text of a template: text, and expressions in double braces. @param scope its variables @throws what Home Assistant would log */
export function renderTemplate(template: string, scope: Scope): string {
  if (template.includes('{%') || template.includes('{#')) throw new Error(`template has a statement: ${template}`);
  const rendered = template.replaceAll(/\{\{(.+?)\}\}(?!\})/gs, (_match, inner: string) =>
    pythonText(new Parser(tokensOf(inner.trim()), scope).whole()),
  );
  return rendered.trim();
}

/** Returns the variables of a value template. */
export function scopeOf(payload: string): Scope {
  return { value: payload, value_json: jsonOf(payload) };
}

function jsonOf(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}

function pythonText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  throw new Error('template writes a list or a dictionary');
}

function tokensOf(text: string): Token[] {
  const found: Token[] = [];
  for (token.lastIndex = 0; token.lastIndex < text.length;) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (match === null) throw new Error(`template cannot be read at: ${text.slice(at)}`);
    const [, number, quoted, name, sign] = match;
    if (number !== undefined) found.push({ kind: 'number', text: number });
    else if (quoted !== undefined) found.push({ kind: 'text', text: quoted });
    else if (name !== undefined) found.push({ kind: 'name', text: name });
    else found.push({ kind: 'sign', text: sign! });
  }
  return found;
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #scope: Scope;
  #at = 0;

  constructor(tokens: readonly Token[], scope: Scope) {
    this.#tokens = tokens;
    this.#scope = scope;
  }

  whole(): unknown {
    const value = this.#choice();
    if (this.#at < this.#tokens.length) throw new Error(`template continues at: ${this.#tokens[this.#at]!.text}`);
    return value();
  }

  /** `a if condition else b`; the part that is not chosen is not evaluated. */
  #choice(): () => unknown {
    const value = this.#either();
    if (!this.#takes('if')) return value;
    const condition = this.#either();
    this.#expect('else');
    const other = this.#choice();
    return () => (isTrue(condition()) ? value() : other());
  }

  #either(): () => unknown {
    const left = this.#both();
    if (!this.#takes('or')) return left;
    const right = this.#either();
    return () => (isTrue(left()) ? left() : right());
  }

  #both(): () => unknown {
    const left = this.#negated();
    if (!this.#takes('and')) return left;
    const right = this.#both();
    return () => (isTrue(left()) ? right() : left());
  }

  #negated(): () => unknown {
    if (!this.#takes('not')) return this.#comparison();
    const value = this.#negated();
    return () => !isTrue(value());
  }

  #comparison(): () => unknown {
    const left = this.#tested();
    const isEqual = this.#takes('==');
    if (!isEqual && !this.#takes('!=')) return left;
    const right = this.#tested();
    return () => (left() === right()) === isEqual;
  }

  #tested(): () => unknown {
    const left = this.#filtered();
    if (!this.#takes('is')) return left;
    const isNot = this.#takes('not');
    const test = tests[this.#name()];
    if (test === undefined) throw new Error('test of a template is not known');
    return () => test(left()) !== isNot;
  }

  #filtered(): () => unknown {
    let value = this.#value();
    while (this.#takes('|')) {
      const filter = filters[this.#name()];
      if (filter === undefined) throw new Error('filter of a template is not known');
      const args: (() => unknown)[] = [];
      if (this.#takes('(')) {
        while (!this.#takes(')')) {
          args.push(this.#choice());
          this.#takes(',');
        }
      }
      const before = value;
      value = () => filter(before(), ...args.map((arg) => arg()));
    }
    return value;
  }

  #value(): () => unknown {
    if (this.#takes('(')) {
      const inner = this.#choice();
      this.#expect(')');
      return inner;
    }
    if (this.#takes('{')) {
      this.#expect('}');
      return () => ({});
    }
    const { kind, text } = this.#next();
    if (kind === 'number') return () => Number(text);
    if (kind === 'text') return () => text;
    if (kind !== 'name') throw new Error(`template has ${text} in place of a value`);
    if (text === 'None') return () => null;
    if (text === 'True' || text === 'False') return () => text === 'True';
    if (!Object.hasOwn(this.#scope, text)) throw new Error(`template names ${text}`);
    const path: string[] = [];
    while (this.#takes('.')) path.push(this.#name());
    return () => path.reduce<unknown>((value, part) => fieldOf(value, part), this.#scope[text]);
  }

  #takes(text: string): boolean {
    const next = this.#tokens[this.#at];
    if (next === undefined || next.kind === 'text' || next.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw new Error(`template lacks ${text}`);
  }

  #next(): Token {
    const next = this.#tokens[this.#at++];
    if (next === undefined) throw new Error('template ends too early');
    return next;
  }

  #name(): string {
    const { kind, text } = this.#next();
    if (kind !== 'name') throw new Error(`template has ${text} in place of a name`);
    return text;
  }
}

const tests: Readonly<Record<string, (value: unknown) => boolean>> = {
  // A Python bool is a number.
  number: (value) => typeof value === 'number' || typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  defined: (value) => value !== undefined,
  none: (value) => value === null,
};

const filters: Readonly<Record<string, (value: unknown, ...args: unknown[]) => unknown>> = {
  default: (value, other = '') => (value === undefined ? other : value),
  // Home Assistant's own filter, which fails without a default. Python rounds a half to the even neighbour.
  round(value, digits = 0) {
    if (typeof value !== 'number')
      throw new Error(`round got invalid input '${String(value)}' when rendering a template, but no default was specified`);
    if (digits !== 0) throw new Error('round is known here for 0 digits alone');
    const [floor, half] = [Math.floor(value), value - Math.floor(value) === 0.5];
    return half ? floor + Math.abs(floor % 2) : Math.round(value);
  },
  to_json: (value) => JSON.stringify(value ?? null),
};

function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return !(value === undefined || value === null || value === false || value === 0 || value === '');
}

/** Jinja raises an error for a field of an undefined value, and yields undefined for a field that is not there. */
function fieldOf(value: unknown, name: string): unknown {
  if (value === undefined) throw new Error(`a template reads ${name} of an undefined value`);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
