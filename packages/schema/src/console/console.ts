/**
 * What the web page and the gateway say to each other under /console: plain types, so that the page takes nothing of this package along.
 * Every answer has `ok: true`; every failure is `{ok: false, code, error, field?}` with `Retry-After` where there is a time to wait.
 * Answers that are for a session name its account in `Perch-Account`, so that a page notices when another account signed in elsewhere in the browser.
 */
import type { RobotEvent } from '../api/event.js';
import type { BootCause } from '../link/hello.js';
import type { LogLevel } from '../link/report.js';
import type { Showing } from '../internal/messages.js';
import type { Readings } from '../api/readings.js';

/** GET /console/session, and what signing in and up answer. */
export type ConsoleSession = SignedOut | SignedIn;

interface Entrance {
  ok: true;
  /** Whether strangers may make an account: with an invitation only, or not at all. */
  sign_up: 'open' | 'invitation' | 'closed';
  /** The OpenID Connect provider's name for the button, or null where none is configured. */
  oidc: { name: string } | null;
}

export interface SignedOut extends Entrance {
  signed_in: false;
}

export interface SignedIn extends Entrance {
  signed_in: true;
  account: { id: string; email: string; /** false for an account that signs in by OpenID Connect or by a link alone. */ has_password: boolean };
  /** Goes with every request that is not a GET, as `X-CSRF-Token`. */
  csrf: string;
  /** Base address for programs, without a slash at its end. */
  base_url: string;
  /** Where robots dial: `ws(s)://HOST/robot/v1/link`. */
  link_url: string;
}

/**
 * Why a sign-in with the provider did not end signed in: `/sign-in#error=…`, where GET /console/oidc/start and its callback lead then.
 * `oidc_email_taken`: an account has that address; sign in to it by password. `oidc_no_email`: the provider vouches for no address.
 */
export type SignInProblem =
  | 'oidc_failed'
  | 'oidc_cancelled'
  | 'oidc_expired'
  | 'oidc_no_email'
  | 'oidc_email_taken'
  | 'sign_up_closed'
  | 'too_many_attempts';

/** POST /console/accounts. */
export interface SignUpBody {
  email: string;
  /** 10 to 200 characters. */
  password: string;
  invitation?: string;
}

/** POST /console/session: by password, or by a link that works once. */
export type SignInBody = { email: string; password: string } | { link: string };

/** PUT /console/password. `current` is left out by an account that has none. */
export interface PasswordBody {
  current?: string;
  password: string;
}

export interface ConsoleRobot {
  id: string;
  /** '' where it was given none. */
  name: string;
  online: boolean;
  /** '' until it connected for the first time, as firmware. */
  model: string;
  firmware: string;
  /** Whether it was made on the page and is one in software. */
  virtual: boolean;
  battery_pct: number | null;
  /** RFC 3339; null for one that never connected. While it is online, now. */
  last_seen: string | null;
  created_at: string;
}

/**
 * GET /console/robots?limit=&after=&online=&firmware=&search=, and the live stream's event `robots`, which has the first 200.
 * An answer that holds all the robots asked for is sorted oldest first; one of several slices ascending by id.
 */
export interface RobotsAnswer {
  ok: true;
  robots: ConsoleRobot[];
  /** All robots of the account, whatever was asked for. */
  total: number;
  /** The id to pass as `after` for the next slice; null when this is the last one. */
  next: string | null;
}

/** GET /console/robots/{robot}. */
export interface RobotAnswer {
  ok: true;
  robot: ConsoleRobot;
}

/** POST /console/robots: the code on a robot's screen, or a new virtual robot. */
export type AddRobotBody =
  | { code: string; name?: string; /** Required where the account has a robot of the same serial: its token ends. Else 409. */ replace?: boolean }
  | { virtual: true; name?: string };

/** POST /console/pairings: {code}; shows what would be paired, and changes nothing. */
export interface PairingAnswer {
  ok: true;
  pairing: {
    serial: string;
    model: string;
    firmware: string;
    /** Client network the robot dialled from: an IPv4 address or an IPv6 prefix; '' where it is not known. */
    network: string;
    /** The account's robot of the same serial, whose token would end; null for a new robot. */
    replaces: { id: string; name: string } | null;
  };
}

/** `token` is there for a virtual robot alone, this once. */
export interface AddRobotAnswer {
  ok: true;
  robot: ConsoleRobot;
  token?: string;
}

/** POST /console/robots/{robot}/token: a new token for a virtual robot, in place of the old one. */
export interface TokenAnswer {
  ok: true;
  token: string;
}

/** GET /console/robots/{robot}/log: what the robot said about its last start, and its log lines, oldest first (at most 100, for 7 days). */
export interface RobotLogAnswer {
  ok: true;
  /** null where its hello does not say. */
  boot: { cause: BootCause; error: string | null } | null;
  lines: LogLine[];
}

export interface LogLine {
  /** RFC 3339: when the service received it. */
  at: string;
  level: LogLevel;
  text: string;
}

/** What a robot does now, as far as its acks and sensors tell; the live stream's event `twin`. */
export interface Twin {
  online: boolean;
  showing: Showing;
  /** The text in the speech bubble, or null. */
  bubble: string | null;
  /** Degrees: yaw + is the robot's left, pitch is up; null where it is not known. */
  head: { yaw: number | null; pitch: number | null; moving: boolean };
  leds: {
    /** 12 x `#rrggbb`, as the robot was told (left strip 0-5, right strip 6-11); null before the first. */
    pixels: string[] | null;
    effect: { name: string; color: string | null; palette: string[] | null; speed: number } | null;
  };
  sound: boolean;
  readings: Readings;
  readings_at: string | null;
}

/**
 * GET /console/live, server-sent events; the page holds one such stream. `?robot=r-…` adds `twin` and `event` of that robot.
 * `robots`: RobotsAnswer, at once and when it changes. `twin`: Twin, at once and when it changes. `event`: RobotEvent, with its seq as id;
 * `gap`: numbers above `after` and below `oldest` are missing: `dropped` because only so many events are kept, else because Redis lost them and numbering jumped; `drain`: this gateway ends, connect again; `end`: a failure's body, `signed_out` where the session ended.
 */
export type LiveEvent =
  | { event: 'robots'; data: RobotsAnswer }
  | { event: 'twin'; data: Twin }
  | { event: 'event'; data: RobotEvent }
  | { event: 'gap'; data: { after: number; oldest: number; dropped: boolean } };

export interface ConsoleKey {
  id: string;
  name: string;
  robots: '*' | string[];
  created_at: string;
  expires_at: string | null;
  /** To the minute. */
  last_used: string | null;
}

export interface KeysAnswer {
  ok: true;
  keys: ConsoleKey[];
}

/** POST /console/keys. DELETE /console/keys/{key} revokes one, DELETE /console/keys/{key}?webhooks=remove also removes the webhooks it created. */
export interface AddKeyBody {
  name: string;
  robots: '*' | string[];
  /** RFC 3339, in the future. */
  expires_at?: string;
}

export interface RevokeKeyAnswer {
  ok: true;
  /** The webhooks that the key created. */
  webhooks: { id: string; url: string; removed: boolean }[];
}

/** `api_key` can be read here alone. */
export interface AddKeyAnswer {
  ok: true;
  key: ConsoleKey;
  api_key: string;
}
