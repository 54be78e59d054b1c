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
}

export const helpText = `Starts Perch on this machine, with a demo account, an API key and a virtual robot whose simulated person
answers questions after about a second. Press Ctrl-C to stop.

  npm start -- [options]

  --port N         port of the first gateway (8080); 0: any free port
  --link-port N    port of the first robot-link (8081); 0: any free port
  --gateways N     number of gateways (1); further ones get any free port
  --links N        number of robot-links (1); further ones get any free port
  --renderers N    number of renderers (1)
  --webhooks N     number of webhooks services (1); 0: none
  --robot KIND     virtual (default), or micropython: the program of robots/micropython in a process of its own
  --no-robot       do not connect the demo robot, so that your own client can connect with its token
  --person none    no simulated person at the demo robot: questions time out
  --lan            listen at this machine's address in the local network, for phones and robots (open to that network)
  --lan-address A  the same, at the address A of this machine
  --json           print one line of JSON to standard output when ready, the log to standard error
  --help           print this text

Redis: PERCH_REDIS_URL if set, else redis-server or valkey-server from PATH, else the redis-server that npm test downloaded,
with its files under .perch/ (PERCH_STATE_DIR sets another folder), else an embedded one that does not persist data. The demo's
key and robot are saved in the same folder. Settings of the services (docs/operate.md) are passed to them; PERCH_LOG_LEVEL=info
logs more.

  npm start
  npm start -- --port 9000 --gateways 2 --links 2 --renderers 2
  npm start -- --json --port 0 --link-port 0
  npm start -- --robot micropython
`;

export function parseOptions(args: readonly string[]): StartOptions {
  const { values } = parse(args);
  const robot = values['no-robot'] ? null : (values.robot ?? 'virtual');
  if (robot !== null && robot !== 'virtual' && robot !== 'micropython') throw new Error(`--robot ${robot}: must be virtual or micropython`);
  const person = values.person ?? 'answers';
  if (person !== 'none' && person !== 'answers') throw new Error(`--person ${person}: must be none or answers`);
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
    lan: values['lan-address'] ?? (values.lan ? 'chosen' : null),
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
