export interface Probe {
  what: string;
  value: unknown;
}
