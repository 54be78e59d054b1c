/** The SMTP server of `mail-server.mjs`, and what it received. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

export interface MailServerOptions {
  /** If unset, the server asks for no password. */
  user?: string;
  password?: string;
  /** Default: none. */
  tls?: 'none' | 'starttls' | 'implicit';
  /** Paths of PEM files, required with TLS. */
  certificate?: string;
  key?: string;
  /** Whether it refuses every recipient. */
  refuses?: boolean;
}

export interface ReceivedMail {
  /** Sender of the envelope. */
  from: string;
  to: string[];
  /** Lines of the header, unfolded. */
  headers: string[];
  subject: string;
  text: string;
  html: string;
  tls: boolean;
  user: string | null;
}

const program = fileURLToPath(new URL('../mail-server.mjs', import.meta.url));

export class MailServer {
  readonly port: number;
  readonly received: ReceivedMail[] = [];
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, lines: Interface, port: number) {
    this.port = port;
    this.#process = child;
    lines.on('line', (line) => void this.received.push(JSON.parse(line) as ReceivedMail));
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    return new MailServer(child, lines, (JSON.parse(line) as { port: number }).port);
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  to(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to.includes(address));
  }

  /** Waits for e-mails to an address. @param holding a text in each of them @returns the last of them */
  async mailTo(address: string, count = 1, holding = ''): Promise<ReceivedMail> {
    const found = (): ReceivedMail[] => this.to(address).filter(({ text }) => text.includes(holding));
    await until(() => found().length >= count, { what: `${count} e-mails to ${address}`, timeoutMs: 20_000 });
    return found().at(-1)!;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.stdin?.end();
    await ended;
  }
}

/** Returns the token of the link in an e-mail, behind the `#`. @param name of the parameter */
export function tokenIn({ text }: ReceivedMail, name: 'reset' | 'verify'): string {
  const found = new RegExp(`#${name}=([\\w-]+)$`, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`no link with ${name} in ${JSON.stringify(text)}`);
  return found;
}
