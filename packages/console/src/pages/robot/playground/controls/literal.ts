/** Formats arguments as source code of a language, on several lines if one line would be too long. */
import { PickedPicture } from '../draft/draft.js';

export interface Language {
  text(value: string): string;
  word(value: boolean | null): string;
  key(name: string): string;
  brace: '' | ' ';
  /** Expression that reads the contents of a picture file. */
  picture(fileName: string): string;
  indent: string;
  lastComma: boolean;
}

/** @param value JSON, with `PickedPicture` for pictures @param room maximum line length, characters */
export function literal(value: unknown, language: Language, room = 80): string {
  if (typeof value === 'string') return language.text(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean' || value === null) return language.word(value);
  if (typeof value !== 'object') return language.word(null);
  if (value instanceof PickedPicture) return language.picture(value.fileName);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const within = room - language.indent.length;
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, language, within))
    : Object.entries(value).map(([name, each]) => `${language.key(name)}: ${literal(each, language, within - name.length - 2)}`);
  if (parts.length === 0) return `${open}${close}`;
  const brace = open === '{' ? language.brace : '';
  const line = `${open}${brace}${parts.join(', ')}${brace}${close}`;
  if (line.length <= room && !line.includes('\n')) return line;
  const rows = parts.map((part) => `${language.indent}${part.replaceAll('\n', `\n${language.indent}`)}`).join(',\n');
  return [open, language.lastComma ? `${rows},` : rows, close].join('\n');
}
