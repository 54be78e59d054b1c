/** Sends each call on its own connection and from its own address. */
import type { Problem } from '../../drive.js';
import { exchangeRaw } from '../../http/raw-exchange.js';
import { headOf } from '../../http/shape.js';
import { answeredWithinMs, type Answer } from '../../answer-problems.js';
import { secret, type FuzzSystem } from '../../fuzz-system.js';
import type { Tally } from '../../tally.js';
import { consoleProblem, secretProblem, type Sent } from '../console-problems.js';
import type { Draft } from './drafts.js';
import { isSecure, type ConsoleEndpoint } from '../console-endpoint.js';
import { streamIn, streamProblem } from '../streams.js';

export interface ConsoleCall extends Draft {
  route: string | null;
  lines: readonly string[];
  secrets: readonly string[];
}

export interface ConsoleResult {
  /** Null if a stream began, or nothing came. */
  answer: Answer | null;
  problem: Problem | null;
}

const listenMs = 400;

export interface ConsoleCallerOptions {
  system: FuzzSystem;
  endpoint: ConsoleEndpoint;
  tally: Tally;
  target: string;
  otherIds?: readonly string[];
}

export class ConsoleCaller {
  readonly #endpoint: ConsoleEndpoint;
  readonly #tally: Tally;
  readonly #target: string;
  readonly #others: Sent['others'];
  #count = 0;

  constructor({ system, endpoint, tally, target, otherIds = [] }: ConsoleCallerOptions) {
    this.#endpoint = endpoint;
    this.#tally = tally;
    this.#target = target;
    this.#others = { secret, ids: [...system.others.robots.map(({ id }) => id), ...otherIds] };
  }

  async call(call: ConsoleCall): Promise<ConsoleResult> {
    const { method, path, body, lines, route } = call;
    const live = route === 'GET live' && method === 'GET';
    const bytes = bytesOf(call, this.#address());
    const received = await exchangeRaw({
      port: this.#endpoint.port,
      parts: [bytes],
      bodiless: () => method === 'HEAD',
      answers: 1,
      withinMs: live && call.ends.some(({ status }) => status === 200) ? listenMs : answeredWithinMs,
    });
    const [answer = null] = received.answers;
    const stream = answer === null ? streamIn(received.rest) : null;
    this.#tally.sent(this.#target);
    const code = /"code":"(\w+)"/.exec(answer?.text ?? '')?.[1];
    const how =
      answer === null
        ? stream === null
          ? received.closed
            ? 'closed'
            : 'no answer'
          : 'a stream'
        : [answer.status, code].filter((part) => part !== undefined).join(' ');
    this.#tally.answered(this.#target, how, answer?.tookMs ?? 0, `${route ?? path.slice(0, 100)}, ${call.what}`);
    const wrong = this.#wrong(call, answer, stream, received.closed);
    if (wrong === null) return { answer, problem: null };
    const shown = bytes.subarray(0, 3000).toString('latin1');
    const what = `${route ?? `${method} ${path.slice(0, 100)}`}, ${call.what} (${lines.length} header lines of the sender): ${wrong}`;
    return {
      answer,
      problem: {
        what,
        request: `${JSON.stringify(shown)} (body of ${body?.length ?? 0} bytes)`,
        answer: answer === null ? received.rest : `${answer.status} ${answer.text}`,
      },
    };
  }

  #wrong(call: ConsoleCall, answer: Answer | null, stream: ReturnType<typeof streamIn>, closed: boolean): string | null {
    const sent: Sent = { ...call, others: this.#others, secure: isSecure(this.#endpoint) };
    if (answer !== null) return consoleProblem(answer, sent);
    // A stream that begins late was read for too short a time.
    if (stream === null) return call.route === 'GET live' && !closed ? null : `no answer${closed ? ', but closed' : ''}`;
    if (!call.ends.some(({ status }) => status === 200)) return 'a stream, though access must be refused';
    const foreign = [this.#others.secret, ...this.#others.ids].find((word) => stream.text.includes(word));
    if (foreign !== undefined) return `a stream with ${foreign}, of another account`;
    return secretProblem(stream, sent) ?? (stream.headers['set-cookie'] === undefined ? streamProblem(stream) : 'a stream that sets a cookie');
  }

  /** As the proxy before the gateway writes it: the client's own claims come first. */
  #address(): string {
    const n = this.#count++;
    const own = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    return n % 7 === 0 ? `x-forwarded-for: 127.0.0.1, <script>, ${own}` : `x-forwarded-for: ${own}`;
  }
}

export function bytesOf({ method, path, headers, lines, body }: ConsoleCall, ...more: string[]): Buffer {
  const length = body === null ? [] : [`content-length: ${body.length}`];
  const head = headOf({ method, path, host: null, headers: [...lines, ...more, ...headers, ...length] });
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}
