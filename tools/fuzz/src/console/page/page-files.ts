import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../../packages/console/dist', import.meta.url));
const served = /^(?!.*(?:^|\/)\.)[\w./-]+\.(?:html|js|css|json|txt|svg|png|ico|woff2|webmanifest)$/;

export class PageTexts {
  #names: string[] = [];
  #texts = new Set<string>();

  constructor() {
    this.#read();
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** @param text decoded as UTF-8 */
  holds(text: string, encoding: string | undefined): boolean {
    const key = `${encoding ?? ''} ${text}`;
    if (this.#texts.has(key)) return true;
    // The console may have been rebuilt.
    this.#read();
    return this.#texts.has(key);
  }

  #read(): void {
    if (!existsSync(folder)) return;
    this.#names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => served.test(name));
    for (const name of this.#names) {
      for (const [encoding, ending] of [
        ['', ''],
        ['br', '.br'],
        ['gzip', '.gz'],
      ] as const) {
        const file = join(folder, name + ending);
        if (existsSync(file)) this.#texts.add(`${encoding} ${readFileSync(file, 'utf8')}`);
      }
    }
  }
}
