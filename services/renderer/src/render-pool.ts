/**
 * The child processes that draw. A job that takes too long, or brings its process down, costs itself alone: the process is ended, another takes its
 * place, and the others never notice.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { extname } from 'node:path';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiError, type RenderJob } from '@perch/schema';
import type { Scene } from '@perch/screen';
import type { MadeMedia } from '@perch/store';
import { BadPicture } from '@perch/schema';
import type { Answer, Order } from './render-main.js';

export interface RenderPoolOptions {
  processes: number;
  /** A job that takes longer is given up. */
  jobMsMax: number;
  /** Added to the processes' nice value, 0 (default) to 19: the higher, the less processor time on a busy machine. */
  niceness?: number;
  /** A process ended without being told to, or could not be started. */
  onError?: (error: Error) => void;
}

interface Task {
  order: Order;
  signal: AbortSignal | undefined;
  resolve(media: MadeMedia): void;
  reject(error: Error): void;
}

/** One child process, and the job it is at. */
interface Artist {
  child: ChildProcess;
  task: Task | null;
  timer: NodeJS.Timeout | undefined;
  /** The pool ended it because of its job, which was dropped or took too long: no trouble to report. */
  isEndedByUs: boolean;
}

/** `.ts` under development, `.js` once built. */
const entry = fileURLToPath(new URL(`./render-main${extname(import.meta.url)}`, import.meta.url));
/** A timer later than this did not run because this process did not. */
const lateMs = 500;
/** Before a process that could not be started is tried again. */
const restartMs = 1000;

export class RenderPool {
  readonly #options: RenderPoolOptions;
  readonly #artists = new Set<Artist>();
  readonly #children = new Set<ChildProcess>();
  readonly #waiting: Task[] = [];
  #closed = false;

  constructor(options: RenderPoolOptions) {
    this.#options = options;
  }

  /** Resolves when every process takes jobs. @throws when one ends before; then none is left */
  async start(): Promise<void> {
    try {
      await Promise.all(Array.from({ length: this.#options.processes }, () => this.#open()));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Jobs under way and waiting. */
  get size(): number {
    return this.#waiting.length + [...this.#artists].filter(({ task }) => task !== null).length;
  }

  /** Process ids of those that take jobs. */
  get pids(): number[] {
    return [...this.#artists].flatMap(({ child }) => child.pid ?? []);
  }

  /**
   * Makes a picture or a sound; waits for a free process.
   * @param uploads bytes of the job's pictures by sha256
   * @param signal aborting drops the job: it no longer waits, or its process is ended and replaced
   * @throws {BadPicture} naming the upload at fault
   * @throws {ApiError} render_failed when it took too long, brought its process down, or nothing fits
   * @throws the signal's reason when it aborts
   */
  render(job: RenderJob<Scene>, uploads: ReadonlyMap<string, Buffer> = new Map(), signal?: AbortSignal): Promise<MadeMedia> {
    let drop: (() => void) | undefined;
    return new Promise<MadeMedia>((resolve, reject) => {
      if (this.#closed) {
        reject(shuttingDown());
        return;
      }
      signal?.throwIfAborted();
      const task = { order: { job, uploads }, signal, resolve, reject };
      signal?.addEventListener('abort', (drop = () => this.#drop(task)), { once: true });
      this.#waiting.push(task);
      this.#assign();
    }).finally(() => {
      if (drop !== undefined) signal?.removeEventListener('abort', drop);
    });
  }

  /** Ends the processes; jobs under way and waiting fail. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(shuttingDown());
    for (const artist of this.#artists) this.#dismiss(artist, shuttingDown());
    await Promise.all(
      [...this.#children].map((child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return ended;
      }),
    );
  }

  /** Ends the processes without waiting: for a parent that ends at once, since one that is stuck would not notice. */
  kill(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #assign(): void {
    for (const artist of this.#artists) {
      if (artist.task !== null) continue;
      const task = this.#waiting.shift();
      if (task === undefined) return;
      artist.task = task;
      this.#limit(artist);
      // A process that is gone is noticed by its exit.
      artist.child.send(task.order, () => undefined);
    }
  }

  #drop(task: Task): void {
    const at = this.#waiting.indexOf(task);
    if (at !== -1) this.#waiting.splice(at, 1);
    const artist = [...this.#artists].find((one) => one.task === task);
    if (artist !== undefined) {
      artist.isEndedByUs = true;
      this.#dismiss(artist, task.signal?.reason as Error);
    }
    task.reject(task.signal?.reason as Error);
  }

  /** Ends a process whose job takes too long. One that was stopped together with us, or has answered while we were, is not to blame for that time. */
  #limit(artist: Artist): void {
    const dueAt = performance.now() + this.#options.jobMsMax;
    artist.timer = setTimeout(() => {
      if (performance.now() - dueAt > lateMs) return this.#limit(artist);
      artist.isEndedByUs = true;
      this.#dismiss(artist, new ApiError('render_failed', 'The picture or sound took too long to make.'));
    }, this.#options.jobMsMax);
  }

  /** Resolves once the process takes jobs; from then on another is opened whenever it ends. @throws when it ends before */
  #open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = fork(entry, { serialization: 'advanced', env: {}, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      if (child.pid !== undefined && this.#options.niceness !== undefined) lowerPriority(child.pid, this.#options.niceness);
      const artist: Artist = { child, task: null, timer: undefined, isEndedByUs: false };
      let ready = false;
      this.#children.add(child);
      child.on('message', (answer: Answer) => {
        if (answer.t !== 'ready') return this.#finish(artist, answer);
        ready = true;
        if (!this.#closed) this.#artists.add(artist);
        this.#assign();
        resolve();
      });
      const lost = (error: Error): void => {
        if (!this.#children.delete(child)) return;
        this.#dismiss(artist, new ApiError('render_failed', 'The picture or sound could not be made.', { cause: error }));
        if (ready) void this.#replace(artist.isEndedByUs ? null : error);
        else reject(error);
      };
      child.once('error', lost);
      child.once('exit', (code, signal) => lost(new Error(`a render process ended (${signal ?? code})`)));
    });
  }

  /** @param error why the process ended, to be reported; null when it was ended on purpose */
  async #replace(error: Error | null): Promise<void> {
    if (error !== null && !this.#closed) this.#options.onError?.(error);
    while (!this.#closed) {
      const failure: unknown = await this.#open().then(
        () => null,
        (reason: unknown) => reason,
      );
      if (failure === null) return;
      this.#options.onError?.(failure as Error);
      await setTimeoutAsync(restartMs, undefined, { ref: false });
    }
  }

  /** Takes the process out of service and fails its job. */
  #dismiss(artist: Artist, error: Error): void {
    this.#artists.delete(artist);
    clearTimeout(artist.timer);
    artist.task?.reject(error);
    artist.task = null;
    artist.child.kill('SIGKILL');
  }

  #finish(artist: Artist, answer: Exclude<Answer, { t: 'ready' }>): void {
    const { task } = artist;
    clearTimeout(artist.timer);
    artist.task = null;
    this.#assign();
    if (answer.t === 'made') task?.resolve(answer.media);
    else if (answer.t === 'failed') task?.reject(answer.error);
    else task?.reject(answer.upload === null ? new ApiError(answer.code, answer.error) : new BadPicture(answer.upload, answer.error));
  }
}

/** The process may have ended already, and some systems do not let a process choose. */
function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It then runs at the priority of the others.
  }
}

function shuttingDown(): ApiError {
  return new ApiError('render_failed', 'The renderer is shutting down. Try again.');
}
