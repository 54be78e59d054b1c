/** Generated from the schemas of the service by `pnpm run generate`; a test holds it against them. */

/**
 * - `bad_argument` (400): An argument is wrong, missing, unknown or contradicts another.
 * - `malformed_json` (400): The body is not valid JSON.
 * - `bad_picture` (400): A picture is not a decodable JPEG or PNG, or is too large.
 * - `card_showing` (400): A card or question covers the face.
 * - `command_not_passed_on` (400): The command is one that is never passed on to a robot.
 * - `unauthorized` (401): No API key, or not a valid one.
 * - `unknown_robot` (404): Not a robot of this key.
 * - `not_found` (404): There is nothing at this path.
 * - `method_not_allowed` (405): The path does not take this method.
 * - `body_too_large` (413): The body is larger than 2 MB.
 * - `not_json` (415): The body is not declared as application/json.
 * - `rate_limited` (429): Too many requests with this key.
 * - `internal` (500): Something went wrong in the service.
 * - `not_offered` (501): The robot does not offer the action or command.
 * - `robot_offline` (503): The robot is not connected to the service.
 * - `robot_busy` (503): The robot has too much to do already.
 * - `busy` (503): Too many pictures and sounds of the account are waiting to be made.
 * - `robot_hardware` (503): The robot could not do it: a part of it failed.
 * - `no_ack` (503): The robot did not confirm in time: it may have done it, and will not do it later.
 * - `outcome_unknown` (503): The robot may or may not have done it; it is never done twice.
 * - `render_failed` (503): The picture or sound could not be made.
 * - `storage_full` (503): The account has reached a bound of the storage, or the service has no room left.
 * - `service_unavailable` (503): The service cannot reach its storage at the moment.
 * - `draining` (503): The instance that held the call is shutting down.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ErrorCode".
 */
export type ErrorCode =
  | 'bad_argument'
  | 'malformed_json'
  | 'bad_picture'
  | 'card_showing'
  | 'command_not_passed_on'
  | 'unauthorized'
  | 'unknown_robot'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'not_json'
  | 'rate_limited'
  | 'internal'
  | 'not_offered'
  | 'robot_offline'
  | 'robot_busy'
  | 'busy'
  | 'robot_hardware'
  | 'no_ack'
  | 'outcome_unknown'
  | 'render_failed'
  | 'storage_full'
  | 'service_unavailable'
  | 'draining';

/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ShowArguments".
 */
