/** Exports without logs, metrics and traces: packages/store loads these, and with it programs that are not services. */
export { AsyncSignal, Lazy, SingleFlight, withinMs } from './concurrency.js';
export { sha256, sha256Short, sortedJson } from './hash.js';
