/**
 * The grammar that llama.cpp (and LM Studio, Ollama and others with it) makes of the parameters of a tool: the rules of common/json-schema-to-grammar.cpp and
 * src/llama-grammar.cpp of ggml-org/llama.cpp, at the commit 011c6c3c of 2026. One tool whose grammar is refused ends the request for all of them. The bench
 * of compatibility gives the grammar to the parser of llama.cpp itself.
 */
import { isJson, type Json, type Problems } from './json.js';

const space = '| " " | "\\n"{1,2} [ \\t]{0,20}';
const character = '[^"\\\\\\x7F\\x00-\\x1F] | [\\\\] (["\\\\bfnrt] | "u" [0-9a-fA-F]{4})';

/** In the converter's `PRIMITIVE_RULES`. */
const primitives: Readonly<Record<string, readonly [rule: string, ...needs: string[]]>> = {
  boolean: ['("true" | "false") space'],
  'decimal-part': ['[0-9]{1,16}'],
  'integral-part': ['[0] | [1-9] [0-9]{0,15}'],
  number: ['("-"? integral-part) ("." decimal-part)? ([eE] [-+]? integral-part)? space', 'integral-part', 'decimal-part'],
  integer: ['("-"? integral-part) space', 'integral-part'],
  value: ['object | array | string | number | boolean | null', 'object', 'array', 'string', 'number', 'boolean', 'null'],
  object: ['"{" space ( string ":" space value ("," space string ":" space value)* )? "}" space', 'string', 'value'],
  array: ['"[" space ( value ("," space value)* )? "]" space', 'value'],
  char: [character],
  string: ['"\\"" char* "\\"" space', 'char'],
  null: ['"null" space'],
};

