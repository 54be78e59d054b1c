/** @perch/store: the only door to Redis. */
export { openStore, type Store, type StoreOptions } from './store.js';
export { StoreError, type StoreErrorKind } from './errors.js';
export type { Account } from './accounts.js';
export type { Admission, AdmitRequest, AdmittedKey, ApiKeyRecord, BucketState } from './api-keys.js';
export type { Holder, RobotHello, RobotRecord } from './robots.js';
export type { PairingBegun, PairingPoll } from './pairing.js';
export { beatLateMs, beatGoneMs, type InstanceHealth } from './instances.js';
export type { Mailbox } from './messaging.js';
export type { Hello, Lease, Playing, SavedState, Taken } from './leases.js';
export { eventBytesMax, eventsPerSecondMax, type Append, type Appended, type EventPage } from './events.js';
export { armWithinMs, type Settled } from './waits.js';
export { callKeptMs, type Begun, type CallState } from './calls.js';
export { mediaTtlMs, type MadeMedia, type RenderFailure } from './media.js';
export { renderHash, type ObtainOptions } from './renders.js';
export type { RenderHandlers, RenderWorker } from './jobs.js';
export { connect, type Connections } from './redis.js';
