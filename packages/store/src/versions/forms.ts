/** Parses JSON that an instance of another release may have written. Unreadable values are counted, reported, and treated as missing as a whole. */
import { cardCountdownFits, isObject, renderJobFits, toGatewayProblem, waitRecordFits } from '@perch/schema';
import { formats, type FormatName } from './formats.js';

/** Checks values that could do harm if misread: they reach a robot or a renderer. */
const shapes: Partial<Record<FormatName, (value: object) => boolean>> = {
  wait_record: waitRecordFits,
  call_reply: (value) => toGatewayProblem(value) === null,
  render_job: renderJobFits,
  robot_countdown: cardCountdownFits,
};

export class Forms {
  /** By format, since this instance started. */
  readonly unreadable = new Map<FormatName, number>();
  readonly #onError: (error: Error) => void;

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** Null when this release cannot read it. Never throws. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type that belongs to the format
  read<T extends object>(format: FormatName, text: string): T | null {
    let value: unknown = null;
    try {
      value = JSON.parse(text);
    } catch {
      // Not JSON: unreadable.
    }
    return this.fits(format, value) ? (value as T) : null;
  }

  fits(format: FormatName, value: unknown): boolean {
    const version: unknown = isObject(value) ? (value['v'] ?? 1) : null;
    const known = (formats[format].reads as readonly unknown[]).includes(version);
    if (known && (shapes[format]?.(value as object) ?? true)) return true;
    this.unreadable.set(format, (this.unreadable.get(format) ?? 0) + 1);
    const why = !isObject(value)
      ? 'it is not a JSON object'
      : known
        ? 'its fields do not have the shape of that version'
        : `this release does not read it`;
    this.#onError(new Error(`A ${format} of version ${JSON.stringify(version)?.slice(0, 20)} cannot be read: ${why}.`));
    return false;
  }
}