/** `MAX_REPETITION_THRESHOLD`; releases before August 2026 refuse a maximum beyond it, later ones a minimum. */
const repetitionsMax = 2000;
/** Escapes that `parse_char` knows. */
const escapes = /\\(?![xuUtrn\\"[\]-])./;

export function llamaGrammar(parameters: Json): { grammar: string; problems: Problems } {
  const converter = new Converter();
  converter.visit(parameters, 'root', 'parameters');
  return { grammar: converter.grammar(), problems: converter.problems };
}

class Converter {
  readonly problems: Problems = [];
  readonly #rules = new Map([['space', space]]);

  grammar(): string {
    return [...this.#rules].map(([name, rule]) => `${name} ::= ${rule}\n`).join('');
  }

  /** Returns the name of the rule. */
  visit(schema: Json, name: string, path: string): string {
    const { type, properties, additionalProperties, items, pattern, minLength, maxLength } = schema;
    const alternatives = schema['oneOf'] ?? schema['anyOf'];
    if (schema['$ref'] !== undefined) this.problems.push(`${path}: $ref`);
    if (Array.isArray(alternatives)) return this.#add(name, this.#union(alternatives as Json[], name, path));
    if (Array.isArray(type))
      return this.#add(
        name,
        this.#union(
          type.map((each) => ({ ...schema, type: each })),
          name,
          path,
        ),
      );
    if ('const' in schema) return this.#add(name, `${literal(JSON.stringify(schema['const']))} space`);
    if (Array.isArray(schema['enum'])) return this.#add(name, `(${schema['enum'].map((each) => literal(JSON.stringify(each))).join(' | ')}) space`);
    const isObject = type === undefined || type === 'object';
    if (isObject && (isJson(properties) || (additionalProperties !== undefined && additionalProperties !== true)))
      return this.#add(name, this.#object(schema, name, path));
    if (isObject && schema['allOf'] !== undefined) this.problems.push(`${path}: allOf`);
    if ((type === undefined || type === 'array') && isJson(items)) return this.#add(name, this.#array(schema, items, name, path));
    if ((type === undefined || type === 'string') && typeof pattern === 'string') return this.#add(name, this.#pattern(pattern, name, path));
    if (type === 'string' && (minLength !== undefined || maxLength !== undefined)) {
      const [min, max] = [Number(minLength ?? 0), maxLength === undefined ? null : Number(maxLength)];
      return this.#add(name, `"\\"" ${this.#repeated(this.#primitive('char'), min, max, path)} "\\"" space`);
    }
    if (Object.keys(schema).length === 0 || type === 'object') return this.#add(name, this.#primitive('object'));
    if (type === undefined) return this.#add(name, this.#primitive('value'));
    // Bounds of integers become ranges of digits, which no parser refuses.
    if (typeof type === 'string' && type in primitives) return this.#add(name, this.#primitive(type));
    this.problems.push(`${path}: unrecognized schema ${JSON.stringify(schema)}`);
    return this.#add(name, '""');
  }

  #add(name: string, rule: string): string {
    const plain = name.replaceAll(/[^a-zA-Z0-9-]+/g, '-');
    let key = plain in primitives || plain === 'space' ? `${plain}-` : plain;
    for (let i = 0; this.#rules.has(key) && this.#rules.get(key) !== rule; i++) key = `${plain}${i}`;
    this.#rules.set(key, rule);
    return key;
  }

  #primitive(name: string): string {
    const [rule, ...needs] = primitives[name]!;
    if (!this.#rules.has(name)) {
      this.#rules.set(name, rule);
      for (const each of needs) this.#primitive(each);
    }
    return name;
  }

  #union(schemas: readonly Json[], name: string, path: string): string {
    return schemas.map((each, i) => this.visit(each, `${name}-${i}`, `${path}|`)).join(' | ');
  }

  #array({ minItems = 0, maxItems }: Json, items: Json, name: string, path: string): string {
    const item = this.visit(items, `${name}-item`, `${path}[]`);
    const [min, max] = [Number(minItems), maxItems === undefined ? null : Number(maxItems)];
    if (max === 0) return '"[" space "]" space';
    const more = this.#repeated(`("," space ${item})`, Math.max(0, min - 1), max === null ? null : max - 1, path);
    const all = `${item} ${more}`;
    return `"[" space ${min === 0 ? `(${all})?` : all} "]" space`;
  }

  /** Optional members keep their order, each with a rule for those after it. */
  #object({ properties, required, additionalProperties }: Json, name: string, path: string): string {
    const members = new Map<string, string>();
    const isRequired = (member: string): boolean => Array.isArray(required) && required.includes(member);
    for (const [member, schema] of Object.entries(isJson(properties) ? properties : {})) {
      const rule = this.visit(schema as Json, `${name}-${member}`, `${path}.${member}`);
      members.set(member, this.#add(`${name}-${member}-kv`, `${literal(JSON.stringify(member))} space ":" space ${rule}`));
    }
    const first = [...members.keys()].filter(isRequired);
    const optional = [...members.keys()].filter((member) => !isRequired(member));
    if (additionalProperties === true || isJson(additionalProperties)) {
      const value = isJson(additionalProperties)
        ? this.visit(additionalProperties, `${name}-additional-value`, `${path}.*`)
        : this.#primitive('value');
      members.set('*', this.#add(`${name}-additional-kv`, `${this.#primitive('string')} ":" space ${value}`));
      optional.push('*');
    }
    const from = (names: readonly string[], isFirst: boolean): string => {
      const [head, ...rest] = names;
      const more = `( "," space ${members.get(head!)!} )`;
      const own = isFirst ? `${members.get(head!)!}${head === '*' ? ` ${more}*` : ''}` : `${more}${head === '*' ? '*' : '?'}`;
      return rest.length === 0 ? own : `${own} ${this.#add(`${name}-${head!}-rest`, from(rest, false))}`;
    };
    const alternatives = optional.map((_, i) => from(optional.slice(i), true)).join(' | ');
    const start = first.map((member) => members.get(member)!).join(' "," space ');
    if (optional.length === 0) return `"{" space ${start} "}" space`;
    return `"{" space ${start} (${first.length === 0 ? alternatives : ` "," space ( ${alternatives} )`} )? "}" space`;
  }

  #repeated(rule: string, min: number, max: number | null, path: string): string {
    if (min > repetitionsMax || (max ?? 0) >= repetitionsMax) this.problems.push(`${path}: ${max ?? min} repetitions`);
    if (max === 0) return '""';
    if (min === 0 && max === 1) return `${rule}?`;
    if (max === null && min <= 1) return `${rule}${min === 0 ? '*' : '+'}`;
    return `${rule}{${min},${max ?? ''}}`;
  }

  #pattern(pattern: string, name: string, path: string): string {
    if (!pattern.startsWith('^') || !pattern.endsWith('$')) this.problems.push(`${path}: the pattern must start with ^ and end with $`);
    // Releases before 2026 refuse non-capturing groups (ggml-org/llama.cpp#22314); later ones drop what a lookaround says.
    if (pattern.includes('(?')) this.problems.push(`${path}: a group with ? in ${pattern}`);
    const tokens = pattern.slice(1, -1).matchAll(/\[(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|\\.|[\s\S]/g);
    const parts: string[] = [];
    for (const [token] of tokens) {
      const last = parts.at(-1) ?? '';
      if (token === '.') parts.push('[^\\x0A\\x0D]');
      else if (/^[()|]$|^\[/.test(token)) parts.push(token);
      else if (/^[*+?]$/.test(token)) parts.push(token);
      else if (/^\{\d/.test(token)) {
        const [min, max = min] = token.slice(1, -1).split(',');
        // A repeated part becomes a rule of its own, unless it is a group, which is one in the parser.
        const repeated = last === ')' || last.startsWith('"') ? '' : this.#add(`${name}-part`, last);
        if (repeated !== '') parts[parts.length - 1] = repeated;
        this.#repeated('x', Number(min), max === '' ? null : Number(max), path);
        parts.push(`{${min},${max}}`);
      } else parts.push(literal(/^\\[\^$.[\]()|{}*+?]$/.test(token) ? token.slice(1) : token, token.startsWith('\\')));
    }
    const rule = parts.join(' ').replaceAll(/ (?=[*+?](?: |$)|\{)/g, '');
    if (escapes.test(rule)) this.problems.push(`${path}: an escape that no grammar knows in ${pattern}`);
    return `"\\"" (${rule}) "\\"" space`;
  }
}

/** @param isEscaped whether a backslash in the text is already one of the grammar */
function literal(text: string, isEscaped = false): string {
  const escaped = isEscaped
    ? text.replaceAll('"', '\\"')
    : text.replaceAll(/[\r\n"\\]/g, (each) => ({ '\r': '\\r', '\n': '\\n' })[each] ?? `\\${each}`);
  return `"${escaped}"`;
}
