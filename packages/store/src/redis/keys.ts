/**
 * All keys and channels in Redis, with their content and lifetime. The part in braces is the Redis Cluster hash tag: a robot's keys share `{robot}`,
 * an API key's `{sha}`, an account's `{account}`. A script touches one tag and publishes only on channels of that tag.
 */
import keySlot from 'cluster-key-slot';

/** Keys and channels of one robot, tag `{robot}`. They live until the robot is removed, unless a TTL is given. */
export const robotKeys = {
  /**
   * hash: account, name, created_at (ms), run_id (of the Redis process it was created on), token_hash, serial, virtual (1: created as a virtual
   * robot), from its owner: time_zone, volume_max (percent), quiet_hours (`22:00-07:00`), each absent or '' if not set; update (JSON: offered version and
   * state of the updates of the robot program); and from the latest hello: model, firmware, hello (JSON), session.
   */
  record: (robot: string) => `perch:{${robot}}`,
  /**
   * hash: state held|moving|away, instance, session, since (ms), boot_id, dial, due (1: a `connected` event must still be appended), back_at (ms,
   * when the robot last returned after counting as away, or started).
   */
  lease: (robot: string) => `perch:{${robot}}:lease`,
  /**
   * hash: seq (last event), run_id (id of the numbering: the Redis process that numbered it, or one that continues it), jumped_to (first number after
   * numbering last jumped), boot_id, in_seq (last stored input) and safe_seq (all inputs up to it are stored), near, usb, second and second_n (events
   * in this second), bytes (of its events), hooked (last event handed to webhooks; absent if no webhook wants the robot's events).
   */
  log: (robot: string) => `perch:{${robot}}:log`,
  /** stream: id `<seq>-0`, fields n (name), d (data, JSON), t (ms). The last 1,000. TTL: the age at which events are dropped, from the last event. */
  events: (robot: string) => `perch:{${robot}}:events`,
  /**
   * hash: given (last number), opened (highest opened), open (the open one, or absent), asked (the last that asked, and who), ended_at (when an open one
   * ended other than by a newer one, ms), stopped (that of the last stop).
   */
  waitHead: (robot: string) => `perch:{${robot}}:waits`,
  /** zset: number of each wait that is being drawn, for which the robot's queue waits -> since when (ms). TTL 15 s from the last. */
  drawnWaits: (robot: string) => `perch:{${robot}}:drawn-waits`,
  /**
   * hash: record, armed, outcome, detached (JSON), opened_at (ms), counts_after (how long its picture shows before a touch counts, ms), ended (when, and
   * the lease's state, since and back_at then), told (1: its event is appended). Of a question of the queue also queued (1), became (the number that it
   * opens with) and opened (1: it has). TTL: time-out + 70 s, from arming + 60 s; 9 min more for a call under an Idempotency-Key; if detached, an hour
   * from its end.
   */
  wait: (robot: string, number: number | '') => `perch:{${robot}}:wait:${number}`,
  /** zset: number of each detached wait, which outlives its call -> the same. The last 50. TTL: that of the latest. */
  detachedWaits: (robot: string) => `perch:{${robot}}:detached-waits`,
  /** zset: number of each action in the robot's queue -> its place: (9 - priority) * 10^14 + number. At most 20 that are not over. TTL as its entries. */
  queue: (robot: string) => `perch:{${robot}}:queue`,
  /**
   * hash: number -> entry (JSON, at most 8 KB), until:<number> -> when it expires (ms; `q` after it: a question); taken and taken_as (the entry that a
   * gateway shows, and the number of its wait), taken_until (ms), sending (1: its command may have been sent); free_at (ms: a card of the queue shows
   * until then). TTL: a minute from when the last one expires, or is no longer shown.
   */
  queueEntries: (robot: string) => `perch:{${robot}}:queue:entries`,
  /** string: what `state` answers when the instance does not reply: readings, readings_at, showing (JSON). Written at most every 30 s. */
  saved: (robot: string) => `perch:{${robot}}:saved`,
  /**
   * string: the picture on the card layer once it has shown for 10 s: one line of JSON (id, format, notes, says), then its bytes, at most 256 KB. TTL 3 d, renewed
   * daily while it shows.
   */
  card: (robot: string) => `perch:{${robot}}:card`,
  /**
   * string: the countdown on the card layer (JSON: series, end, scene, formats, bytesMax), for an instance that takes the robot over. At most 16 KB. TTL
   * 1 d from its end.
   */
  countdown: (robot: string) => `perch:{${robot}}:countdown`,
  /** list: log lines of the robot, `<ms> <level> <text>`. The last 100. TTL 7 d from the last line. */
  lines: (robot: string) => `perch:{${robot}}:lines`,
  /** string: the sound being played (JSON), for an instance that takes the robot over. TTL: its length + 60 s. */
  playing: (robot: string) => `perch:{${robot}}:playing`,
  /**
   * hash: a call under an Idempotency-Key, by the hash of API key and Idempotency-Key: fingerprint, claim and gateway (which executes it), begun_at
   * and wanted_at (ms), reply:<step> (JSON) of each of its commands, wait (its number). Once it is over: fingerprint and outcome (JSON); the others stay
   * if the robot-link stored the outcome with the reply. TTL: 15 min from its beginning, 10 min from its end.
   */
  call: (robot: string, name: string) => `perch:{${robot}}:call:${name}`,
  /**
   * hash: bytes of the robot's calls under an Idempotency-Key, by when they no longer count (ms, full minutes); total (at most 16 MB), minute (ms, when
   * the others were last removed). TTL 16 min from the last minute with a call.
   */
  callBytes: (robot: string) => `perch:{${robot}}:calls:minutes`,
  /**
   * hash: account of each person with whom the robot is shared -> `<watch|use> <since, ms> <e-mail address>`. Together with `shareLinks` at most 20.
   * May be left of a robot that 0.9.0 removed; grants nothing without the robot's record.
   */
  guests: (robot: string) => `perch:{${robot}}:guests`,
  /** hash: hash of the token of each share link that nobody has accepted -> `<watch|use> <when it expires, ms>`. TTL 7 d from the latest link. */
  shareLinks: (robot: string) => `perch:{${robot}}:share-links`,
  /** channel: the name of a call under an Idempotency-Key that ended, and its refusal (JSON) if the record was deleted. */
  callsChannel: (robot: string) => `perch:{${robot}}:wake:calls`,
  /** channel: the number of an event just appended; 0 when the robot was removed. */
  eventsChannel: (robot: string) => `perch:{${robot}}:wake:events`,
  /**
   * channel: the number of a wait that was armed or settled, or of a stop. Before that of an armed or settled wait comes the number with what was stored
   * (JSON).
   */
  waitsChannel: (robot: string) => `perch:{${robot}}:wake:waits`,
} as const;

