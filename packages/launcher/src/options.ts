import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export type DemoRobotKind = 'virtual' | 'micropython';

export interface StartOptions {
  help: boolean;
  json: boolean;
  /** Ports of the first gateway and the first robot-link; 0: any free port. */
  port: number;
  linkPort: number;
  gateways: number;
  links: number;
  renderers: number;
  webhooks: number;
  /** The kind of the demo robot; null: it is not connected. */
  robot: DemoRobotKind | null;
  person: 'answers' | 'none';
  /** Listen in the local network, not on loopback; an address, or 'chosen'. */
  lan: string | null;
  /** With `lan`: page and interface over https alone. */
  https: boolean;
}

/** scripts/start.mjs prints the same file before anything is built. */
export const helpText = readFileSync(new URL('../help.txt', import.meta.url), 'utf8');

export function parseOptions(args: readonly string[]): StartOptions {
  const { values } = parse(args);
  const robot = values['no-robot'] ? null : (values.robot ?? 'virtual');
  if (robot !== null && robot !== 'virtual' && robot !== 'micropython') throw new Error(`--robot ${robot}: must be virtual or micropython`);
  const person = values.person ?? 'answers';
  if (person !== 'none' && person !== 'answers') throw new Error(`--person ${person}: must be none or answers`);
  const lan = values['lan-address'] ?? (values.lan ? 'chosen' : null);
  if (values.https && lan === null) throw new Error('--https needs --lan');
  return {
    help: values.help ?? false,
    json: values.json ?? false,
    port: wholeNumber('--port', values.port, 8080, 0, 65_535),
    linkPort: wholeNumber('--link-port', values['link-port'], 8081, 0, 65_535),
    gateways: wholeNumber('--gateways', values.gateways, 1, 1, 16),
    links: wholeNumber('--links', values.links, 1, 1, 16),
    renderers: wholeNumber('--renderers', values.renderers, 1, 1, 16),
    webhooks: wholeNumber('--webhooks', values.webhooks, 1, 0, 16),
    robot,
    person,
    lan,
    https: values.https ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        json: { type: 'boolean' },
        port: { type: 'string' },
        'link-port': { type: 'string' },
        gateways: { type: 'string' },
        links: { type: 'string' },
        renderers: { type: 'string' },
        webhooks: { type: 'string' },
        robot: { type: 'string' },
        'no-robot': { type: 'boolean' },
        person: { type: 'string' },
        lan: { type: 'boolean' },
        'lan-address': { type: 'string' },
        https: { type: 'boolean' },
      },
    });
  } catch (error) {
    // Node adds advice after the first sentence.
    const sentence = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new Error(`${sentence} (--help lists the options)`, { cause: error });
  }
}

function wholeNumber(option: string, text: string | undefined, otherwise: number, min: number, max: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) throw new Error(`${option} ${text}: must be a whole number from ${min} to ${max}`);
  return number;
}
