/**
 * Every key and channel in Redis, with its shape and its life. The part in braces is the Redis Cluster tag:
 * a robot's keys share `{robot}`, a key's `{sha}`, an account's `{account}`; a script touches one tag and publishes only on channels of it.
 */
import { jobTag } from './jobs/job-tags.js';

/** Keys and channels of one robot, tag `{robot}`. They live until the robot is removed, unless a TTL is named. */
export const robotKeys = {
  /** hash: account, name, created_at (ms), run_id (of the Redis it was made on), token_hash, serial, virtual (1: it was made as one in software), and from the last hello: model, firmware, hello (JSON), session. */
  record: (robot: string) => `perch:{${robot}}`,
  /** hash: state held|moving|away, instance, session, since (ms), boot_id, dial, due (1: a `connected` event must still be appended), back_at (ms, when the robot last came back after it counted as away, or started). */
  lease: (robot: string) => `perch:{${robot}}:lease`,
  /** hash: seq (last event), run_id (id of the numbering: the Redis process that numbered it, or one that continues it), jumped_to (the first number after numbering last jumped), boot_id, in_seq (the input stored last) and safe_seq (up to which all is), near, usb, second and second_n (events this second), bytes (of its events), hooked (up to which event webhooks have them; absent where none wants them). */
  log: (robot: string) => `perch:{${robot}}:log`,
  /** stream: id `<seq>-0`, fields n (name), d (data, JSON), t (ms). The last 1,000. TTL: the age at which events are dropped, from the last one. */
  events: (robot: string) => `perch:{${robot}}:events`,
  /** hash: given (last wait number), opened (highest opened), open (the open one, or absent). */
  waitHead: (robot: string) => `perch:{${robot}}:waits`,
  /** hash: record (JSON), opened_at (ms), armed (JSON), outcome (JSON), ended (when, and the lease's state, since and back_at then). TTL: time-out + 70 s from opening, time-out + 60 s from arming; of a call under an Idempotency-Key 9 min more. */
  wait: (robot: string, number: number | '') => `perch:{${robot}}:wait:${number}`,
  /** string: what `state` answers when the instance does not: readings, readings_at, showing (JSON). Written at most every 30 s. */
  saved: (robot: string) => `perch:{${robot}}:saved`,
  /** list: log lines of the robot, `<ms> <level> <text>`. The last 100. TTL 7 d from the last one. */
  lines: (robot: string) => `perch:{${robot}}:lines`,
  /** string: the sound that plays (JSON), for an instance that takes the robot over. TTL: its length + 60 s. */
  playing: (robot: string) => `perch:{${robot}}:playing`,
  /**
   * hash: a call under an Idempotency-Key, by the hash of both keys: fingerprint, claim and gateway (who does it), begun_at and wanted_at (ms), reply:<step>
   * (JSON) of each of its commands, wait (its number). Once it is over: fingerprint and outcome (JSON). TTL: 15 min from its beginning, 10 min from its end.
   */
  call: (robot: string, name: string) => `perch:{${robot}}:call:${name}`,
  /** zset and hash as an account's ledger: the robot's calls under an Idempotency-Key, at most 16 MB. */
  callLedger: (robot: string) => `perch:{${robot}}:calls`,
  callLedgerBytes: (robot: string) => `perch:{${robot}}:calls:bytes`,
  /** channel: the name of a call under an Idempotency-Key that ended, and how (JSON) where that is not kept. */
  callsChannel: (robot: string) => `perch:{${robot}}:wake:calls`,
  /** channel: the number of an event just appended; 0 when the robot was removed. */
  eventsChannel: (robot: string) => `perch:{${robot}}:wake:events`,
  /** channel: the number of a wait that was armed or settled. */
  waitsChannel: (robot: string) => `perch:{${robot}}:wake:waits`,
} as const;

/** Keys and channels of one instance of a service. */
export const instanceKeys = {
  /** string: Redis time (ms) of its last heartbeat. TTL 6 s. */
  beat: (instance: string) => `perch:{${instance}}:beat`,
  /** string: its release and the versions of messages that it reads (JSON); see `wire-versions.ts`. TTL 6 s. Instances of 0.9.0 have none. */
  reads: (instance: string) => `perch:{${instance}}:reads`,
  /** channel: batches of messages (JSON) to it; see `unreadable-message.ts` for what every version has in common. */
  inbox: (instance: string) => `perch:{${instance}}:inbox`,
} as const;

