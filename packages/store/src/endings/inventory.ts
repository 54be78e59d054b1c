/**
 * Inventory: what an account, a key and a guest leave behind that can still be used, and which reason ends it. `Endings` does what it says, the table in
 * docs/security.md is compared with it, and `keptAs` names the line of each key of keys.ts, so that a new kind does not compile without one.
 */
import type { accountKeys, robotKeys, sharedKeys } from '../redis/keys.js';

export const endingReasons = {
  /** For one API key, or one client's grant. */
  key_revoked: 'a key or a client is revoked',
  /** A person was removed from a robot, gave it up, or may only watch from now on. */
  sharing_ended: 'a guest is removed',
  /** By the owner or the operator, or because a passkey was removed. */
  signed_out: 'all browsers are signed out',
  password_changed: 'the password is changed',
  /** By the link of an e-mail to an address that was verified before. */
  password_reset: 'a later reset',
  /** By the link of an e-mail, in a browser that is not signed in: all that was made before may be somebody else's. */
  address_proven: 'a reset as first proof of the address',
  account_removed: 'the account is deleted',
} as const;

export type EndingReason = keyof typeof endingReasons;

export interface InventoryLine {
  what: string;
  /** Other reasons leave it. */
  ends: readonly EndingReason[];
  /** The page lists it, and asks the owner. */
  asks?: readonly EndingReason[];
}

const all = Object.keys(endingReasons) as EndingReason[];
const signIn: readonly EndingReason[] = ['signed_out', 'password_changed', 'password_reset', 'address_proven', 'account_removed'];
const made: readonly EndingReason[] = ['address_proven', 'account_removed'];

export const inventory = {
  sign_in: { what: 'sign-ins of browsers', ends: signIn },
  device: { what: 'known browsers, which have a count of wrong passwords of their own', ends: signIn },
  sign_in_link: { what: 'links of the operator that sign in', ends: signIn },
  reset_link: { what: 'links that set a new password', ends: ['password_changed', 'password_reset', ...made] },
  verification_link: { what: 'links that verify the address', ends: made },
  passkey: { what: 'passkeys', ends: made, asks: ['password_reset'] },
  key: { what: 'API keys, with a former secret', ends: ['key_revoked', ...made], asks: ['password_reset'] },
  grant: { what: 'connected clients, with their codes, access and refresh tokens', ends: ['key_revoked', 'password_reset', ...made] },
  webhook: { what: 'webhooks', ends: made, asks: ['key_revoked'] },
  share_link: { what: 'share links', ends: made },
  guest: { what: 'people with whom robots are shared', ends: ['sharing_ended', ...made] },
  shared_robot: { what: 'robots that others share with the account', ends: ['account_removed'] },
  robot: { what: 'robots, with their tokens', ends: ['account_removed'] },
  open_call: { what: 'open calls, event streams and subscriptions of what ended', ends: all },
  detached_wait: {
    what: 'questions that outlive their calls, of what ended',
    ends: all.filter((reason) => !['signed_out', 'password_changed'].includes(reason)),
  },
  queue_entry: {
    what: "entries in robots' queues, of what ended",
    ends: all.filter((reason) => !['signed_out', 'password_changed'].includes(reason)),
  },
} as const satisfies Record<string, InventoryLine>;

export type InventoryKind = keyof typeof inventory;

export const inventoryKinds = Object.keys(inventory) as InventoryKind[];

export function endsOn(kind: InventoryKind, reason: EndingReason): boolean {
  return (inventory[kind].ends as readonly EndingReason[]).includes(reason);
}

/** `data`: grants nobody anything, or is deleted with the account or the robot alone. */
type Kept = InventoryKind | 'data';

export const keptAs: {
  account: Readonly<Record<keyof typeof accountKeys, Kept>>;
  robot: Readonly<Record<keyof typeof robotKeys, Kept>>;
  shared: Readonly<Record<keyof typeof sharedKeys, Kept>>;
} = {
  account: {
    record: 'data',
    robots: 'robot',
    serials: 'robot',
    labels: 'data',
    shared: 'shared_robot',
    apiKeys: 'key',
    sessions: 'sign_in',
    pageBucket: 'data',
    signInLinks: 'sign_in_link',
    devices: 'device',
    passkeys: 'passkey',
    passkey: 'passkey',
    webhooks: 'webhook',
    webhookDeliveries: 'webhook',
    webhookOpen: 'webhook',
    webhookEnded: 'webhook',
    media: 'data',
    mediaData: 'data',
    soundGrowing: 'data',
    soundTake: 'data',
    stored: 'data',
    mediaChannel: 'data',
    upload: 'data',
    picture: 'data',
    pictures: 'data',
    quota: 'data',
    quotaBytes: 'data',
    activityHead: 'data',
    activityCalls: 'data',
    activityChanges: 'data',
    usage: 'data',
    screens: 'data',
  },
  robot: {
    record: 'robot',
    lease: 'data',
    log: 'data',
    events: 'data',
    waitHead: 'open_call',
    drawnWaits: 'open_call',
    wait: 'detached_wait',
    detachedWaits: 'detached_wait',
    queue: 'queue_entry',
    queueEntries: 'queue_entry',
    saved: 'data',
    card: 'data',
    countdown: 'data',
    lines: 'data',
    playing: 'data',
    call: 'open_call',
    callBytes: 'data',
    guests: 'guest',
    shareLinks: 'share_link',
    callsChannel: 'open_call',
    eventsChannel: 'open_call',
    waitsChannel: 'open_call',
  },
  shared: {
    dataVersion: 'data',
    accounts: 'data',
    accountRemovals: 'data',
    hookedAccounts: 'webhook',
    email: 'data',
    identity: 'data',
    passkey: 'passkey',
    once: 'sign_in_link',
    oauthClient: 'data',
    oauthClientSites: 'data',
    unusedOAuthClients: 'data',
    unusedOAuthClientsBySite: 'data',
    attempts: 'data',
    numbering: 'data',
    markTogether: 'data',
    markAlone: 'data',
    written: 'data',
    synced: 'data',
    token: 'robot',
    accountActions: 'data',
    accountActionLimits: 'data',
    detachedWaits: 'detached_wait',
    asked: 'data',
    queuedRobots: 'queue_entry',
    linkLoads: 'data',
    addresses: 'data',
    mediaBudget: 'data',
    mediaBudgetBytes: 'data',
    mediaBudgetReserved: 'data',
    mediaBudgetShared: 'data',
    jobs: 'data',
    jobShards: 'data',
    jobShardWorkers: 'data',
    renderDemand: 'data',
    renderClaim: 'data',
    renderPlaces: 'data',
    rendererChannel: 'data',
  },
};
