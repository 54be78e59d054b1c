/**
 * A robot that does what is measured and nothing else, so that it costs the machine as little as possible:
 * one for each way of being connected, all of them with the same body.
 */

/** What a command of any variant carries. */
export interface RobotCommand {
  name: string;
  args: Record<string, unknown>;
}

export interface PlainRobot {
  readonly body: Body;
  /** Sends one report of its sensors. */
  report(values: Readings): void;
  /** A sign of life, where the way of being connected wants one. */
  ping(): void;
  /** Touches the screen, where the variant knows of touches. */
  tap(): void;
  close(): void;
}

export type Readings = Readonly<Record<string, number | boolean>>;

export interface Dial {
  /** Where the variant's robots connect. */
  url: string;
  robot: string;
  token: string;
}

const ofFurtherRows = new Set(['screen.show', 'screen.clear', 'audio.play']);
const pixel = /^#[0-9a-f]{6}$/;

/** Counts what it was told; anything else than what the bench lets programs ask for is a problem. */
export class Body {
  executed = 0;
  problem: string | null = null;
  /** What its LEDs show. */
  pixels: readonly string[] = [];

  execute({ name, args }: RobotCommand): void {
    this.executed++;
    if (ofFurtherRows.has(name)) return;
    const pixels = args['pixels'];
    if (name === 'leds.set' && Array.isArray(pixels) && pixels.length === 12 && pixels.every((each) => pixel.test(String(each)))) {
      this.pixels = pixels as string[];
    } else this.problem = `${name} ${JSON.stringify(args).slice(0, 200)}`;
  }
}
