/** @perch/store: the only door to Redis. */
export { openStore, type Store, type StoreOptions } from './store.js';
export { StoreError, type StoreErrorKind } from './errors.js';
export { beatLateMs, beatGoneMs, type InstanceHealth } from './instances.js';
export type { Mailbox } from './messaging.js';
export type { Hello, Lease, Playing, SavedState, Taken } from './leases.js';
export { eventBytesMax, eventsPerSecondMax, type Append, type Appended, type EventPage } from './events.js';
export { armWithinMs, type Settled } from './waits.js';
export { connect, type Connections } from './redis.js';