/** Keys and channels of one instance of a service. */
export const instanceKeys = {
  /** string: Redis time (ms) of its latest heartbeat, TTL 6 s; or `-` and when a reader counted it as dead, until its next heartbeat, TTL 1 h. */
  beat: (instance: string) => `perch:{${instance}}:beat`,
  /** string: its release and the message versions that it reads (JSON); see `wire-versions.ts`. TTL 6 s. */
  reads: (instance: string) => `perch:{${instance}}:reads`,
  /** channel: batches of messages (JSON) to it; `unreadable-message.ts` describes what all versions have in common. */
  inbox: (instance: string) => `perch:{${instance}}:inbox`,
} as const;

/** Keys and channels of one account, tag `{account}`. They live until they are removed, unless a TTL is given. */
export const accountKeys = {
  /**
   * hash: email (as given), created_at (ms), password (argon2id, PHC form; absent if none), identity (as `sharedKeys.identity`; for an account
   * created through OpenID Connect), verified_at (ms, when its address was verified; absent if it was not), robots_max and keys_max (its own limits: a number or `none`), removing (ms, when its removal began).
   */
  record: (account: string) => `perch:{${account}}`,
  /** set: ids of the account's robots; a robot belongs to the account only if its record exists as well. */
  robots: (account: string) => `perch:{${account}}:robots`,
  /** hash: serial -> robot. */
  serials: (account: string) => `perch:{${account}}:serials`,
  /**
   * hash: robot -> its labels, `floor=2;room=r1`, ascending by key. At most 16 a robot, 97 characters each. May have
   * the entry of a robot that 0.9.0 removed.
   */
  labels: (account: string) => `perch:{${account}}:labels`,
  /**
   * zset: robot of another account that is shared with this one -> since when (ms). At most 200. The robot's `guests` decide; an entry that they do
   * not have is dropped a minute after it was written.
   */
  shared: (account: string) => `perch:{${account}}:shared`,
  /** hash: key id -> hash of the key, created_at (ms), and after a new secret the hash of the one before. Of an OAuth client's grant: its hash, created_at, and the hashes of its latest access tokens, at most two. */
  apiKeys: (account: string) => `perch:{${account}}:api-keys`,
  /** zset: hash of a session's secret -> when it expires (ms). At most 100. */
  sessions: (account: string) => `perch:{${account}}:sessions`,
  /** string: bucket of the web page's actions, of all sessions together: `<level> <at>`, µs. TTL: until it is full again. */
  pageBucket: (account: string) => `perch:{${account}}:page-bucket`,
  /** zset: hash of each link that signs in to the account -> when it expires (ms). TTL: that of the longest. */
  signInLinks: (account: string) => `perch:{${account}}:sign-in-links`,
  /** zset: hash of the secret of a browser that signed in before -> when it is forgotten (ms). At most 20. TTL 180 d from the latest sign-in. */
  devices: (account: string) => `perch:{${account}}:devices`,
  /** zset: passkey -> when it was added (ms). At most 10. */
  passkeys: (account: string) => `perch:{${account}}:passkeys`,
  /**
   * hash: credential (its id, base64url), public_key (COSE, base64url), counter (of signatures), transports (`usb,nfc`), host (that it was added at),
   * synced (1: its provider copies it to other devices), name, created_at and last_used (ms).
   */
  passkey: (account: string, passkey: string) => `perch:{${account}}:passkey:${passkey}`,
  /** hash: webhook -> record (JSON, with its secret). At most 20. */
  webhooks: (account: string) => `perch:{${account}}:webhooks`,
  /** hash: message -> delivery (JSON). Lives as `webhookOpen` and `webhookEnded`. */
  webhookDeliveries: (account: string, webhook: string) => `perch:{${account}}:webhook:${webhook}`,
  /** zset: messages waiting to be sent -> since when (ms). At most 500. TTL 3 d from the last one. */
  webhookOpen: (account: string, webhook: string) => `perch:{${account}}:webhook:${webhook}:open`,
  /** zset: messages that were delivered or abandoned -> when (ms). The last 100. TTL 3 d from the last one. */
  webhookEnded: (account: string, webhook: string) => `perch:{${account}}:webhook:${webhook}:ended`,
  /** string: result of a render, JSON: a reference or a failure. TTL: 60 s or more (reference), 5 s (failure). */
  media: (account: string, hash: string) => `perch:{${account}}:media:${hash}`,
  /** string: the bytes of a finished picture or sound. TTL as for its reference. */
  mediaData: (account: string, hash: string) => `perch:{${account}}:media:${hash}:data`,
  /** string: reference of the growing sound that a renderer is making for this hash (JSON). TTL 5 s, renewed while it grows. */
  soundGrowing: (account: string, hash: string) => `perch:{${account}}:media:${hash}:growing`,
  /** string: growing, ended or failed. TTL 5 s, renewed while the sound grows; then until it was played. Its bytes are `mediaData` of the take. */
  soundTake: (account: string, take: string) => `perch:{${account}}:media:${take}:take`,
  /**
   * hash: place -> bytes and when they expire (ms, 0: never): `events:<robot>`, `calls:<robot>`, `card:<robot>`, `screens:<robot>`,
   * `webhook:<webhook>`, and `labels` of all robots; see `account-storage.ts`. At most four for each robot, one for each webhook, and one.
   */
  stored: (account: string) => `perch:{${account}}:stored`,
  /** channel: the render of this hash finished (its TTL in ms and its reference), began, failed, or was left by its renderer. */
  mediaChannel: (account: string, hash: string) => `perch:{${account}}:wake:media:${hash}`,
  /** string: bytes needed by the render of this hash, until rendered. TTL 60 s. */
  upload: (account: string, hash: string, sha: string) => `perch:{${account}}:upload:${hash}:${sha}`,
  /** string: the bytes of a picture that the account uploaded. TTL 24 h from its last upload. */
  picture: (account: string, id: string) => `perch:{${account}}:picture:${id}`,
  /**
   * zset: `<id>:<bytes>` of the pictures that the account uploaded -> when they expire (ms). At most 1,000, and half of `PERCH_ACCOUNT_MEDIA_MB`. TTL
   * 24 h from the last upload.
   */
  pictures: (account: string) => `perch:{${account}}:pictures`,
  /** zset: the account's media and uploads -> when they expire (ms). At most `PERCH_ACCOUNT_MEDIA_MB` in total. Lives as long as its last entry. */
  quota: (account: string) => `perch:{${account}}:ledger`,
  /** hash: entry of the quota -> bytes, and their `total`. Lives as long as the quota. */
  quotaBytes: (account: string) => `perch:{${account}}:ledger:bytes`,
  /** hash: seq (number of the last entry), calls and changes (bytes of each stream). TTL 30 d from the last entry. */
  activityHead: (account: string) => `perch:{${account}}:activity`,
  /**
   * stream: what keys asked of robots, id `<number of its first entry>-0`, fields n (number of entries), e (entries, JSON; see `activity.ts`). At
   * most 4 MB, for 30 d. TTL 30 d from the last entry.
   */
  activityCalls: (account: string) => `perch:{${account}}:activity:calls`,
  /** stream: sign-ins and changes of the account, as `activityCalls`. At most 1 MB. */
  activityChanges: (account: string) => `perch:{${account}}:activity:changes`,
  /**
   * hash: `<key id>:<what>` -> number, of the UTC day `day` (2026-11-24): calls, refused, asked, answered, and `t<i>` (answers in range i of times to
   * tap; see `usage.ts`). Key id `page`: the web page; `other`: keys beyond 3,000 fields. TTL 31 d.
   */
  usage: (account: string, day: string) => `perch:{${account}}:usage:${day}`,
  /**
   * list: cards and questions that the robot showed, newest first: `<ms> <JSON>`; see `screen-history.ts`. At most 20 and 64 KB. TTL 30 d from the last
   * one.
   */
  screens: (account: string, robot: string) => `perch:{${account}}:screens:${robot}`,
} as const;

