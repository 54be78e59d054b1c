/**
 * Limits equal log lines, so that a dependency that fails thousands of times a second does not fill the disk with one error.
 * Lines are equal if level, message, code and kind of error are. Only warnings and errors are limited automatically: lines of lower levels record
 * actions of users, and their writers use `EqualLines` where a limit is needed.
 */
import { levels, type Logger } from 'pino';

export interface EqualLinesLimit {
  linesMax: number;
  windowMs: number;
}
const defaultLimit: EqualLinesLimit = { linesMax: 20, windowMs: 10_000 };
/** An outage makes the same lines each second, in every instance, for as long as it lasts. */
const outsideLimit: EqualLinesLimit = { linesMax: 1, windowMs: 60_000 };
/** Maximum number of kinds of lines counted at a time; further kinds are not limited. */
const kindsMax = 1000;

interface Window {
  count: number;
  leftOut: number;
}

export class EqualLines {
  readonly #limit: EqualLinesLimit;
  readonly #windows = new Map<string, Window>();

  constructor(limit: EqualLinesLimit = defaultLimit) {
    this.#limit = limit;
  }

  /** True for the first lines of a kind in a time window. @param summarize called at its end with the number of lines left out, if any */
  admit(kind: string, summarize: (leftOut: number, withinMs: number) => void): boolean {
    const { linesMax, windowMs } = this.#limit;
    const window = this.#windows.get(kind);
    if (window !== undefined) {
      window.count += 1;
      if (window.count > linesMax) window.leftOut += 1;
      return window.count <= linesMax;
    }
    if (this.#windows.size >= kindsMax) return true;
    const opened: Window = { count: 1, leftOut: 0 };
    this.#windows.set(kind, opened);
    const close = (): void => {
      this.#windows.delete(kind);
      if (opened.leftOut > 0) summarize(opened.leftOut, windowMs);
    };
    setTimeout(close, windowMs).unref();
    return true;
  }
}

type LogMethod = (this: Logger, args: unknown[], method: (...args: unknown[]) => void, level: number) => void;

/** Returns a pino `logMethod` hook that writes the first equal lines of a time window at once, then one summary with the number left out. */
export function limitEqualLines(limit: EqualLinesLimit = defaultLimit): LogMethod {
  const lines = new EqualLines(limit);
  const outside = new EqualLines(outsideLimit);
  return function (args, method, level) {
    if (level < levels.values['warn']! || level >= levels.values['fatal']!) return method.apply(this, args);
    const { message, error, limited } = partsOf(args);
    const summarize = (leftOut: number, withinMs: number): void => {
      const summary = { left_out: leftOut, within_ms: withinMs, line: message, ...(error === null ? {} : { error }) };
      method.call(this, summary, 'equal lines were left out');
    };
    if ((limited === 'outside' ? outside : lines).admit(`${level} ${message} ${error ?? ''}`, summarize)) method.apply(this, args);
  };
}

/** Whether an error reports the state of something outside this process: a server that is down or refuses, a connection. */
export function isOutside(error: Error): boolean {
  const { kind, syscall } = error as Error & { kind?: unknown; syscall?: unknown };
  return kind === 'unavailable' || syscall !== undefined || error.name === 'ReplyError';
}

/** Returns the message of the line, its code, and the error by class and code, without the error's message, which may contain an id; but with what is said from outside. */
function partsOf(args: readonly unknown[]): { message: string; error: string | null; limited: 'equal' | 'outside' } {
  const [first, second] = args;
  if (typeof first === 'string') return { message: first, error: null, limited: 'equal' };
  const message = typeof second === 'string' ? second : '';
  const fields = first instanceof Error ? { err: first } : ((first ?? {}) as { err?: unknown; code?: unknown });
  const { err } = fields;
  const ofLine = 'code' in fields && typeof fields.code === 'string' ? fields.code : undefined;
  if (!(err instanceof Error)) return { message, error: ofLine ?? null, limited: 'equal' };
  const { code, kind } = err as Error & { code?: unknown; kind?: unknown };
  const limited = isOutside(err) ? 'outside' : 'equal';
  const said = limited === 'outside' ? err.message : undefined;
  return { message, error: [ofLine, err.name, code, kind, said].filter((part) => typeof part === 'string').join(' '), limited };
}
