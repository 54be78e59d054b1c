/**
 * Types only: the console's bundle includes nothing of this package. Every failure is `{ok: false, code, error, field?}`. Responses to a session
 * carry its account in `Perch-Account`, so that a page notices another account's sign-in in the same browser.
 */
import type { RobotEvent } from '../robots/event.js';
import type { LogLevel } from '../link/report.js';
import type { BootCause, ScreenState } from '../link/hello.js';
import type { Readings } from '../robots/readings.js';
import type { Labels } from '../robots/robot-labels.js';
import type { QuietHours, RobotSettingsChange } from '../values/robot-settings.js';
import type { RobotUpdateStatus } from '../values/robot-update.js';
import type { UsedPasskeyResponse } from './passkeys.js';
import type { SharedBy } from './sharing.js';

export type ConsoleSession = SignedOut | SignedIn;

interface SignInOptions {
  ok: true;
  /** Sign-up is open to anyone, to holders of an invitation, or to no one. */
  sign_up: 'open' | 'invitation' | 'closed';
  /** For the button; null if no OpenID Connect provider is configured. */
  oidc: { name: string } | null;
  /** Host name that passkeys of this page are bound to; null: browsers offer none here. */
  passkey_host: string | null;
  /** True if this Perch sends e-mail. */
  mail: boolean;
}

export interface SignedOut extends SignInOptions {
  signed_in: false;
}

export interface SignedIn extends SignInOptions {
  signed_in: true;
  account: {
    id: string;
    email: string;
    /** True once a link in an e-mail to the address was opened, or a provider vouched for it. */
    email_verified: boolean;
    /** False for an account that signs in only by OpenID Connect, a passkey or a sign-in URL. */
    has_password: boolean;
    has_passkey: boolean;
  };
  /** Sent as `X-CSRF-Token` with every request except GET. */
  csrf: string;
  /** For programs, without a trailing slash. */
  base_url: string;
  /** `ws(s)://HOST/robot/v1/link` */
  link_url: string;
  /** What a robot is installed with: the same, or its name that stays, and the authority of its certificate in PEM, or empty. Absent from a gateway of 0.10. */
  install?: { url: string; ca: string };
}

/** `/sign-in#error=…` has it. `oidc_email_taken`: an account has the address; sign in by password. `oidc_no_email`: none is confirmed. */
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
  password: string;
  invitation?: string;
}

/** POST /console/session: by password, by a one-time sign-in URL, or with a passkey (see `PasskeyOptionsAnswer`). */
export type SignInBody = { email: string; password: string } | { link: string } | { passkey: UsedPasskeyResponse };

export interface ConsoleSessionEntry {
  id: string;
  /** Browser and system, as the browser named them when it signed in, such as `Firefox on Windows`; null: unknown. */
  device: string | null;
  created_at: string;
  /** RFC 3339, accurate to a minute; null: not since the sign-in. */
  last_used: string | null;
  expires_at: string;
  current: boolean;
}

/** GET /console/sessions, latest sign-in first. */
export interface SessionsAnswer {
  ok: true;
  sessions: ConsoleSessionEntry[];
}

/** DELETE /console/sessions/{session}, which is not the request's own, and DELETE /console/sessions, which ends all others. */
export interface EndSessionsAnswer {
  ok: true;
  ended: number;
}

/** PUT /console/password. `current` is absent for an account without a password. */
export interface PasswordBody {
  current?: string;
  password: string;
}

/** POST /console/account/removal, answered with the session, which is over. `password` is absent for an account without a password. */
export interface RemoveAccountBody {
  /** The account's own address, typed as a confirmation. */
  email: string;
  password?: string;
}

export interface ConsoleRobot {
  id: string;
  /** '' if the robot has no name. */
  name: string;
  online: boolean;
  /** '' until the robot connects for the first time, as is `firmware`. */
  model: string;
  firmware: string;
  virtual: boolean;
  labels?: Labels;
  /** IANA name, of `quiet_hours`. */
  time_zone?: string;
  /** Percent; null: no limit. */
  volume_max?: number | null;
  quiet_hours?: QuietHours | null;
  battery_pct: number | null;
  /** Screen as its robot-link last saved it: up to half a minute ago, or longer if the robot sends no readings. Null if unknown. */
  showing: ScreenState | null;
  /** RFC 3339; null if it never connected. The current time while it is online. */
  last_seen: string | null;
  created_at: string;
  /** Absent: the service does not update the program of this robot. */
  update?: RobotUpdateStatus;
  /** Present if the robot belongs to another account: it then has no labels and settings. */
  shared?: SharedBy;
}

/**
 * GET /console/robots?limit=&after=&online=&firmware=&label=&search=, and the live stream's event `robots`, which has the first 200. All matching
 * robots are sorted oldest first; one of several pages ascending by id.
 */
export interface RobotsAnswer {
  ok: true;
  robots: ConsoleRobot[];
  /** Regardless of the query. */
  total: number;
  /** `after` of the next page; null on the last page. */
  next: string | null;
  /** Robots of other accounts, oldest share first, regardless of the query; on the first page. */
  shared?: ConsoleRobot[];
}

/** GET /console/robots/{robot}; POST /console/robots/{robot}/update, which starts the update that `update` offers: 409 if there is none. */
export interface RobotAnswer {
  ok: true;
  robot: ConsoleRobot;
}

/** POST /console/robots: the code on a robot's screen, or a new virtual robot. */
export type AddRobotBody =
  | {
      code: string;
      name?: string;
      /** Required if the account has a robot with the same serial, whose token is then revoked; otherwise 409. */ replace?: boolean;
    }
  | { virtual: true; name?: string };

