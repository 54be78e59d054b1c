/** Generated from the schemas of the service by `pnpm run generate`; a test compares them. */

/**
 * - `bad_argument` (400): An argument is wrong, missing, unknown or contradicts another.
 * - `malformed_json` (400): The body is not valid JSON.
 * - `bad_picture` (400): A picture is not a decodable JPEG or PNG, or is too large.
 * - `not_whole` (400): A text cannot be shown whole and legibly, as the call demands.
 * - `image_unreachable` (400): A picture cannot be fetched from its address.
 * - `card_showing` (400): A card or question covers the face.
 * - `command_not_passed_on` (400): The command is never passed on to a robot.
 * - `unauthorized` (401): The API key is missing or not valid.
 * - `scope_missing` (403): This API key lacks a scope that the call needs.
 * - `unknown_robot` (404): This API key has no robot with this id.
 * - `not_found` (404): The path does not exist.
 * - `method_not_allowed` (405): The path does not support this method.
 * - `body_too_large` (413): The body is larger than 2 MB.
 * - `not_json` (415): The body is not declared as application/json.
 * - `rate_limited` (429): Too many requests with this API key.
 * - `queue_full` (429): The queue of the robot is full.
 * - `internal` (500): Something went wrong in the service.
 * - `not_offered` (501): The robot does not offer the action or command.
 * - `robot_offline` (503): The robot is not connected to the service.
 * - `robot_busy` (503): The robot has too many commands pending.
 * - `busy` (503): Too many pictures and sounds of the account are waiting to be rendered.
 * - `robot_hardware` (503): A hardware part of the robot failed.
 * - `no_ack` (503): The robot did not confirm in time. It may have done it, and will not do it later.
 * - `outcome_unknown` (503): It is unknown whether the robot did it. The service never does it twice.
 * - `render_failed` (503): The picture or sound could not be rendered.
 * - `speech_failed` (503): The speech engine failed or took too long. The robot does not speak.
 * - `storage_full` (503): The account has reached a storage limit, or the storage of the service is full.
 * - `service_unavailable` (503): The service cannot reach its storage, or its storage refuses the call.
 * - `draining` (503): The instance that handled the call is shutting down.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ErrorCode".
 */
export type ErrorCode =
  | 'bad_argument'
  | 'malformed_json'
  | 'bad_picture'
  | 'not_whole'
  | 'image_unreachable'
  | 'card_showing'
  | 'command_not_passed_on'
  | 'unauthorized'
  | 'scope_missing'
  | 'unknown_robot'
  | 'not_found'
  | 'method_not_allowed'
  | 'body_too_large'
  | 'not_json'
  | 'rate_limited'
  | 'queue_full'
  | 'internal'
  | 'not_offered'
  | 'robot_offline'
  | 'robot_busy'
  | 'busy'
  | 'robot_hardware'
  | 'no_ack'
  | 'outcome_unknown'
  | 'render_failed'
  | 'speech_failed'
  | 'storage_full'
  | 'service_unavailable'
  | 'draining';

/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ShowArguments".
 */
