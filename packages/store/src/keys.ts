/**
 * Every key and channel in Redis, with its shape and its life. The part in braces is the Redis Cluster tag:
 * a robot's keys share `{robot}`, a key's `{sha}`, an account's `{account}`; a script touches one tag and publishes only on channels of it.
 */

/** Keys and channels of one robot, tag `{robot}`. They live until the robot is removed, unless a TTL is named. */
export const robotKeys = {
  /** hash: account, name, created_at (ms), token_hash, serial, and from the last hello: model, firmware, hello (JSON), session. */
  record: (robot: string) => `perch:{${robot}}`,
  /** hash: state held|moving|away, instance, session, since (ms), boot_id, dial. */
  lease: (robot: string) => `perch:{${robot}}:lease`,
  /** hash: seq (last event), run_id (of the Redis that numbered it), boot_id and in_seq (input mark), near, usb, second and second_n (events this second). */
  log: (robot: string) => `perch:{${robot}}:log`,
  /** stream: id `<seq>-0`, fields n (name), d (data, JSON), t (ms). The last 1,000. */
  events: (robot: string) => `perch:{${robot}}:events`,
  /** hash: given (last wait number), opened (highest opened), open (the open one, or absent). */
  waitHead: (robot: string) => `perch:{${robot}}:waits`,
  /** hash: record (JSON), armed (JSON), outcome (JSON). TTL: time-out + 70 s from opening, time-out + 60 s from arming. */
  wait: (robot: string, number: number | '') => `perch:{${robot}}:wait:${number}`,
  /** string: what `state` answers when the instance does not: readings, readings_at, showing (JSON). Written at most every 30 s. */
  saved: (robot: string) => `perch:{${robot}}:saved`,
  /** string: the sound that plays (JSON), for an instance that takes the robot over. TTL: its length + 60 s. */
  playing: (robot: string) => `perch:{${robot}}:playing`,
  /** channel: the number of an event just appended. */
  eventsChannel: (robot: string) => `perch:{${robot}}:wake:events`,
  /** channel: the number of a wait that was armed or settled. */
  waitsChannel: (robot: string) => `perch:{${robot}}:wake:waits`,
} as const;

/** Keys and channels of one instance of a service. */
export const instanceKeys = {
  /** string: Redis time (ms) of its last heartbeat. TTL 6 s. */
  beat: (instance: string) => `perch:{${instance}}:beat`,
  /** channel: batches of messages (JSON array) to it. */
  inbox: (instance: string) => `perch:{${instance}}:inbox`,
} as const;