/** Keys and channels of one account, tag `{account}`. They live until they are removed, unless a TTL is named. */
export const accountKeys = {
  /** hash: email (as given), created_at (ms), password (argon2id, PHC form; absent where there is none), identity (as `sharedKeys.identity`, of one that OpenID Connect made), robots_max and keys_max (limits of its own: a number or `none`), removing (ms, when its removal began). */
  record: (account: string) => `perch:{${account}}`,
  /** set: ids of the account's robots; a robot is the account's when its record exists as well. */
  robots: (account: string) => `perch:{${account}}:robots`,
  /** hash: serial -> robot. */
  serials: (account: string) => `perch:{${account}}:serials`,
  /** hash: robot -> its labels, `floor=2;room=r1`, ascending by key. At most 16 a robot, 97 characters each. A robot that an instance of 0.9.0 removed leaves its entry. */
  labels: (account: string) => `perch:{${account}}:labels`,
  /** hash: key id -> hash of the key and created_at (ms). */
  apiKeys: (account: string) => `perch:{${account}}:api-keys`,
  /** zset: hash of a session's secret -> when it expires (ms). At most 100. */
  sessions: (account: string) => `perch:{${account}}:sessions`,
  /** zset: hash of the secret of a browser that signed in before -> when it is forgotten (ms). At most 20. TTL 180 d from the last sign-in. */
  devices: (account: string) => `perch:{${account}}:devices`,
  /** hash: webhook -> record (JSON, with its secret). At most 20. */
  webhooks: (account: string) => `perch:{${account}}:webhooks`,
  /** hash: message -> delivery (JSON). As `webhookOpen` and `webhookEnded`. */
  webhookDeliveries: (account: string, webhook: string) => `perch:{${account}}:webhook:${webhook}`,
  /** zset: messages that are to be sent -> since when (ms). At most 500. TTL 3 d from the last one. */
  webhookOpen: (account: string, webhook: string) => `perch:{${account}}:webhook:${webhook}:open`,
  /** zset: messages that arrived or were given up -> when (ms). The last 100. TTL 3 d from the last one. */
  webhookEnded: (account: string, webhook: string) => `perch:{${account}}:webhook:${webhook}:ended`,
  /** string: what a render finished with, JSON: a reference or a failure. TTL: 60 s and more (reference), 5 s (failure). */
  media: (account: string, hash: string) => `perch:{${account}}:media:${hash}`,
  /** string: the bytes of a finished picture or sound. TTL as its reference. */
  mediaData: (account: string, hash: string) => `perch:{${account}}:media:${hash}:data`,
  /** hash: place -> bytes and when it ends (ms, 0: never): `events:<robot>`, `calls:<robot>`, `webhook:<webhook>`, and `labels` of all robots; see `account-storage.ts`. At most two for each robot, one for each webhook, and one. */
  stored: (account: string) => `perch:{${account}}:stored`,
  /** channel: the render of this hash finished or failed. */
  mediaChannel: (account: string, hash: string) => `perch:{${account}}:wake:media:${hash}`,
  /** string: bytes that the render of this hash needs, until drawn. TTL 60 s. */
  upload: (account: string, hash: string, sha: string) => `perch:{${account}}:upload:${hash}:${sha}`,
  /** zset: what the account holds in media and uploads -> when it ends (ms). At most `PERCH_ACCOUNT_MEDIA_MB` of it; lives as long as its last entry. */
  ledger: (account: string) => `perch:{${account}}:ledger`,
  /** hash: entry of the ledger -> bytes, and their `total`. Lives as the ledger. */
  ledgerBytes: (account: string) => `perch:{${account}}:ledger:bytes`,
} as const;

