/** A robot that does only what is measured, to use little of the machine; one implementation for each protocol. */

export interface RobotCommand {
  name: string;
  args: Record<string, unknown>;
}

export interface Picture {
  /** When its last byte was there, by the clock that all processes share. */
  at: number;
  bytes: number;
}

export interface PlainRobot {
  readonly body: Body;
  report(values: Readings): void;
  ping(): void;
  tap(): void;
  close(): void;
}

export type Readings = Readonly<Record<string, number | boolean>>;

export interface Dial {
  url: string;
  robot: string;
  token: string;
}

const ofFurtherRows = new Set(['screen.show', 'screen.clear', 'audio.play']);
const pixel = /^#[0-9a-f]{6}$/;

/** A command that the bench's programs do not ask for is a problem. */
export class Body {
  executed = 0;
  problem: string | null = null;
  pixels: readonly string[] = [];
  /** Received since they were last taken. */
  pictures: Picture[] = [];

  execute({ name, args }: RobotCommand): void {
    this.executed++;
    if (ofFurtherRows.has(name)) return;
    const pixels = args['pixels'];
    if (name === 'leds.set' && Array.isArray(pixels) && pixels.length === 12 && pixels.every((each) => pixel.test(String(each)))) {
      this.pixels = pixels as string[];
    } else this.problem = `${name} ${JSON.stringify(args).slice(0, 200)}`;
  }
}
