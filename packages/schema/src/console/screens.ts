/** Cards and questions that a robot showed, on its page. Types only, as in console.ts. */

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
