import { connect } from 'node:net';
import { answersIn, type Received } from './responses.js';

export interface RawOptions {
  port: number;
  /** Each in its own packet. */
  parts: readonly Buffer[];
  bodiless?: (n: number) => boolean;
  /** After them it waits a moment for unexpected ones. */
  answers: number;
  withinMs: number;
  localAddress?: string;
}

export interface RawReceived extends Received {
  closed: boolean;
  tookMs: number;
}

const momentMs = 40;

/** Never rejects: a broken connection counts as closed. */
export function exchangeRaw({ port, parts, bodiless = () => false, answers, withinMs, localAddress }: RawOptions): Promise<RawReceived> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let moment: NodeJS.Timeout | undefined;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, ...(localAddress === undefined ? {} : { localAddress }) });
    const received = (): Received => answersIn(Buffer.concat(chunks).toString('latin1'), bodiless, performance.now() - startedAt);
    const end = (closed: boolean): void => {
      clearTimeout(late);
      clearTimeout(moment);
      socket.destroy();
      resolve({ ...received(), closed, tookMs: performance.now() - startedAt });
    };
    const late = setTimeout(() => end(false), withinMs);
    socket.on('connect', () => void writeAll());
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (moment === undefined && received().answers.length >= answers) moment = setTimeout(() => end(false), momentMs);
    });
    socket.on('error', () => end(true)).on('close', () => end(true));

    async function writeAll(): Promise<void> {
      for (const part of parts) {
        if (!socket.writable) return;
        await new Promise<void>((written) => socket.write(part, () => written()));
      }
    }
  });
}