export interface ShowArguments {
  /** Big text in the middle; sizes itself. */
  text?: string;
  /** Small text at the top, in the colour. */
  title?: string;
  /** Small text at the bottom. */
  note?: string;
  /** Colour of text, title and bar; default white text, blue title. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white. */
  color?: string;
  /** Default dark blue. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white. */
  background?: string;
  /** Progress bar, 0..1. */
  progress?: number;
  /** Used instead of a card, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side. A data: prefix and white space are set aside. */
  image?: string;
  /** Take the card or picture away. false counts as absent. */
  clear?: boolean;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ShowAnswer".
 */
export interface ShowAnswer {
  ok: true;
  /** Arguments that a picture leaves no room for; absent when there are none. */
  ignored?: string[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SayArguments".
 */
export interface SayArguments {
  /** At most 80 characters (Unicode code points). */
  text: string;
  /** How long; default 6, at most 30. */
  seconds?: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SayAnswer".
 */
export interface SayAnswer {
  ok: true;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "FaceArguments".
 */
export interface FaceArguments {
  /** Face emotion. */
  emotion?: 'neutral' | 'happy' | 'angry' | 'sad' | 'doubt' | 'sleepy';
  /** The robot's own screen under cards: its face or its readings. */
  view?: 'face' | 'readings';
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "FaceAnswer".
 */
export interface FaceAnswer {
  ok: true;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "MoveArguments".
 */
export interface MoveArguments {
  /** home: face forward. */
  gesture?: 'nod' | 'shake' | 'home';
  /** Degrees, -128..128, positive to the robot's left. */
  yaw?: number;
  /** Degrees up, 5..85; the robot clamps the value. */
  pitch?: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "MoveAnswer".
 */
export interface MoveAnswer {
  ok: true;
  /** Degrees the robot took; null where it named none. */
  yaw: number | null;
  /** Degrees the robot took; null where it named none. */
  pitch: number | null;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "LedsArguments".
 */
export interface LedsArguments {
  /** All LEDs, or the colour of the bar or effect; white when left out. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white. */
  color?: string;
  /** 0..1: light both strips from the screen end, this far. */
  bar?: number;
  /**
   * 12 colours: 0-5 the left strip from the screen end back, 6-11 the right strip from the back to the screen end.
   *
   * Items: #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white.
   */
  pixels?: string[];
  /** Animation run by the robot. */
  effect?: 'rainbow' | 'breathe' | 'chase' | 'blink' | 'off';
  /** Effect speed, 0.2..5, default 1; without an effect it changes nothing. */
  speed?: number;
  /** Effect length; 0 (default): until the next leds action. Needs effect. */
  seconds?: number;
  /** All off; sent alone. false counts as absent. */
  off?: boolean;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "LedsAnswer".
 */
export interface LedsAnswer {
  ok: true;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SoundArguments".
 */
export interface SoundArguments {
  /** Ready-made sound. */
  chime?:
    'ask' | 'break_over' | 'chirp' | 'done' | 'error' | 'hello' | 'lullaby' | 'morning' | 'munch' | 'no' | 'start' | 'tada' | 'whee' | 'yawn' | 'yes';
  /** Melody: <note>:<ms> entries with spaces between, 30 s in all. A note is a letter A to G, an optional # or b and an octave 0..8 (C4 is middle C), or - for a rest: "C4:200 E4:200 -:100 G4:400". */
  notes?: string;
  /** Notes struck like a bell. Needs notes. */
  bell?: boolean;
  /** Speaker volume, 0..100, applied first; stays. */
  volume?: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SoundAnswer".
 */
export interface SoundAnswer {
  ok: true;
  /** How long it plays; 0 where only the volume was set. */
  seconds: number;
  /** Another sound took its place before it began. */
  replaced: boolean;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "AskArguments".
 */
export interface AskArguments {
  /** Short. */
  question: string;
  /** 2 to 4 short answers. */
  answers: string[];
  /** Seconds to wait, counted from when the person sees it; default 30, at most 120. */
  timeout_s?: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "AskAnswer".
 */
export interface AskAnswer {
  ok: true;
  /** replaced: a newer ask, menu or clickmap took the place of this one, or a stop ended it. */
  outcome: 'answered' | 'timed_out' | 'replaced';
  timed_out: boolean;
  replaced: boolean;
  /** Whether the robot was away, or restarted, at some time while the call waited. */
  robot_away: boolean;
  /** The answer that was tapped. */
  answer: string | null;
  /** Its position in the list, from 0. */
  index: number | null;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "MenuArguments".
 */
export interface MenuArguments {
  /** 2 to 6 tiles. */
  items: (
    | string
    | {
        /** Comes back as item. Ids may repeat: index tells which. */
        id?: string;
        label?: string;
        /** Shown above the label. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side. A data: prefix and white space are set aside. */
        image?: string;
      }
  )[];
  /** Small text at the top. */
  title?: string;
  /** Seconds to wait, counted from when the person sees it; default 30, at most 120. */
  timeout_s?: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "MenuAnswer".
 */
export interface MenuAnswer {
  ok: true;
  /** replaced: a newer ask, menu or clickmap took the place of this one, or a stop ended it. */
  outcome: 'answered' | 'timed_out' | 'replaced';
  timed_out: boolean;
  replaced: boolean;
  /** Whether the robot was away, or restarted, at some time while the call waited. */
  robot_away: boolean;
  /** The tile's id if it has one, else its label; null for a tile with neither: index tells which. */
  item: string | null;
  /** Its position in the list, from 0. */
  index: number | null;
  /** The tile's label, null where it has none. */
  label: string | null;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ClickmapArguments".
 */
export interface ClickmapArguments {
  /** 1 to 32 regions; where they overlap, the first listed counts. */
  regions: Region[];
  /** Shown first, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side. A data: prefix and white space are set aside. */
  image?: string;
  /** Seconds to wait, counted from when the person sees it; default 30, at most 120. */
  timeout_s?: number;
}
/**
 * An id and exactly one of rect, circle and polygon, in screen pixels (320x240). Edges are inside; where regions overlap the first counts.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Region".
 */
export interface Region {
  /** Comes back as `region` when the region is tapped. Ids may repeat: `index` tells which. */
  id: string;
  /** [x, y, w, h]; w and h above 0. */
  rect?: [number, number, number, number];
  /** [x, y, r]; r above 0. */
  circle?: [number, number, number];
  /** [[x, y], ...], 3 to 32 points. */
  polygon?: [number, number][];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ClickmapAnswer".
 */
export interface ClickmapAnswer {
  ok: true;
  /** replaced: a newer ask, menu or clickmap took the place of this one, or a stop ended it. */
  outcome: 'answered' | 'timed_out' | 'replaced';
  timed_out: boolean;
  replaced: boolean;
  /** Whether the robot was away, or restarted, at some time while the call waited. */
  robot_away: boolean;
  /** Id of the region that was tapped. */
  region: string | null;
  /** Its position in the list, from 0. */
  index: number | null;
  /** Screen pixels, 320x240. */
  x: number | null;
  /** Screen pixels, 320x240. */
  y: number | null;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "CommandArguments".
 */
export interface CommandArguments {
  /** A name out of the robot's commands. */
  command: string;
  /** The command's arguments. */
  args?: Record<string, unknown>;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "CommandAnswer".
 */
export interface CommandAnswer {
  ok: true;
  /** The robot's answer; {} where it gave none. */
  result: Record<string, unknown>;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "StateAnswer".
 */
export interface StateAnswer {
  ok: true;
  id: string;
  /** What its owner calls it; the id where it was given no name. */
  name: string;
  /** Whether the robot is connected to the service. */
  online: boolean;
  /** Empty until the robot connected for the first time. */
  model: string;
  /** Empty until the robot connected for the first time. */
  firmware: string;
  commands: RobotCommand[];
  /** Its labels by key, such as {"room": "r7"}; empty if it has none. */
  labels: Record<string, string>;
  readings: Readings;
  /** When the newest reading came, RFC 3339; null before the first. */
  readings_at: string | null;
  showing: Showing;
  /** The last 20, oldest first. */
  events: RobotEvent[];
  /** The highest event number given out so far. */
  last_seq: number;
}
/**
 * One of the robot's own commands, for the action `command`.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "RobotCommand".
 */
export interface RobotCommand {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  args: Record<string, unknown>;
}
/**
 * The latest value of each reading, the unit in its name. Null is a sensor that failed; a reading never reported is absent.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Readings".
 */
export interface Readings {
  battery_pct?: number | null;
  battery_v?: number | null;
  battery_ma?: number | null;
  charging?: boolean | null;
  usb_power?: boolean | null;
  light_lux?: number | null;
  proximity_raw?: number | null;
  head_yaw_deg?: number | null;
  head_pitch_deg?: number | null;
  head_yaw_load_pct?: number | null;
  head_pitch_load_pct?: number | null;
  head_yaw_temp_c?: number | null;
  head_pitch_temp_c?: number | null;
  head_moving?: boolean | null;
  accel_x_g?: number | null;
  accel_y_g?: number | null;
  accel_z_g?: number | null;
  gyro_x_dps?: number | null;
  gyro_y_dps?: number | null;
  gyro_z_dps?: number | null;
  compass_deg?: number | null;
  time_unix_s?: number | null;
  uptime_s?: number | null;
  utc_offset_min?: number | null;
  wifi_rssi_dbm?: number | null;
  wifi_ssid?: string | null;
  ip_address?: string | null;
  heap_free_kb?: number | null;
  heap_min_kb?: number | null;
  psram_free_kb?: number | null;
  chip_temp_c?: number | null;
}
/**
 * What the robot shows.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Showing".
 */
export interface Showing {
  /** Id of the card or picture that shows, or null. */
  card: string | null;
  /** Id of the question that shows, or null. */
  question: string | null;
  emotion: string;
  /** The robot's own screen under cards: face or readings. */
  view: string;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "EventsArguments".
 */
export interface EventsArguments {
  /** Only events with a seq above it; 0 (default): the last ones kept. */
  after?: number;
  /** Only these event names; an empty list counts as absent. */
  names?: (
    | 'tap'
    | 'long_press'
    | 'pat'
    | 'pet'
    | 'stroke'
    | 'shaken'
    | 'picked_up'
    | 'near'
    | 'away'
    | 'tag'
    | 'tag_removed'
    | 'remote'
    | 'button'
    | 'plugged'
    | 'unplugged'
    | 'connected'
  )[];
  /** Wait up to this long for a next event; default 0, at most 60. */
  seconds?: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "EventsAnswer".
 */
export interface EventsAnswer {
  ok: true;
  /** Oldest first. */
  events: RobotEvent[];
  /** The highest number this answer covers, filtered names included; never below after. */
  last_seq: number;
  /** The oldest number kept or, where numbering jumped behind after, the first number after the jump; the next number where all there were are gone; 0 where there was none. */
  first_seq: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "StopAnswer".
 */
export interface StopAnswer {
  ok: true;
  /** What was ended: sound, leds and head whether or not something went on there, wait only where one was open. */
  stopped: ('wait' | 'sound' | 'leds' | 'head')[];
  /** What this robot does not have. */
  left_out: ('wait' | 'sound' | 'leds' | 'head')[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SceneArguments".
 */
export interface SceneArguments {
  actions: SceneStep[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SceneAnswer".
 */
export interface SceneAnswer {
  ok: true;
  /** The answer of each action, in their order, as it answers alone. */
  results: Record<string, unknown>[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "RobotsAnswer".
 */
export interface RobotsAnswer {
  ok: true;
  /** Ascending by id. */
  robots: Robot[];
  /** Where limit left robots out, the id to pass as after for the next slice; else null. */
  next: string | null;
}
/**
 * A robot of the key.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Robot".
 */
export interface Robot {
  id: string;
  /** What its owner calls it; the id where it was given no name. */
  name: string;
  /** Whether the robot is connected to the service. */
  online: boolean;
  /** Empty until the robot connected for the first time. */
  model: string;
  /** Empty until the robot connected for the first time. */
  firmware: string;
  commands: RobotCommand[];
  /** Its labels by key, such as {"room": "r7"}; empty if it has none. */
  labels: Record<string, string>;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ActionsAnswer".
 */
export interface ActionsAnswer {
  ok: true;
  actions: {
    name: string;
    /** compound: done as several actions in one call. */
    kind: 'action' | 'compound';
    summary: string;
    description: string;
    method: 'POST';
    path: string;
    /** Its name over MCP. */
    tool: string;
    /** JSON Schema of the arguments. */
    arguments: Record<string, unknown>;
    /** JSON Schema of the answer. */
    answer: Record<string, unknown>;
  }[];
}
/**
 * What a call that failed answers.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Failure".
 */
export interface Failure {
  ok: false;
  /** A sentence: what was wrong, where, and what to do. */
  error: string;
  code: ErrorCode;
  /** Names this call in the logs of the service. */
  request_id: string;
  /** Path of the argument at fault, where it is one, or of the action of a scene that failed. */
  field?: string;
  /** Of a scene: the answers of the actions that were done before the one that failed. */
  results?: Record<string, unknown>[];
}
/**
 * The fields of `data`, by the name of the event.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "EventData".
 */
export interface EventData {
  /** Short touch on the screen. */
  tap: {
    /** Screen pixels, 320x240. */
    x: number;
    /** Screen pixels, 320x240. */
    y: number;
    /** Id of the tappable picture it hit. */
    sprite?: string;
  };
  /** Long touch on the screen. */
  long_press: {
    /** Screen pixels, 320x240. */
    x: number;
    /** Screen pixels, 320x240. */
    y: number;
  };
  /** Short touch on the head, under 0.7 s. */
  pat: {
    ms: number;
  };
  /** Longer touch on the head. */
  pet: {
    seconds: number;
  };
  /** Finger along the head. */
  stroke: {
    direction: 'forward' | 'back';
  };
  /** The robot was shaken. */
  shaken: Record<string, never>;
  /** The robot was picked up. */
  picked_up: Record<string, never>;
  /** Something came close to the front. */
  near: Record<string, never>;
  /** It went away again. */
  away: Record<string, never>;
  /** A tag or card held near the head. */
  tag: {
    uid: string;
    type?: string;
    /** The sticker's link or text. */
    text?: string;
  };
  /** The tag was taken away. */
  tag_removed: {
    uid: string;
  };
  /** An infrared remote's button: `address` and `command` (NEC) or `raw`. */
  remote: {
    address?: number;
    command?: number;
    /** Marks and spaces in microseconds. */
    raw?: number[];
  };
  /** Power button. */
  button: {
    press: 'short' | 'long';
  };
  /** USB cable plugged in. */
  plugged: Record<string, never>;
  /** USB cable taken out. */
  unplugged: Record<string, never>;
  /** The robot connected: at its start, after a restart, or back after being away. */
  connected: Record<string, never>;
}

/** The arguments of each action, by its name. */
export interface ArgumentsByAction {
  show: ShowArguments;
  say: SayArguments;
  face: FaceArguments;
  move: MoveArguments;
  leds: LedsArguments;
  sound: SoundArguments;
  ask: AskArguments;
  menu: MenuArguments;
  clickmap: ClickmapArguments;
  command: CommandArguments;
  events: EventsArguments;
}

/** The answer of each action, by its name. */
export interface AnswerByAction {
  show: ShowAnswer;
  say: SayAnswer;
  face: FaceAnswer;
  move: MoveAnswer;
  leds: LedsAnswer;
  sound: SoundAnswer;
  ask: AskAnswer;
  menu: MenuAnswer;
  clickmap: ClickmapAnswer;
  command: CommandAnswer;
  state: StateAnswer;
  events: EventsAnswer;
}

export type EventName = keyof EventData;

/** What somebody did at the robot; the name tells what its data holds. */
export type RobotEvent<N extends EventName = EventName> = {
  [K in N]: {
    /** Counts from 1 per robot; never used twice. */
    seq: number;
    name: K;
    data: EventData[K];
    /** When, RFC 3339. */
    at: string;
  };
}[N];

/** What a scene can be made of; `ask`, `menu` and `clickmap` only at its end. */
export type SceneAction = 'show' | 'say' | 'face' | 'move' | 'leds' | 'sound' | 'command' | 'ask' | 'menu' | 'clickmap';

/** One action of a scene with its arguments. */
export type SceneStep = { [N in SceneAction]: { action: N } & ArgumentsByAction[N] }[SceneAction];
