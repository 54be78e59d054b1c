/** @perch/store: the only package with access to Redis. Its folders, from the bottom, and what each holds: ARCHITECTURE.md. */
export { connect, type ConnectOptions, type Connections } from './redis/connections.js';
export { defaultUserOfFile, permitsWaitaof, type DefaultUser } from './redis/default-user.js';
export { inDoubt, StoreError, UncertainWrite, type StoreErrorKind } from './redis/errors.js';
export { isRobotId, newWaitPart, parseWaitId, waitId } from './redis/ids.js';
export { jobShardsMax } from './redis/keys.js';
export type { RedisCapability } from './redis/redis-capabilities.js';
export { memoryOfMasters, readRedis, type MasterMemory, type RedisReport } from './redis/redis-report.js';
export { beatLateMs, beatGoneMs, movingMaxMs, type InstanceHealth, type OfferedAddress } from './instances/instances.js';
export type { LinkLoad } from './instances/link-loads.js';
export { limitMax, type AccountLimits, type Limit } from './accounts/account-limits.js';
export { isProbeAccount, probeAccount, type Account, type Identity } from './accounts/accounts.js';
export type { JobBacklog } from './jobs/queues.js';
export type { Mailbox, WrittenMessage } from './messaging/messaging.js';
export type { UnreadableMessage, UnreadableReason } from './messaging/unreadable-message.js';
export { wireVersionWritten } from './messaging/wire-versions.js';
export {
  activityViewOf,
  usageViewOf,
  type ActivityBatch,
  type ActivityEntry,
  type ActivityKind,
  type ActivityPage,
  type ActivityQuery,
  type ActivityVia,
  type NumberedEntry,
  type UsageDay,
} from './activity/activity.js';
export { screenArgsBytesMax, screensKept, screenViewOf, type ScreenRecord } from './activity/screen-history.js';
export { otherUsageKey, pageUsageKey, UsageTally, type KeyUsage } from './activity/usage.js';
export { eventBytesMax, eventsPerSecondMax, type Append, type AppendResult, type EventPage } from './events/events.js';
export { allows, type Guest, type GuestPass, type SharedRobot, type ShareLink } from './guests/guests.js';
export type { SoundPart, SoundTake } from './media/growing-sounds.js';
export { defaultMediaBounds, overheadBytes, type MediaBounds, type MediaUsage } from './media/media-budget.js';
export { mediaLifeMs, mediaTtlMs, type MadeMedia, type RenderFailure } from './media/media.js';
export { renderQueues, type RenderQueue, type RenderShare } from './media/render-demand.js';
export type { RenderWorker } from './media/render-jobs.js';
export type { RenderHandlers } from './media/render-work.js';
export { renderHash, type ObtainOptions } from './media/renders.js';
export { pictureTtlMs } from './media/uploads.js';
export { callKeptMs, type BeginResult, type CallState, type Claim } from './calls/calls.js';
export { waitIdOf } from './calls/detached-waits.js';
export type { QueuedQuestion, QueueEntry, Taken } from './calls/queue.js';
export { armWithinMs, heldOf, type SettleResult, type StoredWait, type WaitNews } from './calls/waits.js';
export type { Hello, Lease, Playing, SavedLight, SavedState, TakenLease } from './robots/leases.js';
export type { PairingBegun, PairingPoll } from './robots/pairing.js';
export type { LabelChange } from './robots/robot-labels.js';
export type { ListRange, OwnersRobot, ProgramsRobot } from './robots/robot-list.js';
export type { Holder, RobotHello, RobotRecord } from './robots/robot-record.js';
export {
  countdownCardId,
  greyPageId,
  newCardId,
  newCountdownSeries,
  readPageId,
  seriesOfCard,
  turnsPages,
  waitOfPicture,
  waitPictureId,
  type ScreenPicture,
} from './robots/screen-pictures.js';
export type { Delivery } from './webhooks/deliveries.js';
export type { DeliveryHandlers, DeliveryWorker, SendResult } from './webhooks/delivery-worker.js';
export { checkAllEveryMs } from './webhooks/webhook-jobs.js';
export type { WebhookRecord } from './webhooks/webhooks.js';
export type { Admission, AdmittedKey, BucketState } from './keys/admissions.js';
export type { AdmitRequest, ApiKeyRecord } from './keys/api-keys.js';
export { passwordResetLifeMs, type PasswordReset } from './auth/one-time-tokens.js';
export { passkeysFull, passkeysMax, type NewPasskey, type Passkey } from './auth/passkeys.js';
export { isCommonPassword, passwordChars } from './auth/passwords.js';
export { deviceLifeMs, sessionLifeMs } from './auth/sessions.js';
export type { Ended, Ending, KeptBrowser } from './endings/endings.js';
export {
  endingReasons,
  endsOn,
  inventory,
  inventoryKinds,
  keptAs,
  type EndingReason,
  type InventoryKind,
  type InventoryLine,
} from './endings/inventory.js';
export type { IssuedTokens, NewGrant, Refusal } from './oauth/grants.js';
export type { RegisteredClient } from './oauth/oauth-clients.js';
export type { RemovalOptions } from './account-data/account-removal.js';
export { openStore, openStoreWhenUp, serviceStore, type Store, type StoreOptions } from './store.js';
