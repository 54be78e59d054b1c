/**
 * The virtual robots that run in this tab: they run on while other pages are shown. The tab that runs a robot holds the robot's lock; the other tabs of
 * the account wait for it, and the next one runs the robot when that tab closes. Without locks (http pages of another machine) a robot ends with its
 * tab.
 */
import { keptRobotToken } from './api/robot-tokens.js';

export interface RunningRobot {
  readonly token: string;
  /** True if this tab runs the robot or is connecting; false if another page or device runs it. */
  readonly isHere: boolean;
  /** Connects, also after another page has taken the robot over. */
  start(): void;
  stop(): void;
}

type Message = { running: string } | { gone: string };

const lookEveryMs = 2000;

export class RobotTabs<R extends RunningRobot> {
  readonly #account: string;
  readonly #load: (robot: string, token: string) => Promise<R>;
  readonly #robots = new Map<string, R>();
  readonly #waits = new Map<string, AbortController>();
  readonly #releases = new Map<string, () => void>();
  #channel: BroadcastChannel | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #doOthersWait = false;

  /** @param load loads and creates a robot that this tab takes over */
  constructor(account: string, load: (robot: string, token: string) => Promise<R>) {
    this.#account = account;
    this.#load = load;
  }

  /** @returns stops all robots of this tab, and leaves them to no other */
  open(): () => void {
    this.#channel = new BroadcastChannel(`perch-robots:${this.#account}`);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if ('running' in data) this.#wait(data.running);
      else this.#stopWaiting(data.gone);
    });
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
    window.addEventListener('beforeunload', this.#warn);
    return () => {
      for (const robot of this.#waits.keys()) this.#stopWaiting(robot);
      for (const [robot, running] of this.#robots) {
        this.#tell({ gone: robot });
        running.stop();
      }
      this.#robots.clear();
      for (const release of this.#releases.values()) release();
      this.#releases.clear();
      this.#channel?.close();
      this.#channel = null;
      clearInterval(this.#timer);
      window.removeEventListener('beforeunload', this.#warn);
    };
  }

  find(robot: string, token: string): R | undefined {
    const running = this.#robots.get(robot);
    return running?.token === token ? running : undefined;
  }

  /** Runs the robot in this tab, whichever tab ran it before. */
  run(robot: string, running: R): void {
    const before = this.#robots.get(robot);
    if (before !== running) before?.stop();
    this.#robots.set(robot, running);
    running.start();
    this.#hold(robot);
    void this.#look();
  }

  #hold(robot: string): void {
    if (this.#releases.has(robot)) return;
    this.#stopWaiting(robot);
    const held = new Promise<void>((release) => this.#releases.set(robot, release));
    locks()
      ?.request(this.#lockOf(robot), { steal: true }, () => held)
      .catch(() => this.#lost(robot));
  }

  #wait(robot: string): void {
    if (this.#channel === null || this.#waits.has(robot) || this.#releases.has(robot)) return;
    const waiting = new AbortController();
    this.#waits.set(robot, waiting);
    locks()
      ?.request(this.#lockOf(robot), { signal: waiting.signal }, () => {
        this.#waits.delete(robot);
        const held = new Promise<void>((release) => this.#releases.set(robot, release));
        void this.#takeOver(robot);
        return held;
      })
      .catch(() => {
        if (!waiting.signal.aborted) this.#lost(robot);
      });
  }

  #stopWaiting(robot: string): void {
    this.#waits.get(robot)?.abort();
    this.#waits.delete(robot);
  }

  /** Another tab runs the robot now. */
  #lost(robot: string): void {
    this.#releases.delete(robot);
    this.#wait(robot);
  }

  async #takeOver(robot: string): Promise<void> {
    const token = keptRobotToken(robot);
    if (token === undefined) return;
    const running = this.find(robot, token) ?? (await this.#load(robot, token).catch(() => null));
    if (running !== null && this.#releases.has(robot)) this.run(robot, running);
  }

  /** Tells the other tabs which robots they wait for, and learns whether any does. */
  async #look(): Promise<void> {
    if (this.#robots.size === 0) return;
    for (const [robot, running] of this.#robots) if (this.#releases.has(robot)) this.#tell(running.isHere ? { running: robot } : { gone: robot });
    const own = new Set([...this.#robots.keys()].map((robot) => this.#lockOf(robot)));
    const found = await locks()?.query();
    this.#doOthersWait = found?.pending?.some(({ name }) => name !== undefined && own.has(name)) ?? false;
  }

  #tell(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #lockOf(robot: string): string {
    return `perch-robot:${this.#account}:${robot}`;
  }

  /** The browser asks before it closes the last tab. Without tokens the account has signed out or is deleted. */
  readonly #warn = (event: BeforeUnloadEvent): void => {
    const runs = [...this.#robots].some(([robot, { isHere }]) => isHere && keptRobotToken(robot) !== undefined);
    if (runs && !this.#doOthersWait) event.preventDefault();
  };
}

/** Browsers offer locks to https pages and those of this machine. */
function locks(): LockManager | undefined {
  return (navigator as { locks?: LockManager }).locks;
}