/** Keys that are shared by all accounts or belong to no account yet; each has a tag of its own. */
export const sharedKeys = {
  /** string: `<version> <release>`, the oldest data version that reads everything stored here and its first release. Absent: 1. See `data-version.ts`. */
  dataVersion: () => 'perch:{data-version}',
  /** set: ids of all accounts. */
  accounts: () => 'perch:{accounts}',
  /** zset: `<account> <hash of its address>` of accounts that are being removed -> when a gateway resumes the removal if no instance works on it (ms). */
  accountRemovals: () => 'perch:{account-removals}',
  /** set: accounts that have webhooks, or had some within about the last minute. */
  hookedAccounts: () => 'perch:{hooked-accounts}',
  /** string: account with this e-mail address (SHA-256 of it, case-folded). */
  email: (emailHash: string) => `perch:{email:${emailHash}}`,
  /** string: account that signs in through OpenID Connect with this identity (SHA-256 of issuer and subject). Valid while that account exists; its record holds the identity as well, in case this key was never written. */
  identity: (identityHash: string) => `perch:{identity:${identityHash}}`,
  /** string: account and passkey with this credential (hash of its id). A hint: valid only while the passkey's record has the same credential. */
  passkey: (credentialHash: string) => `perch:{passkey:${credentialHash}}`,
  /**
   * string: value of a one-time token, by the token's hash: an account (link, verification), an account and a hash of its password's hash (reset), a
   * sign-in in progress (oidc), what a passkey is asked for (challenge), nothing (invitation). TTL: set at creation.
   */
  once: (kind: 'link' | 'invitation' | 'oidc' | 'challenge' | 'reset' | 'verification', secretHash: string) => `perch:{${kind}:${secretHash}}`,
  /** hash: name, redirects (URIs with spaces between) and, until a user allows it something, entry (in `unusedOAuthClients`) of an OAuth client that registered. TTL: 1 d, 365 d from when a user last allowed it something. */
  oauthClient: (client: string) => `perch:{oauth-client:${client}}`,
  /**
   * zset: `<hash of the site> <ms> <client>` of each OAuth client that registered and was allowed nothing -> when it registered (ms). At most 1,000, see
   * `oauth-clients.ts`. TTL: 1 d from the latest.
   */
  unusedOAuthClients: () => 'perch:{unused-oauth-clients}',
  /** zset: the same members -> 0, so that those of a site lie together, the oldest first. TTL: 1 d from the latest. */
  unusedOAuthClientsBySite: () => 'perch:{unused-oauth-clients}:by-site',
  /** zset: hash of a site -> number of its unused OAuth clients. TTL: 1 d from the latest. */
  oauthClientSites: () => 'perch:{unused-oauth-clients}:sites',
  /** string: attempts of a network, device, session, or on an account, in this window; rate-limiter-flexible appends `:{who}`. TTL: the window. */
  attempts: (of: string) => `perch:attempts:${of}`,
  /**
   * hash: numbering record of one master node, under the first number whose key lies there: run (id of its process), id (of the numbering, in the
   * robots' logs), predecessors (run ids whose numbering this one continues), sealed (run id; every instance shut down), pending (its opening may not
   * be on disk), open:<instance> of each that appends, restored (ms, by an operator).
   */
  numbering: (number: number) => `perch:{numbering:${number}}`,
  /** hash: number that instances raise in a transaction, and raised_at (ms), of one master node, beside its numbering record (`lost-writes.ts`). */
  markTogether: (number: number) => `perch:{numbering:${number}}:mark-together`,
  /** string: the same number, stored in a single write once the transaction was acknowledged. Never above it, unless Redis dropped transactions. */
  markAlone: (number: number) => `perch:{numbering:${number}}:mark-alone`,
  /** string: instance that wrote to this master node last (`health.ts`). TTL 60 s. */
  written: (number: number) => `perch:{numbering:${number}}:written`,
  /** string: mark for WAITAOF to wait for; one a tag. TTL 1 s. */
  synced: (tag: string) => `perch:{${tag}}:synced`,
  /** string: robot with this token. A hint: the token is valid only while the robot's record names its hash. */
  token: (tokenHash: string) => `perch:{token:${tokenHash}}`,
  /** hash: gateway -> actions a second of its 200 busiest accounts (JSON), if actions are limited. TTL 60 s; entries older than 5 s are dropped. */
  accountActions: () => 'perch:{account-actions}',
  /** hash: account -> actions a second of all its keys together, or `none`. Only accounts with a limit of their own. */
  accountActionLimits: () => 'perch:{account-action-limits}',
  /** zset: `<robot> <number>` of each detached wait whose event is not appended yet -> when a gateway looks after it (ms). */
  detachedWaits: () => 'perch:{detached-waits}',
  /** string: id of the newest wait that outlives its call, or may, of this key, grant or account. TTL: about that of the wait. */
  asked: (owner: string) => `perch:{${owner}}:asked`,
  /** zset: robot with a queue -> when a gateway looks at it (ms). */
  queuedRobots: () => 'perch:{queued-robots}',
  /** hash: robot-link -> at (Redis ms), sessions, accepted, accepting (JSON). TTL 60 s; entries older than 3 s are dropped. */
  linkLoads: () => 'perch:{link-loads}',
  /** zset: addresses that instances offer -> when they last announced them (ms). TTL 60 s. */
  addresses: (what: string) => `perch:{addresses:${what}}`,
  /**
   * The media and uploads of all accounts on one master, under the first number whose key lies there (`media-budget.ts`): at most the master's part
   * of `PERCH_MEDIA_MB`. All four keys live as long as their last entry. zset: `<account>:<entry>` -> when it expires (ms).
   */
  mediaBudget: (number: number) => `perch:{media:${number}}`,
  /** hash: `<account>:<entry>` -> `r<bytes>` (charged to the reserved half) or `s<bytes>` (to the shared half); `reserved` and `shared`: the bytes of each half. */
  mediaBudgetBytes: (number: number) => `perch:{media:${number}}:bytes`,
  /** zset: account -> its bytes in the reserved half. */
  mediaBudgetReserved: (number: number) => `perch:{media:${number}}:reserved`,
  /** hash: account -> its bytes in the shared half. */
  mediaBudgetShared: (number: number) => `perch:{media:${number}}:shared`,
  /** BullMQ's prefix for the queues of a job shard, which lie on one node: `perch:{jobs}` of shard 0, `perch:{jobs:<shard>.<n>}` of any other (`job-tags.ts`). */
  jobs: (shard: number) => `perch:{${jobTag(shard)}}`,
  /** zset: number of job shards -> when an instance that creates jobs last announced that it uses this number (ms). Entries are dropped after 4 d. TTL 4 d. */
  jobShards: () => 'perch:{job-shards}',
  /** zset: `<kind of jobs>:<instance>:<number of job shards>` -> when the instance last announced that it processes such jobs (ms). TTL 60 s. */
  jobShardWorkers: () => 'perch:{job-shards}:workers',
  /** zset: `<hash>:<queue>:<pixels>:<flight>` of each render that a gateway's callers wait for -> when that expires (ms). At most the account's share of jobs, for each gateway. Lies with the queues of the account's job shard. TTL 5 s. */
  renderDemand: (account: string, shard: number) => `perch:{${jobTag(shard)}}:render-demand:${account}`,
  /** string: place of the renderer that a gateway sent this render to, past the queue, until it has finished. TTL 0.8 s; from the first renewal on 4 s. */
  renderClaim: (account: string, hash: string, shard: number) => `perch:{${jobTag(shard)}}:render-claim:${account}:${hash}`,
  /** zset: `<renderer>/<number>` of each free place of a renderer -> when it expires (ms), renewed every second. TTL 3 s. */
  renderPlaces: (shard: number) => `perch:{${jobTag(shard)}}:render-places`,
  /** channel: renders for this renderer: `<place> <when the gateway sent it, ms> <job, JSON>`. */
  rendererChannel: (renderer: string, shard: number) => `perch:{${jobTag(shard)}}:renderer:${renderer}`,
} as const;