/** PATCH /console/robots/{robot}: at least one field. `labels` replaces all labels. */
export interface ChangeRobotBody extends RobotSettingsChange {
  /** '' removes the name. */
  name?: string;
  labels?: Labels;
}

/** POST /console/pairings: {code}. Shows what would be paired; changes nothing. */
export interface PairingAnswer {
  ok: true;
  pairing: {
    serial: string;
    model: string;
    firmware: string;
    /** Network the robot connected from: an IPv4 address or an IPv6 prefix; '' if unknown. */
    network: string;
    /** Its token would be revoked; null for a new robot. */
    replaces: { id: string; name: string } | null;
  };
}

/** `token` only for a virtual robot, and only here. */
export interface AddRobotAnswer {
  ok: true;
  robot: ConsoleRobot;
  token?: string;
}

/** POST /console/robots/{robot}/token: replaces the token of a virtual robot. */
export interface TokenAnswer {
  ok: true;
  token: string;
}

/** GET /console/robots/{robot}/log: the robot's report on its last start, and its log lines, oldest first (at most 100, for 7 days). */
export interface RobotLogAnswer {
  ok: true;
  /** Null if its hello does not say. */
  boot: { cause: BootCause; error: string | null } | null;
  /** Whether the robot says that its connection is not encrypted. Absent from a gateway of 0.10. */
  unencrypted?: boolean;
  lines: LogLine[];
}

export interface LogLine {
  /** Time of receipt, RFC 3339. */
  at: string;
  level: LogLevel;
  text: string;
}

/** GET /console/robot-program: the signed program that the page installs on robots, as `perch robot sign` writes it. Null: the page installs its own. */
export interface RobotProgramAnswer {
  ok: true;
  program: object | null;
}

/** As known from its acks and sensors; the live stream's event `twin`. */
export interface RobotSnapshot {
  online: boolean;
  showing: ScreenState;
  bubble: string | null;
  /** Degrees; positive yaw is the robot's left, positive pitch is up. Null: unknown. */
  head: { yaw: number | null; pitch: number | null; moving: boolean };
  leds: {
    /** 12 x `#rrggbb`, as sent to the robot (left strip 0-5, right strip 6-11); null before the first leds command. */
    pixels: string[] | null;
    effect: { name: string; color: string | null; palette: string[] | null; speed: number } | null;
  };
  sound: boolean;
  readings: Readings;
  readings_at: string | null;
}

/**
 * GET /console/live, server-sent events, one stream a page. `?robot=r-…` adds `twin`, the robot's state, and `event` of that robot (id: seq).
 * `robots` and `twin` are sent immediately and on every change. `gap`: events above `after` and below `oldest` are missing: too many (`dropped`
 * true), or lost by Redis. Last, `drain`: this gateway is shutting down; or `end`: the body of a failure, `signed_out` if the session ended.
 */
export type LiveEvent =
  | { event: 'robots'; data: RobotsAnswer }
  | { event: 'twin'; data: RobotSnapshot }
  | { event: 'event'; data: RobotEvent }
  | { event: 'gap'; data: { after: number; oldest: number; dropped: boolean } };

// Links in e-mails.

/** POST /console/password-resets. The answer does not depend on whether there is such an account. */
export interface RequestResetBody {
  email: string;
}

/** POST /console/password-resets/find: whether the link still works; if it does not, a failure as that of the PUT. Gateways of 0.10 answer 404. */
export interface FindResetBody {
  token: string;
}

/** PUT /console/password-resets: sets the password of the account that the e-mail's token belongs to, and signs in to it: `RecoveryAnswer`. */
export interface ResetPasswordBody {
  token: string;
  password: string;
}

/** PUT /console/verifications. POST /console/verifications, without a body, sends the e-mail to the account of the session. */
export interface VerifyEmailBody {
  token: string;
  /** In a browser that is not signed in to the account, for an address that was not verified: set as by a first reset, and answered as one. */
  password?: string;
}

/** Answer to a password that was set by the link of an e-mail. */
export interface RecoveryAnswer extends SignedIn {
  recovered: {
    /** Nobody had proven the address before: all that was made in the account has ended, but for its robots. */
    first: boolean;
    /** How many of each. Sessions and remembered browsers end always. */
    ended: Record<'passkeys' | 'keys' | 'clients' | 'webhooks' | 'share_links' | 'people', number>;
  };
}

// Cards and questions that a robot showed, on its page.

/** Actions that show a card or a question; `clickmap` only with a picture. */
export type ScreenAction = 'show' | 'ask' | 'menu' | 'clickmap';

export interface EarlierScreen {
  id: string;
  /** When it appeared, RFC 3339. */
  at: string;
  action: ScreenAction;
  via: 'http' | 'agent' | 'page' | 'operator';
  /** Null: the web page, or a key that was revoked at once. */
  key: { id: string; name: string } | null;
  /** ok; of questions answered, timed_out, replaced, client_closed, or the code of an error. */
  outcome: string;
  /** The answer, item or region that was tapped. */
  answer: string | null;
  /** Where a question was tapped, screen pixels. */
  x: number | null;
  y: number | null;
  tap_s: number | null;
  /** Arguments of the action, without pictures that are not kept. Null: they are too long to be kept. */
  arguments: Record<string, unknown> | null;
  /** Paths of the pictures that are not kept, such as `image` or `items[0].image`. */
  lacks: readonly string[];
  /** Whether the picture can be drawn: GET /console/robots/{robot}/screens/{screen}, as a PNG. 404: an uploaded picture in it has expired. */
  drawable: boolean;
}

/** GET /console/robots/{robot}/screens: the last 20 of 30 days, newest first. */
export interface EarlierScreensAnswer {
  ok: true;
  screens: EarlierScreen[];
}
