/** Exports without logs, metrics and traces: packages/store loads these, and with it programs that are not services. */
export { AsyncSignal } from './concurrency/async-signal.js';
export { Lazy } from './concurrency/lazy.js';
export { SingleFlight } from './concurrency/single-flight.js';
export { withinMs } from './concurrency/within-ms.js';
export { sha256, sha256Short, sortedJson } from './hash.js';