export interface ShowArguments {
  /** Big text in the middle; sizes itself. Needs a visible character. */
  text?: string | undefined;
  /** Small text at the top, in the colour. */
  title?: string | undefined;
  /** Shown above the text or at its left, in its colour. Names of Lucide icons, such as check, bell or cloud-sun; GET /v1/icons lists all. */
  icon?: string | undefined;
  /** Used instead of a card, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side; an https address of one of at most 2 MB; or the id of an uploaded one (POST /v1/pictures). A data: prefix and white space are ignored. */
  image?: string | undefined;
  /** Small text at the bottom. */
  note?: string | undefined;
  /** Colour of text, title, icon, line and bar; default white text, blue title. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white. */
  color?: string | undefined;
  /** Default dark blue. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white. */
  background?: string | undefined;
  /** Progress bar, 0..1. */
  progress?: number | undefined;
  /** Time left, drawn large, as 4:59 or 1:02:03, until seconds have passed or a time is reached. The service draws it anew each second while the card shows; over an hour every 10 s. */
  countdown?: {
    /** How long it counts, from when it is shown, 1 to 86400 s. */
    seconds?: number | undefined;
    /** In place of seconds: when it ends, at most a day ahead, such as 2026-12-31T23:59:00+01:00. A time that has passed shows the end. */
    until?: string | undefined;
    /** Text that replaces it at its end, with a visible character; default 0:00. */
    done?: string | undefined;
  } | undefined;
  /** 2 to 300 numbers, drawn as a line below the text, from the lowest at its bottom to the highest at its top; null leaves a gap. */
  sparkline?: (number | null)[] | undefined;
  /** Text or address of a QR code, black on white: at most 331 bytes alone, 106 with title, text, note or icon. A text stands beside it. */
  qr?: string | undefined;
  /** Side to which the lines of text, title and note are aligned; default center, and the start of the line for text in the monospace font or in Markdown. */
  align?: 'left' | 'center' | 'right' | undefined;
  /** How text is written; default plain. markdown: bold, lists, code and tables of up to five rows are drawn; of anything else, such as links, its text. */
  format?: 'plain' | 'markdown' | undefined;
  /** Text in a monospace font, with its spaces kept. false counts as absent. */
  mono?: boolean | undefined;
  /** What happens to a text that does not fit; default cut, with an ellipsis. pages: the service turns up to 10 pages, each for 3 to 12 s by its length, from the first one again, until another card or picture is shown or the card is taken away. */
  overflow?: 'cut' | 'pages' | undefined;
  /** Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean. */
  lang?: string | undefined;
  /** Show it when what waits at the robot is over, instead of replacing it: questions, and what is in its queue, of at most 20. In quiet hours only priority 9 shows. A stop empties the queue. false counts as absent. */
  queue?: boolean | undefined;
  /** With queue: higher ones first, equal ones in the order of their calls; default 0. 9 shows in quiet hours, too. It does not replace what shows. */
  priority?: number | undefined;
  /** With queue: seconds after which it is dropped if its turn has not come; default 120, and the most for a question without detach. */
  expires_s?: number | undefined;
  /** With queue: seconds before the next of the queue may show; default 10. Without a next one, the card stays as any other. */
  for_s?: number | undefined;
  /** Take the card or picture away. false counts as absent. */
  clear?: boolean | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ShowAnswer".
 */
export interface ShowAnswer {
  ok: true;
  /** Arguments ignored because of the picture; absent if there are none. */
  ignored?: string[];
  /** Arguments whose text did not fit and was cut with an ellipsis, such as question or answers[1]; absent if there are none. */
  truncated?: string[];
  /** Characters of the shown texts that no font of the service has: they are shown as their code points in boxes, or left out if they are combining marks. Absent if there are none. */
  missing?: string[];
  /** Arguments that are shown otherwise than sent: a colour that is hard to read on its background, shown on a plate; a text in which a box stands for invisible characters, or from which control characters, escape sequences of terminals or piled up marks were removed. Absent if there are none. */
  adjusted?: string[];
  /** It is in the queue of the robot, or has expired there: nobody has seen it. */
  queued?: true;
  /** Place in the queue of the robot, from 1; absent if it is not in it. */
  place?: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SayArguments".
 */
export interface SayArguments {
  /** At most 80 characters (Unicode code points), one of them visible. */
  text: string;
  /** Duration in seconds; default 6, at most 30. */
  seconds?: number | undefined;
  /** Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean. */
  lang?: string | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SayAnswer".
 */
export interface SayAnswer {
  ok: true;
  /** Arguments whose text did not fit and was cut with an ellipsis, such as question or answers[1]; absent if there are none. */
  truncated?: string[];
  /** Characters of the shown texts that no font of the service has: they are shown as their code points in boxes, or left out if they are combining marks. Absent if there are none. */
  missing?: string[];
  /** Arguments that are shown otherwise than sent: a colour that is hard to read on its background, shown on a plate; a text in which a box stands for invisible characters, or from which control characters, escape sequences of terminals or piled up marks were removed. Absent if there are none. */
  adjusted?: string[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "FaceArguments".
 */
export interface FaceArguments {
  /** Face emotion. */
  emotion?: 'neutral' | 'happy' | 'angry' | 'sad' | 'doubt' | 'sleepy' | undefined;
  /** The robot's own screen under cards: its face or its readings. */
  view?: 'face' | 'readings' | undefined;
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
  gesture?: 'nod' | 'shake' | 'home' | undefined;
  /** Degrees, -128..128, positive to the robot's left. */
  yaw?: number | undefined;
  /** Degrees up, 5..85; the robot clamps the value. */
  pitch?: number | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "MoveAnswer".
 */
export interface MoveAnswer {
  ok: true;
  /** Target in degrees after clamping; null if the robot did not report it. */
  yaw: number | null;
  /** Target in degrees after clamping; null if the robot did not report it. */
  pitch: number | null;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "LedsArguments".
 */
export interface LedsArguments {
  /** All LEDs, or the colour of the bar or effect. Default white. #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white. */
  color?: string | undefined;
  /** Animation run by the robot. */
  effect?: 'rainbow' | 'breathe' | 'chase' | 'blink' | 'off' | undefined;
  /** Length of the effect. 0 (default): until the next leds action. Requires effect. */
  seconds?: number | undefined;
  /** 0..1, default 1: how bright the colours look; at 0.5 half as bright. Requires color, bar, pixels or effect. */
  brightness?: number | undefined;
  /** Effect speed, 0.2..5, default 1. Ignored without an effect. */
  speed?: number | undefined;
  /** 0..1: lights this share of both strips, from the screen end. */
  bar?: number | undefined;
  /**
   * 12 colours: 0-5 the left strip from the screen end back, 6-11 the right strip from the back to the screen end.
   *
   * Items: #rrggbb or a name: red, orange, yellow, green, cyan, blue, purple, pink, white.
   */
  pixels?: string[] | undefined;
  /** All off; sent alone. false counts as absent. */
  off?: boolean | undefined;
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
    'ask' | 'break_over' | 'chirp' | 'done' | 'error' | 'hello' | 'lullaby' | 'morning' | 'munch' | 'no' | 'start' | 'tada' | 'whee' | 'yawn' | 'yes' | undefined;
  /** Speaker volume, 0..100; applied first and kept. */
  volume?: number | undefined;
  /** Melody: <note>:<ms> entries separated by spaces, 30 s in total. A note is a letter A to G, an optional # or b and an octave 0..8 (C4 is middle C), or - for a rest: "C4:200 E4:200 -:100 G4:400". Or a tune in RTTTL, the text format of ring tones: "Scale:d=8,o=4,b=120:c,d,e,f,g,a,b,2c5". */
  notes?: string | undefined;
  /** Play the notes like a struck bell. Requires notes. */
  bell?: boolean | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SoundAnswer".
 */
export interface SoundAnswer {
  ok: true;
  /** How long the sound plays; 0 if only the volume was set, or if the sound was silenced. */
  seconds: number;
  /** Another sound replaced this one before it began. */
  replaced: boolean;
  /** Why nothing was played. quiet_hours: the owner of the robot chose hours in which it makes no sound. */
  silenced?: 'quiet_hours';
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "AskArguments".
 */
export interface AskArguments {
  /** Short, with a visible character. */
  question: string;
  /** 2 to 4 short answers, each with a visible character. */
  answers: string[];
  /** Seconds to wait, counted from when the person can answer; default 30, at most 120; with detach, at most 86400. With whole and overflow pages the default is 30 from when the last page comes, at most 120 in all; not in a scene with at_ms. */
  timeout_s?: number | undefined;
  /** Icons of the answers, in their order; an empty string for an answer without one. Names of Lucide icons, such as check, bell or cloud-sun; GET /v1/icons lists all. */
  icons?: string[] | undefined;
  /** What happens to a question that does not fit; default cut, with an ellipsis. pages: the service turns up to 10 pages, each for 3 to 12 s by its length, from the first one again; the answers stand on each, and a tap on any page counts; with whole only after the last one, up to which the answers are grey, and a tap beside them turns the page. */
  overflow?: 'cut' | 'pages' | undefined;
  /** Refuse, with 400 not_whole, instead of showing a question or answer that is cut (a question on pages is not, unless they are too few, or timeout_s leaves less than 10 s after the last one comes) or has a character that no font of the service has, or that a person cannot see. false counts as absent. */
  whole?: boolean | undefined;
  /** Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean. */
  lang?: string | undefined;
  /** Index of the answer that allows nothing: a tap on it counts after 350 ms whatever is asked, while whole has the others wait for 1 s. */
  deny?: number | undefined;
  /** Answer at once, with outcome pending and its wait, which GET /v1/waits/{wait} and robot_answer read for 60 min after its end; the end is also the event answered. */
  detach?: boolean | undefined;
  /** Show it when what waits at the robot is over, instead of replacing it: questions, and what is in its queue, of at most 20. In quiet hours only priority 9 shows. A stop empties the queue. false counts as absent. */
  queue?: boolean | undefined;
  /** With queue: higher ones first, equal ones in the order of their calls; default 0. 9 shows in quiet hours, too. It does not replace what shows. */
  priority?: number | undefined;
  /** With queue: seconds after which it is dropped if its turn has not come; default 120, and the most for a question without detach. */
  expires_s?: number | undefined;
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
        /** Returned as item. Ids may repeat; index identifies the tile. */
        id?: string | undefined;
        /** With a visible character. */
        label?: string | undefined;
        /** Shown above the label. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side; an https address of one of at most 2 MB; or the id of an uploaded one (POST /v1/pictures). A data: prefix and white space are ignored. */
        image?: string | undefined;
        /** Shown above the label, in place of an image. Names of Lucide icons, such as check, bell or cloud-sun; GET /v1/icons lists all. */
        icon?: string | undefined;
      }
  )[];
  /** Small text at the top. */
  title?: string | undefined;
  /** Seconds to wait, counted from when the person can answer; default 30, at most 120; with detach, at most 86400. */
  timeout_s?: number | undefined;
  /** Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean. */
  lang?: string | undefined;
  /** Answer at once, with outcome pending and its wait, which GET /v1/waits/{wait} and robot_answer read for 60 min after its end; the end is also the event answered. */
  detach?: boolean | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ClickmapArguments".
 */
export interface ClickmapArguments {
  /** 1 to 32 regions. Where regions overlap, the first listed counts. */
  regions: Region[];
  /** Shown first, fitted to 320x240. JPEG or PNG in base64, at most 1,600,000 characters and 4096 pixels a side; an https address of one of at most 2 MB; or the id of an uploaded one (POST /v1/pictures). A data: prefix and white space are ignored. */
  image?: string | undefined;
  /** Seconds to wait, counted from when the person can answer; default 30, at most 120; with detach, at most 86400. */
  timeout_s?: number | undefined;
  /** Answer at once, with outcome pending and its wait, which GET /v1/waits/{wait} and robot_answer read for 60 min after its end; the end is also the event answered. */
  detach?: boolean | undefined;
}
/**
 * An id and exactly one of rect, circle and polygon, in screen pixels (320x240). A rect has its left and top edge, not the right and bottom one; other edges count as inside. Where regions overlap, the first listed counts.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Region".
 */
export interface Region {
  /** Returned as `region` when the region is tapped. Ids may repeat; `index` identifies the region. */
  id: string;
  /** [x, y, w, h]; w and h above 0. */
  rect?: [number, number, number, number] | undefined;
  /** [x, y, r]; r above 0. */
  circle?: [number, number, number] | undefined;
  /** [[x, y], ...], 3 to 32 points. */
  polygon?: [number, number][] | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "CommandArguments".
 */
export interface CommandArguments {
  /** Name of one of the robot's commands. */
  command: string;
  /** The command's arguments; default {}. */
  args?: Record<string, unknown> | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "CommandAnswer".
 */
export interface CommandAnswer {
  ok: true;
  /** The robot's result; {} if it returned none. */
  result: Record<string, unknown>;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "StateAnswer".
 */
export interface StateAnswer {
  ok: true;
  id: string;
  /** Name given by the owner; the id if the robot has no name. */
  name: string;
  /** Whether the robot is connected to the service. */
  online: boolean;
  /** Empty until the robot connects for the first time. */
  model: string;
  /** Empty until the robot connects for the first time. */
  firmware: string;
  /** Parts of the robot that actions need, as it reported when it last connected. Absent until the robot connects for the first time. */
  features?: (
    'screen' | 'touch' | 'face' | 'bubble' | 'head' | 'leds' | 'speaker' | 'bubble_picture' | 'move_duration' | 'open_sound' | 'lights_questions'
  )[];
  commands: RobotCommand[];
  /** Labels by key, such as {"room": "r7"}; empty if there are none. */
  labels: Record<string, string>;
  readings: Readings;
  /** Time of the latest reading, RFC 3339; null before the first. */
  readings_at: string | null;
  showing: Showing;
  /** Highest volume of sounds and speech, chosen by the owner; null: no limit. */
  volume_max: number | null;
  /** Hours in which the robot makes no sound, chosen by the owner; null: none. */
  quiet_hours: {
    /** HH:MM. Later than `to` if the hours include midnight. */
    from: string;
    /** HH:MM */
    to: string;
    /** IANA name, such as Europe/Berlin. */
    time_zone: string;
    /** Whether these hours are now. */
    active: boolean;
  } | null;
  /** Versions of the robot program, which only the owner updates; null: a program that the service does not update. */
  update?: {
    /** Version that runs. */
    current: string;
    /** Version that the owner can install; null: none. */
    offered: string | null;
    /** Why the last update to that version failed, or the robot refused it; null: it did not fail. Absent: a gateway of 0.10. */
    error?: string | null;
  } | null;
  /** The last 20, oldest first. */
  events: RobotEvent[];
  /** The highest event number assigned so far. */
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
 * The latest value of each reading; its name contains the unit. Null: the sensor failed. Readings never reported are absent.
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
 * What the robot is showing.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Showing".
 */
export interface Showing {
  /** Id of the card or picture on the screen, or null. */
  card: string | null;
  /** Id of the question on the screen, or null. */
  question: string | null;
  emotion: string;
  /** The robot's own screen beneath cards: face or readings. */
  view: string;
  /** Wait of the question, if this key asked it with detach or as a tool: robot_answer and GET /v1/waits/{wait} read it. */
  wait?: string;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "EventsArguments".
 */
export interface EventsArguments {
  /** Only events with a higher seq. Default 0: the last ones kept. */
  after?: number | undefined;
  /** Only events with these names. An empty list counts as absent. */
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
    | 'answered'
  )[];
  /** Wait up to this many seconds for the next event; default 0, at most 60. */
  seconds?: number | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "EventsAnswer".
 */
export interface EventsAnswer {
  ok: true;
  /** Oldest first. */
  events: RobotEvent[];
  /** The highest number this response covers, including events that names filtered out; never below after. */
  last_seq: number;
  /** The oldest number kept or, if numbering jumped past after, the first number after the jump. The next number if all events were dropped; 0 if there never was one. */
  first_seq: number;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SpeakArguments".
 */
export interface SpeakArguments {
  /** At most 300 characters (Unicode code points). */
  text: string;
  /** Language of the text, BCP 47, such as de or en-GB: chooses a voice. */
  lang?: string | undefined;
  /** Name of a voice of the service; an unknown one is refused with the names of some. Wins over lang. */
  voice?: string | undefined;
  /** Speaker volume, 0..100; applied first and kept. */
  volume?: number | undefined;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "SpeakAnswer".
 */
export interface SpeakAnswer {
  ok: true;
  /** How long the speech is; absent if it was not known when the robot began to speak. */
  seconds?: number;
  /** Another sound or a stop took its place before it began. */
  replaced: boolean;
  /** Why nothing was played. quiet_hours: the owner of the robot chose hours in which it makes no sound. */
  silenced?: 'quiet_hours';
  /** Whether the text is shown in a speech bubble. */
  caption: boolean;
  /** Why there is no bubble. card_showing: a card or question covers the face. no_bubble: the robot has none. failed: the robot did not show it. */
  caption_left_out?: 'card_showing' | 'no_bubble' | 'failed';
  /** Arguments whose text did not fit and was cut with an ellipsis, such as question or answers[1]; absent if there are none. */
  truncated?: string[];
  /** Characters of the shown texts that no font of the service has: they are shown as their code points in boxes, or left out if they are combining marks. Absent if there are none. */
  missing?: string[];
  /** Arguments that are shown otherwise than sent: a colour that is hard to read on its background, shown on a plate; a text in which a box stands for invisible characters, or from which control characters, escape sequences of terminals or piled up marks were removed. Absent if there are none. */
  adjusted?: string[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "StopAnswer".
 */
export interface StopAnswer {
  ok: true;
  /** Parts that were stopped: sound, leds and head whether or not they were active, wait only if one was pending. */
  stopped: ('wait' | 'sound' | 'leds' | 'head')[];
  /** Parts this robot does not have. */
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
  /** The response of each action, in order. */
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
  /** If there are more robots than limit, the id to pass as after for the next page; otherwise null. */
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
  /** Name given by the owner; the id if the robot has no name. */
  name: string;
  /** Whether the robot is connected to the service. */
  online: boolean;
  /** Empty until the robot connects for the first time. */
  model: string;
  /** Empty until the robot connects for the first time. */
  firmware: string;
  /** Parts of the robot that actions need, as it reported when it last connected. Absent until the robot connects for the first time. */
  features?: (
    'screen' | 'touch' | 'face' | 'bubble' | 'head' | 'leds' | 'speaker' | 'bubble_picture' | 'move_duration' | 'open_sound' | 'lights_questions'
  )[];
  commands: RobotCommand[];
  /** Labels by key, such as {"room": "r7"}; empty if there are none. */
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
    /** compound: runs several actions in one call. */
    kind: 'action' | 'compound';
    summary: string;
    description: string;
    method: 'POST';
    path: string;
    /** Name of the MCP tool. */
    tool: string;
    /** JSON Schema of the arguments. */
    arguments: Record<string, unknown>;
    /** JSON Schema of the response. */
    answer: Record<string, unknown>;
  }[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "IconsAnswer".
 */
export interface IconsAnswer {
  ok: true;
  icons: {
    /** Used as icon. */
    name: string;
    /** Words for what the icon shows or means. */
    tags: string[];
  }[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ScreenImageAnswer".
 */
export interface ScreenImageAnswer {
  ok: true;
  /** The screen as a PNG of 320x240 pixels. */
  image: string;
  /** Arguments whose text did not fit and was cut with an ellipsis, such as question or answers[1]; absent if there are none. */
  truncated?: string[];
  /** Characters of the shown texts that no font of the service has: they are shown as their code points in boxes, or left out if they are combining marks. Absent if there are none. */
  missing?: string[];
  /** Arguments that are shown otherwise than sent: a colour that is hard to read on its background, shown on a plate; a text in which a box stands for invisible characters, or from which control characters, escape sequences of terminals or piled up marks were removed. Absent if there are none. */
  adjusted?: string[];
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "PictureUploadAnswer".
 */
export interface PictureUploadAnswer {
  ok: true;
  /** The id, accepted as `image` by keys of the same account. */
  picture: string;
  format: 'jpeg' | 'png';
  /** Pixels, as the file stores them; a camera may turn the picture. */
  w: number;
  h: number;
  bytes: number;
  /** A day after its last upload. */
  expires_at: string;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ActivityAnswer".
 */
export interface ActivityAnswer {
  ok: true;
  /** Ascending by seq. */
  activity: ActivityEntry[];
  /** Pass it as after to read later entries. */
  last_seq: number;
  /** Pass it as before to read earlier entries; null: there are none, or after was given. */
  next_before: number | null;
}
/**
 * One call of a key, or one sign-in or change of the account.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ActivityEntry".
 */
export interface ActivityEntry {
  /** Ascending in the order in which entries were stored, not without gaps. */
  seq: number;
  /** When the call ended, or the change was made. */
  at: string;
  kind: 'calls' | 'changes';
  /** A program over HTTP, an agent (MCP), the web page, or an operator. */
  via: 'http' | 'agent' | 'page' | 'operator';
  /** The API key, with its name at the time; null: the web page or an operator, or a key that was revoked at once. */
  key: {
    id: string;
    name: string;
  } | null;
  /** Null: none, or one that the key does not reach. */
  robot: string | null;
  /** The action of a call, or the kind of change: sign_in, key_create, robot_remove and so on. */
  action: string;
  /** ok; for questions answered, timed_out or replaced; replayed (answered from an earlier call with the same Idempotency-Key), client_closed, or the code of an error. */
  outcome: string;
  /** More than 1: equal refusals within a second are one entry. */
  count: number;
  /** Duration of the call, with the time that a question waited; null for changes. */
  seconds: number | null;
  /** The question of ask or the title of menu, up to 160 characters. */
  question: string | null;
  /** The answer, item or region that was tapped, up to 80 characters. */
  answer: string | null;
  /** Where a clickmap was tapped. */
  x: number | null;
  /** As x. */
  y: number | null;
  /** Seconds from the question on the screen to the tap. */
  tap_s: number | null;
  /** Network that a change was made from. */
  network: string | null;
  /** Id of the key or webhook that was changed. */
  subject: string | null;
  /** E-mail address of the person with whom the robot is shared who made the call, or whose access a change concerns; null: the account itself. */
  guest: string | null;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "UsageAnswer".
 */
export interface UsageAnswer {
  ok: true;
  /** The last 30 days, newest first, without days that have no calls. */
  days: {
    /** Day in UTC. */
    date: string;
    keys: KeyUsage[];
  }[];
}
/**
 * Usage of one key on one day.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "KeyUsage".
 */
export interface KeyUsage {
  /** Null: the web page, or keys that are counted together because there are too many. The name is empty if the key was revoked. */
  key: {
    id: string;
    name: string;
  } | null;
  /** Calls of actions and reads of robots. */
  calls: number;
  /** Calls that were answered with an error. */
  refused: number;
  /** Questions that were answered, timed out or were replaced. */
  asked: number;
  answered: number;
  /** answered / asked; null if nothing was asked. */
  answer_rate: number | null;
  /** Median of the seconds from a question on the screen to its tap, within 8 %. */
  median_tap_s: number | null;
}
/**
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "GroupAnswer".
 */
export interface GroupAnswer {
  ok: true;
  /**
   * One for each robot of the group, ascending by id.
   *
   * Items: The robot's id, and its response or failure as the same call to it alone has.
   */
  robots: {
    /** The robot's id. */
    robot: string;
    ok: boolean;
  }[];
  /** Robots whose call failed. */
  failed: number;
  /** With answers first, the robot at which somebody answered; null: none. The questions of the others have disappeared: their outcome is replaced. */
  first?: string | null;
}
/**
 * Response of a failed call.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "Failure".
 */
export interface Failure {
  ok: false;
  /** A sentence: what is wrong, where, and what to do. */
  error: string;
  code: ErrorCode;
  /** Identifies this call in the logs of the service. */
  request_id: string;
  /** Path of the argument at fault, or of the scene's action that failed. */
  field?: string;
  /** What to do next, where there is more to say than the sentence does. */
  next?: string;
  /** For a scene: the responses of the actions that ran before the one that failed. */
  results?: Record<string, unknown>[];
}
/**
 * Fields of AskAnswer that are the same for each outcome.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "AskAnswerFields".
 */
export interface AskAnswerFields {
  ok: true;
  timed_out: boolean;
  replaced: boolean;
  /** Whether the robot was offline or restarted while the call was waiting. */
  robot_away: boolean;
  /** It is in the queue of the robot, or has expired there: nobody has seen it. */
  queued?: true;
  /** Place in the queue of the robot, from 1; absent if it is not in it. */
  place?: number;
  /** Arguments whose text did not fit and was cut with an ellipsis, such as question or answers[1]; absent if there are none. */
  truncated?: string[];
  /** Characters of the shown texts that no font of the service has: they are shown as their code points in boxes, or left out if they are combining marks. Absent if there are none. */
  missing?: string[];
  /** Arguments that are shown otherwise than sent: a colour that is hard to read on its background, shown on a plate; a text in which a box stands for invisible characters, or from which control characters, escape sequences of terminals or piled up marks were removed. Absent if there are none. */
  adjusted?: string[];
}
/**
 * Fields of MenuAnswer that are the same for each outcome.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "MenuAnswerFields".
 */
export interface MenuAnswerFields {
  ok: true;
  timed_out: boolean;
  replaced: boolean;
  /** Whether the robot was offline or restarted while the call was waiting. */
  robot_away: boolean;
  /** Arguments whose text did not fit and was cut with an ellipsis, such as question or answers[1]; absent if there are none. */
  truncated?: string[];
  /** Characters of the shown texts that no font of the service has: they are shown as their code points in boxes, or left out if they are combining marks. Absent if there are none. */
  missing?: string[];
  /** Arguments that are shown otherwise than sent: a colour that is hard to read on its background, shown on a plate; a text in which a box stands for invisible characters, or from which control characters, escape sequences of terminals or piled up marks were removed. Absent if there are none. */
  adjusted?: string[];
}
/**
 * Fields of ClickmapAnswer that are the same for each outcome.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "ClickmapAnswerFields".
 */
export interface ClickmapAnswerFields {
  ok: true;
  timed_out: boolean;
  replaced: boolean;
  /** Whether the robot was offline or restarted while the call was waiting. */
  robot_away: boolean;
}
/**
 * Fields of WaitAnswer that are the same for each outcome.
 *
 * This interface was referenced by `Root`'s JSON-Schema
 * via the `definition` "WaitAnswerFields".
 */
export interface WaitAnswerFields {
  ok: true;
  timed_out: boolean;
  replaced: boolean;
  /** Whether the robot was offline or restarted while the call was waiting. */
  robot_away: boolean;
  /** The id of a wait that outlives its call. */
  wait: string;
  /** It is in the queue of the robot, or has expired there: nobody has seen it. */
  queued?: true;
  /** Place in the queue of the robot, from 1; absent if it is not in it. */
  place?: number;
  /** Id of the robot that asks. */
  robot: string;
  action: 'ask' | 'menu' | 'clickmap';
}
/**
 * The fields of `data`, by event name.
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
    /** Id of the tappable picture that was hit. */
    sprite?: string;
    /** The touch lay on an answer of the open question, but began too soon after it was shown to count. */
    early?: true;
  };
  /** Long touch on the screen. */
  long_press: {
    /** Screen pixels, 320x240. */
    x: number;
    /** Screen pixels, 320x240. */
    y: number;
    /** The touch lay on an answer of the open question, but began too soon after it was shown to count. */
    early?: true;
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
  /** The object in front went away again. */
  away: Record<string, never>;
  /** A tag or card held near the head. */
  tag: {
    /** Lower-case hex without separators. */
    uid: string;
    type?: string;
    /** The tag's link or text. */
    text?: string;
    /** The text is longer than an event (about 1,000 bytes). */
    truncated?: 'text'[];
  };
  /** The tag was taken away. */
  tag_removed: {
    /** Lower-case hex without separators. */
    uid: string;
  };
  /** An infrared remote's button: `address` and `command` (NEC, or the `protocol` named) or, of another protocol, `code`. */
  remote: {
    /** Absent for NEC with a command of 8 bits. */
    protocol?: 'samsung' | 'sony' | 'rc5' | 'rc6' | 'kaseikyo' | 'jvc' | 'denon' | 'nec16';
    address?: number;
    command?: number;
    /** The same for each press of a button whose protocol has no name here. */
    code?: string;
    /** Marks and spaces in microseconds, beside `code` and of `rc6`, `kaseikyo`, `jvc`, `denon` and `nec16`. Tools of MCP return the first 16. */
    raw?: number[];
    /** The button has more marks and spaces than an event holds (about 225), or a tool of MCP returns. */
    truncated?: 'raw'[];
  };
  /** Power button. */
  button: {
    press: 'short' | 'long';
  };
  /** USB cable plugged in. */
  plugged: Record<string, never>;
  /** USB cable taken out. */
  unplugged: Record<string, never>;
  /** The robot connected: at its start, after a restart, or after being away. */
  connected: Record<string, never>;
  /** An ask, menu or clickmap that outlives its call has ended. Fields are null if there was no tap; a text that is too long for an event is cut. */
  answered: {
    /** The id of a wait that outlives its call. */
    wait: string;
    action: 'ask' | 'menu' | 'clickmap';
    /** cancelled: the wait was taken away. */
    outcome: 'answered' | 'timed_out' | 'replaced' | 'cancelled' | 'failed';
    /** Position in the list, from 0. */
    index: number | null;
    /** For ask: text of the tapped answer. */
    answer?: string | null;
    /** For menu: id of the tapped item, or its label. */
    item?: string | null;
    /** For menu: label of the tapped item. */
    label?: string | null;
    /** For clickmap: id of the tapped region. */
    region?: string | null;
    /** For clickmap: screen pixels, 320x240. */
    x?: number | null;
    /** For clickmap: screen pixels, 320x240. */
    y?: number | null;
    /** For failed: the code of the failure. */
    code?: string;
  };
}

/** replaced: a newer ask, menu or clickmap, or a stop, ended this one. pending: the question waits on; read its `wait`. */
export type AskAnswer = AskAnswerFields & (
  | {
      outcome: 'answered';
      wait?: undefined;
      /** Text of the tapped answer. */
      answer: string;
      /** Position in the list, from 0. */
      index: number;
    }
  | {
      outcome: 'timed_out' | 'replaced';
      wait?: undefined;
      answer: null;
      index: null;
    }
  | {
      outcome: 'pending';
      /** The id of a wait that outlives its call. */
      wait: string;
      answer: null;
      index: null;
    }
);

/** replaced: a newer ask, menu or clickmap, or a stop, ended this one. pending: the question waits on; read its `wait`. */
export type MenuAnswer = MenuAnswerFields & (
  | {
      outcome: 'answered';
      wait?: undefined;
      /** The tile's id, or its label if it has no id. Null for a tile with neither; index identifies it. */
      item: string | null;
      /** Position in the list, from 0. */
      index: number;
      /** The tile's label; null if it has none. */
      label: string | null;
    }
  | {
      outcome: 'timed_out' | 'replaced';
      wait?: undefined;
      item: null;
      index: null;
      label: null;
    }
  | {
      outcome: 'pending';
      /** The id of a wait that outlives its call. */
      wait: string;
      item: null;
      index: null;
      label: null;
    }
);

/** replaced: a newer ask, menu or clickmap, or a stop, ended this one. pending: the question waits on; read its `wait`. */
export type ClickmapAnswer = ClickmapAnswerFields & (
  | {
      outcome: 'answered';
      wait?: undefined;
      /** Id of the tapped region. */
      region: string;
      /** Position in the list, from 0. */
      index: number;
      /** Screen pixels, 320x240. */
      x: number;
      /** Screen pixels, 320x240. */
      y: number;
    }
  | {
      outcome: 'timed_out' | 'replaced';
      wait?: undefined;
      region: null;
      index: null;
      x: null;
      y: null;
    }
  | {
      outcome: 'pending';
      /** The id of a wait that outlives its call. */
      wait: string;
      region: null;
      index: null;
      x: null;
      y: null;
    }
);

/** replaced: a newer ask, menu or clickmap, or a stop, ended this one. pending: the question waits on; read its `wait`. */
export type WaitAnswer = WaitAnswerFields & (
  | {
      outcome: 'answered';
      /** Position in the list, from 0. */
      index: number;
      /** For ask: text of the tapped answer. */
      answer?: string;
      /** For menu: id of the tapped item, or its label. */
      item?: string | null;
      /** For menu: label of the tapped item. */
      label?: string | null;
      /** For clickmap: id of the tapped region. */
      region?: string;
      /** For clickmap: screen pixels, 320x240. */
      x?: number;
      /** For clickmap: screen pixels, 320x240. */
      y?: number;
    }
  | {
      outcome: 'timed_out' | 'replaced' | 'pending';
      index: null;
      answer?: null;
      item?: null;
      label?: null;
      region?: null;
      x?: null;
      y?: null;
    }
);

/** The arguments of each action, by name. */
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
  speak: SpeakArguments;
}

/** The response of each action, by name. */
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
  speak: SpeakAnswer;
}

export type EventName = keyof EventData;

/** An event at the robot; the name determines the type of its data. */
export type RobotEvent<N extends EventName = EventName> = {
  [K in N]: {
    /** Counts from 1 per robot; never used twice. */
    seq: number;
    name: K;
    data: EventData[K];
    /** Time of the event, RFC 3339. */
    at: string;
  };
}[N];

/** Actions allowed in a scene; `ask`, `menu` and `clickmap` only as the last one. */
export type SceneAction = 'show' | 'say' | 'face' | 'move' | 'leds' | 'sound' | 'speak' | 'command' | 'ask' | 'menu' | 'clickmap';

/** One action of a scene with its arguments. */
export type SceneStep = { [N in SceneAction]: { action: N; at_ms?: number } & ArgumentsByAction[N] }[SceneAction];