/**
 * hash: record of an API key or of a console session, whose key is in a cookie: account, id, robots (`*` or `,r-a,r-b,`; `,` if it has `scoped`), scoped (of a key with other scopes than `r`, `a` and `k`: its scopes, of these and `p`, a space, its robots), name, created_at,
 * expires_at, former_until (when the former secret ends), last_used, agent_at (when an agent first connected; all in ms), bucket (`<level> <at>`, µs), user_agent (of a session's browser), pending (1: of a new
 * secret that is not confirmed yet), ended_by (hash of the secret that replaced it). TTL: until it expires, if it does; 60 s while pending; of a replaced
 * secret until its overlap ends. The record of an OAuth client's grant has also client (its id), client_address, resource, step (`code` or `refresh`, and the hash of the secret that is exchanged next), and until its code
 * is exchanged redirect and challenge, after a refresh before (hash of the refresh token before the current one, and of the current one) and kept (what the one before was exchanged for: until when its access token works, ms, and both tokens, encrypted with the one before); TTL 60 s, then 90 d from its latest use. That of its access token has granted (hash of the grant); TTL 1 h and 150 s.
 */
export const apiKeyRecord = (keyHash: string) => `perch:{${keyHash}}`;

/** channel: the name of a call of this key that its client cancelled. */
export const apiKeyCancelled = (keyHash: string) => `perch:{${keyHash}}:cancelled`;

