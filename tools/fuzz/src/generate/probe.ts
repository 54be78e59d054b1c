/** A value to send, and its description for a failed check. */
export interface Probe {
  what: string;
  value: unknown;
}
