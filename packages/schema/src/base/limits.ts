/** The limits of the interface and of the robot link. Schemas, descriptions and documents are built from these numbers. */
export const limits = {
  bodyBytesMax: 2_097_152,
  /** Base64 characters of one picture, without `data:` prefix and white space. */
  pictureBase64Max: 1_600_000,
  /** Pixels, for width and for height. */
  pictureSideMax: 4096,
  /** A picture that is not in the body: bytes of each, and of all in one call. `fetchS`: time for fetching it, redirects included. */
  picture: { bytesMax: 2_097_152, callBytesMax: 8_388_608, addressCharsMax: 2000, fetchS: 5, redirectsMax: 3 },
  screen: { w: 320, h: 240 },
  /** `qrBytesMax`: UTF-8 bytes at 3 px a module: version 13 M alone, 6 M beside other parts. `sparklineMax`: numbers. `countdownSMax`: a day. */
  show: { qrBytesMax: 331, qrBytesMaxBeside: 106, sparklineMin: 2, sparklineMax: 300, countdownSMax: 86_400, pagesMax: 10 },
  say: { charsMax: 80, secondsDefault: 6, secondsMax: 30 },
  head: { yawMin: -128, yawMax: 128, pitchMin: 5, pitchMax: 85 },
  leds: { count: 12, stripCount: 6, speedMin: 0.2, speedMax: 5, speedDefault: 1, secondsDefault: 0 },
  sound: { volumeMin: 0, volumeMax: 100, notesMsMax: 30_000, noteMsMin: 1 },
  /** `secondsMax`: longer speech is refused. `engineMs`: for the whole text. */
  speak: { charsMax: 300, secondsMax: 90, voiceCharsMax: 64, engineMs: 30_000 },
  ask: { answersMin: 2, answersMax: 4 },
  menu: { itemsMin: 2, itemsMax: 6 },
  clickmap: { regionsMin: 1, regionsMax: 32, pointsMin: 3, pointsMax: 32 },
  /**
   * `detachedTimeoutSMax`: a day. `readSDefault`, `readSMax`: of one read of a detached wait; `toolReadS`: the default of robot_answer. `pendingAfterS`: when
   * a tool call answers pending. `detachedKeptS`: from its end. `detachedKept`: the last ones of a robot. `choicesBytesMax`: the texts of its answers.
   */
  wait: {
    timeoutSDefault: 30,
    timeoutSMax: 120,
    detachedTimeoutSMax: 86_400,
    readSDefault: 0,
    readSMax: 60,
    toolReadS: 45,
    pendingAfterS: 45,
    detachedKeptS: 3600,
    detachedKept: 50,
    choicesBytesMax: 4096,
  },
  /**
   * The touch that answers a wait, ms: it begins `afterMs` or more after the picture came on the screen; `afterLongMs` for an approval, after a question
   * that was replaced, and after one of another key that ended within `otherWithinMs`. It is held for `heldMin` to `heldMax`.
   */
  answer: { afterMs: 350, afterLongMs: 1000, otherWithinMs: 2000, heldMin: 40, heldMax: 8000 },
  /** `entriesMax`: of a robot. `expiresSHeld`: the most for a question without detach, and the default. `argsBytesMax`: JSON of an entry's arguments. */
  queue: { entriesMax: 20, priorityMax: 9, expiresSHeld: 120, expiresSMax: 86_400, forSDefault: 10, forSMax: 600, argsBytesMax: 8192 },
  /** `streamsMax`: per API key and gateway. */
  events: { secondsDefault: 0, secondsMax: 60, keptDefault: 1000, keptDaysDefault: 30, inState: 20, bytesMax: 1024, streamsMax: 1000 },
  robots: {
    /** In one page: `toolLimitDefault` for the tool robot_list, `consoleLimitDefault` for the web page. */
    limitMax: 1000,
    toolLimitDefault: 100,
    consoleLimitDefault: 200,
    /** Robots whose screens the web page reads at once. */
    shownMax: 50,
    /** In Unicode code points, as the other numbers of characters here. */
    searchCharsMax: 64,
    firmwareCharsMax: 64,
    serialCharsMax: 64,
    labelsMax: 16,
    labelKeyCharsMax: 32,
    labelValueCharsMax: 64,
  },
  /** `robotsMax`: robots that one call to a group acts on. */
  groups: { robotsMax: 100 },
  /** Per API key, across all instances: `perS` actions a second, bursts of `depth`. */
  bucket: { depth: 30, perS: 10 },
  /** `openMax`: undelivered messages per webhook; further ones are discarded. `overlapS`: how long a former secret signs beside a new one. */
  webhooks: { perAccount: 20, urlCharsMax: 2000, robotsMax: 100, openMax: 500, keptDeliveries: 100, overlapSDefault: 86_400, overlapSMax: 604_800 },
  scene: { actionsMin: 1, actionsMax: 10, atMsMax: 30_000 },
  /** `outlivesS`: how long a wait continues after its client disconnected. */
  idempotency: { keyCharsMax: 255, keptS: 600, outlivesS: 15 },
  command: { nameCharsMax: 64, argsDepthMax: 16, argsValuesMax: 2000, schemaCharsMax: 8192 },
  link: {
    textBytesMax: 16_384,
    helloMs: 10_000,
    sensorsMs: 2000,
    pingMs: 15_000,
    silenceMs: 45_000,
    inFlightMax: 4,
    queuedMax: 32,
    /** Payload of one binary frame for a robot that declares no `max_part_bytes`. */
    partBytesDefault: 4096,
    layerIdCharsMax: 64,
    commandsMax: 128,
    logTextCharsMax: 400,
    logLinesPerMinute: 10,
  },
} as const;

/** `toLocaleString` would load the data of the language, 10 ms of each start. */
export function inThousands(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