/** Keys that no account owns yet, or all share; each has a tag of its own. */
export const sharedKeys = {
  /** string: oldest data version whose releases read everything here, and the release that introduced it, `<version> <release>`. Absent: 1. See `data-version.ts`. */
  dataVersion: () => 'perch:{data-version}',
  /** set: ids of all accounts. */
  accounts: () => 'perch:{accounts}',
  /** set: accounts that have webhooks, or had them within the last minute or so. */
  hookedAccounts: () => 'perch:{hooked-accounts}',
  /** string: account with this e-mail address (SHA-256 of it, case-folded). */
  email: (emailHash: string) => `perch:{email:${emailHash}}`,
  /** string: account that signs in by OpenID Connect as this (SHA-256 of issuer and subject). Counts while that account exists; its record names it too, for where this was never written. */
  identity: (identityHash: string) => `perch:{identity:${identityHash}}`,
  /** string: what a secret that works once stands for, by its hash: an account (link), a sign-in under way (oidc), nothing (invitation). TTL as it was made with. */
  once: (kind: 'link' | 'invitation' | 'oidc', secretHash: string) => `perch:{${kind}:${secretHash}}`,
  /** string: attempts of one network, device or session, or at one account, in this window, counted by rate-limiter-flexible, which puts `:{who}` behind. TTL: the window. */
  attempts: (of: string) => `perch:attempts:${of}`,
  /**
   * hash: of one master node, under the first number whose key lies there: run (id of its process), id (of the numbering, in the robots' logs),
   * predecessors (run ids whose numbering this one continues), sealed (run id; every instance ended), pending (its opening may not be on disk),
   * open:<instance> of each that appends, restored (ms, by an operator).
   */
  numbering: (number: number) => `perch:{numbering:${number}}`,
  /** string: written so that WAITAOF has something to wait for; one a tag. TTL 1 s. */
  synced: (tag: string) => `perch:{${tag}}:synced`,
  /** string: robot with this token. A hint: the token counts only while the robot's record names its hash. */
  token: (tokenHash: string) => `perch:{token:${tokenHash}}`,
  /** hash: gateway -> actions a second of its 200 busiest accounts (JSON), where those are bounded. TTL 60 s; entries older than 5 s are dropped. */
  accountActions: () => 'perch:{account-actions}',
  /** hash: account -> actions a second of all its keys together, or `none`. Only accounts with such a limit of their own. */
  accountActionLimits: () => 'perch:{account-action-limits}',
  /** hash: robot-link -> at (Redis ms), sessions, accepted, accepting (JSON). TTL 60 s; entries older than 3 s are dropped. */
  linkLoads: () => 'perch:{link-loads}',
  /** zset: addresses that instances offer -> when they said so last (ms). TTL 60 s. */
  addresses: (what: string) => `perch:{addresses:${what}}`,
  /**
   * The media and uploads of all accounts on one master, under the first number whose key lies there (`media-budget.ts`): at most the master's part of
   * `PERCH_MEDIA_MB`. All four live as long as their last entry. zset: `<account>:<entry>` -> when it ends (ms). 0.9.0 counts in `perch:{ledger}` instead.
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
  /** zset: number of job shards -> when an instance that makes jobs last announced that it uses so many (ms). Entries are dropped after 4 d. TTL 4 d. */
  jobShards: () => 'perch:{job-shards}',
  /** zset: `<kind of jobs>:<instance>:<number of job shards>` -> when the instance last announced that it works on the jobs of so many shards (ms). TTL 60 s. */
  jobShardWorkers: () => 'perch:{job-shards}:workers',
  /** zset: `<hash>:<queue>:<pixels>:<flight>` of each render that a gateway's callers wait for -> when that expires (ms). At most the account's share of jobs, once a gateway. Lies with the queues of the account's job shard. TTL 5 s. */
  renderDemand: (account: string, shard: number) => `perch:{${jobTag(shard)}}:render-demand:${account}`,
} as const;

/** Of an API key, and of a session at the page, which is one in a cookie. hash: account, id, robots (`*` or `,r-a,r-b,`), name, created_at, expires_at, last_used (ms), bucket (`<level> <at>`, µs). TTL: until it expires, if it does. */
export const apiKeyRecord = (keyHash: string) => `perch:{${keyHash}}`;

/** channel: the name of a call of this key that its client gave up. */
export const apiKeyCancelled = (keyHash: string) => `perch:{${keyHash}}:cancelled`;

/** Keys of a pairing under way. */
export const pairingKeys = {
  /** hash: serial, model, firmware, network (it dialled from), former and former_hash (the robot whose token it proved to have, and the token's hash), user_code, polled_at (ms), account (who claimed it), robot (once approved). TTL 600 s. */
  record: (deviceHash: string) => `perch:{pair:${deviceHash}}`,
  /** string: hash of the device code. TTL 600 s. */
  userCode: (userCode: string) => `perch:{code:${userCode}}`,
  /** string: pairings begun in this window by all networks together, at most 50,000. TTL 600 s. */
  begun: () => 'perch:{pairings}',
} as const;
