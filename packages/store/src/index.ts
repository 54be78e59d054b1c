/** @perch/store: the only package with access to Redis. */
export { openStoreWhenUp, serviceStore } from './open-store-when-up.js';
export { openStore, type Store } from './store.js';
export type { StoreOptions } from './store-options.js';
export { inDoubt, StoreError, UncertainWrite, type StoreErrorKind } from './redis/errors.js';
export type { ActivityBatch, ActivityPage, ActivityQuery, NumberedEntry, UsageDay } from './activity/activity.js';
export type { ActivityEntry, ActivityKind, ActivityVia } from './activity/activity.js';
export { activityViewOf, usageViewOf } from './activity/activity.js';
export { screenViewOf } from './activity/screen-history.js';
export { screensKept } from './activity/screen-history.js';
export { screenArgsBytesMax, type ScreenRecord } from './activity/screen-history.js';
export { otherUsageKey, pageUsageKey, UsageTally, type KeyUsage } from './activity/usage.js';
export { isRobotId, newWaitPart, parseWaitId, waitId } from './redis/ids.js';
export { limitMax, type AccountLimits, type Limit } from './accounts/account-limits.js';
export type { RemovalOptions } from './account-data/account-removal.js';
export type { Account, Identity } from './accounts/accounts.js';
export { isProbeAccount, probeAccount } from './accounts/probe-account.js';
export type { Admission, AdmittedKey, BucketState } from './keys/admitted-key.js';
export type { AdmitRequest, ApiKeyRecord } from './keys/api-keys.js';
export type { Guest, GuestPass } from './guests/guests.js';
export { allows, type ShareLink } from './guests/guests.js';
export type { SharedRobot } from './guests/guests.js';
export type { LabelChange } from './robots/robot-labels.js';
export type { ListRange, OwnersRobot, ProgramsRobot } from './robots/robot-list.js';
export { deviceLifeMs } from './auth/sessions.js';
export type { IssuedTokens, NewGrant, Refusal } from './oauth/grants.js';
export type { RegisteredClient } from './oauth/oauth-clients.js';
export { passkeysFull, passkeysMax, type NewPasskey, type Passkey } from './auth/passkeys.js';
export { isCommonPassword, passwordChars } from './auth/passwords.js';
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
export { passwordResetLifeMs, type PasswordReset } from './auth/one-time-tokens.js';
export { sessionLifeMs } from './auth/sessions.js';
export type { Holder, RobotHello, RobotRecord } from './robots/robot-record.js';
export type { PairingBegun, PairingPoll } from './robots/pairing.js';
export { beatLateMs, beatGoneMs, movingMaxMs, type InstanceHealth, type OfferedAddress } from './instances/instances.js';
export type { LinkLoad } from './instances/link-loads.js';
export type { Mailbox, WrittenMessage } from './messaging/messaging.js';
export type { UnreadableMessage, UnreadableReason } from './messaging/unreadable-message.js';
export {
  countdownCardId,
  greyPageId,
  readPageId,
  newCardId,
  newCountdownSeries,
  seriesOfCard,
  turnsPages,
  waitOfPicture,
  waitPictureId,
} from './robots/shown-cards.js';
export type { ShownPicture } from './robots/shown-cards.js';
export type { Hello, Lease, Playing, SavedLight, SavedState, TakenLease } from './robots/leases.js';
export { eventBytesMax, eventsPerSecondMax, type Append, type AppendResult, type EventPage } from './events/events.js';
export type { WaitNews } from './calls/waits.js';
export { waitIdOf } from './calls/detached-waits.js';
export { heldOf } from './calls/waits.js';
export { armWithinMs, type SettleResult, type StoredWait } from './calls/waits.js';
export type { QueuedQuestion, QueueEntry, Taken } from './calls/queue.js';
export { callKeptMs, type BeginResult, type CallState, type Claim } from './calls/calls.js';
export { defaultMediaBounds, overheadBytes, type MediaBounds } from './media/media-budget.js';
export { jobShardsMax } from './redis/keys.js';
export { checkAllEveryMs } from './webhooks/webhook-jobs.js';
export { defaultUserOfFile, permitsWaitaof, type DefaultUser } from './redis/default-user.js';
export { memoryOfMasters, type MasterMemory } from './redis/redis-report.js';
export type { JobBacklog } from './media/render-jobs.js';
export type { MediaUsage } from './media/media-budget.js';
export { wireVersionWritten } from './messaging/wire-versions.js';
export { pictureTtlMs } from './media/uploads.js';
export type { SoundPart, SoundTake } from './media/growing-sounds.js';
export { mediaLifeMs, mediaTtlMs, type MadeMedia, type RenderFailure } from './media/media.js';
export { renderHash, type ObtainOptions } from './media/renders.js';
export type { Delivery } from './webhooks/deliveries.js';
export type { DeliveryHandlers, DeliveryWorker, SendResult } from './webhooks/delivery-worker.js';
export type { WebhookRecord } from './webhooks/webhooks.js';
export type { RenderWorker } from './media/render-jobs.js';
export { renderQueues, type RenderQueue, type RenderShare } from './media/render-demand.js';
export type { RenderHandlers } from './media/render-work.js';
export { connect, type ConnectOptions, type Connections } from './redis/connections.js';
export { readRedis, type RedisReport } from './redis/redis-report.js';
export type { RedisCapability } from './redis/redis-capabilities.js';