/** Keys of pairings in progress. */
export const pairingKeys = {
  /**
   * hash: serial, model, firmware, network (from which it connected), former and former_hash (the robot whose token it presented, and the token's
   * hash), user_code, polled_at (ms), account (that claimed it), robot (once approved). TTL 600 s.
   */
  record: (deviceHash: string) => `perch:{pair:${deviceHash}}`,
  /** string: hash of the device code. TTL 600 s. */
  userCode: (userCode: string) => `perch:{code:${userCode}}`,
  /** string: pairings begun in this window by all networks together, at most 50,000. TTL 600 s. */
  begun: () => 'perch:{pairings}',
} as const;

/** Hash tags for the queues of the job shards, whose slots are spread evenly, so that any number of shards lies on as many masters as possible. */
export const jobShardsMax = 64;
const slotsEach = 16_384 / jobShardsMax;
const bits = Math.log2(jobShardsMax);
/** The only shard unless `PERCH_JOB_SHARDS` is set. */
const firstTag = 'jobs';

const tags: string[] = [firstTag];

/** @returns `jobs` of shard 0, `jobs:<shard>.<n>` of any other */
export function jobTag(shard: number): string {
  return (tags[shard] ??= findTag(shard));
}

/** Returns a tag in the one of 64 slot ranges that halves the widest gap between the previous shards (van der Corput's sequence). */
function findTag(shard: number): string {
  const wanted = (rangeOf(firstTag) + reversed(shard)) % jobShardsMax;
  for (let n = 0; ; n++) {
    const tag = `${firstTag}:${shard}.${n}`;
    if (rangeOf(tag) === wanted) return tag;
  }
}

const rangeOf = (tag: string): number => Math.floor(keySlot(tag) / slotsEach);

function reversed(shard: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) if ((shard & (1 << bit)) !== 0) result |= 1 << (bits - 1 - bit);
  return result;
}
