/**
 * Limits equal log lines: a dependency that fails thousands of times a second must not fill the disk with its one error.
 * Lines are equal when level, message and kind of error are. Only warnings and errors are limited: lower levels record what people did.
 */
import { levels, type Logger } from 'pino';

export interface EqualLinesLimit {
  linesMax: number;
  windowMs: number;
}
const defaultLimit: EqualLinesLimit = { linesMax: 20, windowMs: 10_000 };
/** Different lines counted at a time; beyond it a line is not limited. */
const kindsMax = 1000;

interface Window {
  count: number;
  leftOut: number;
}

type LogMethod = (this: Logger, args: unknown[], method: (...args: unknown[]) => void, level: number) => void;

/** Returns a pino `logMethod` hook that writes the first equal lines of a time window at once, then one summary with the number left out. */
export function limitEqualLines({ linesMax, windowMs }: EqualLinesLimit = defaultLimit): LogMethod {
  const windows = new Map<string, Window>();
  return function (args, method, level) {
    if (level < levels.values['warn']! || level >= levels.values['fatal']!) return method.apply(this, args);
    const { message, error } = partsOf(args);
    const kind = `${level} ${message} ${error ?? ''}`;
    const window = windows.get(kind);
    if (window !== undefined) {
      window.count += 1;
      if (window.count <= linesMax) method.apply(this, args);
      else window.leftOut += 1;
      return;
    }
    method.apply(this, args);
    if (windows.size >= kindsMax) return;
    const opened: Window = { count: 1, leftOut: 0 };
    windows.set(kind, opened);
    const close = (): void => {
      windows.delete(kind);
      if (opened.leftOut === 0) return;
      const summary = { left_out: opened.leftOut, within_ms: windowMs, line: message, ...(error === null ? {} : { error }) };
      method.call(this, summary, 'equal lines were left out');
    };
    setTimeout(close, windowMs).unref();
  };
}

/** The error by its class and code, without its message: that may carry an id. */
function partsOf(args: readonly unknown[]): { message: string; error: string | null } {
  const [first, second] = args;
  if (typeof first === 'string') return { message: first, error: null };
  const message = typeof second === 'string' ? second : '';
  const err: unknown = first instanceof Error ? first : (first as { err?: unknown } | null)?.err;
  if (!(err instanceof Error)) return { message, error: null };
  const { code, kind } = err as Error & { code?: unknown; kind?: unknown };
  return { message, error: [err.name, code, kind].filter((part) => typeof part === 'string').join(' ') };
}
