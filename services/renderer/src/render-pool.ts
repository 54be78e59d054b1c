/** Pool of child processes that render. A job that takes too long or crashes its process affects no other job: the process is ended and replaced. */
import { fork, type ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { extname } from 'node:path';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiError } from '@perch/schema';
import type { MadeMedia } from '@perch/store';
import { BadPicture } from '@perch/schema';
import type { ProcessJob, RenderReply, RenderRequest } from './render-main.js';

export interface RenderPoolOptions {
  processes: number;
  jobMsMax: number;
  /** Added to the nice value of the processes, 0 (default) to 19: the higher, the less processor time on a busy machine. */
  niceness?: number;
  /** Resident memory after a job, MB, from which a process is replaced. Default: 240. */
  rssMbMax?: number;
  /** Called when a process ended unexpectedly or could not be started. */
  onError?: (error: Error) => void;
}

interface Task {
  request: RenderRequest;
  signal: AbortSignal | undefined;
  resolve(media: MadeMedia): void;
  reject(error: Error): void;
}

interface RenderProcess {
  child: ChildProcess;
  task: Task | null;
  timer: NodeJS.Timeout | undefined;
  /** Whether the pool ended the process because its job was dropped or took too long; not reported as an error. */
  endedByPool: boolean;
}

/**
 * The environment of the processes: nothing of the service's own, which holds secrets. @napi-rs/canvas looks up the home folder for the fonts of the user
 * unless this is set, and ends the process where the user has no line in /etc/passwd, as in a container of Docker. Pictures use the fonts of the service
 * alone.
 */
const environment = { DISABLE_SYSTEM_FONTS_LOAD: '1' };
const entry = fileURLToPath(new URL(`./render-main${extname(import.meta.url)}`, import.meta.url));
/** Delay of a timer from which this process itself must have been stopped, ms. */
const lateMs = 500;
const restartMs = 1000;
/**
 * MB: every font that was used stays loaded, 290 MB with all of them. A process that draws no uploads stays below 300 MB; one that decodes uploads of
 * 4096 x 4096 px holds up to 271 MB with few fonts, and can exceed 300 MB with many.
 */
const defaultRssMbMax = 240;

export class RenderPool {
  readonly #options: RenderPoolOptions;
  readonly #processes = new Set<RenderProcess>();
  readonly #children = new Set<ChildProcess>();
  readonly #waiting: Task[] = [];
  #opened = false;
  #closed = false;

  constructor(options: RenderPoolOptions) {
    this.#options = options;
  }

  /** Resolves when every process is ready. Without a call of it, the first job starts them. @throws if one ends before; then none is left running */
  async start(): Promise<void> {
    this.#opened = true;
    try {
      await Promise.all(Array.from({ length: this.#options.processes }, () => this.#open()));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  get size(): number {
    return this.#waiting.length + [...this.#processes].filter(({ task }) => task !== null).length;
  }

  get pids(): number[] {
    return [...this.#processes].flatMap(({ child }) => child.pid ?? []);
  }

  /**
   * @param uploads bytes of the job's pictures by sha256
   * @param signal aborting drops the job: it is dequeued, or its process is ended and replaced
   * @throws {BadPicture} naming the upload at fault
   * @throws {ApiError} render_failed if it took too long, crashed its process, or no format fits
   * @throws the signal's reason if it aborts
   */
  render(job: ProcessJob, uploads: ReadonlyMap<string, Buffer> = new Map(), signal?: AbortSignal): Promise<MadeMedia> {
    let drop: (() => void) | undefined;
    return new Promise<MadeMedia>((resolve, reject) => {
      if (this.#closed) {
        reject(shuttingDown());
        return;
      }
      signal?.throwIfAborted();
      const task = { request: { job, uploads }, signal, resolve, reject };
      signal?.addEventListener('abort', (drop = () => this.#drop(task)), { once: true });
      this.#waiting.push(task);
      this.#openIfNeeded();
      this.#assign();
    }).finally(() => {
      if (drop !== undefined) signal?.removeEventListener('abort', drop);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(shuttingDown());
    for (const renderProcess of this.#processes) this.#end(renderProcess, shuttingDown());
    await Promise.all(
      [...this.#children].map((child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return ended;
      }),
    );
  }

  /** Ends the processes without waiting. For a parent that exits at once: a busy child would not notice that. */
  kill(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }

  #openIfNeeded(): void {
    if (this.#opened) return;
    this.#opened = true;
    for (let i = 0; i < this.#options.processes; i++) void this.#replace(null);
  }

  #assign(): void {
    for (const renderProcess of this.#processes) {
      if (renderProcess.task !== null) continue;
      const task = this.#waiting.shift();
      if (task === undefined) return;
      renderProcess.task = task;
      this.#limit(renderProcess);
      // The 'exit' event handles a process that is gone.
      renderProcess.child.send(task.request, () => undefined);
    }
  }

  #drop(task: Task): void {
    const at = this.#waiting.indexOf(task);
    if (at !== -1) this.#waiting.splice(at, 1);
    const renderProcess = [...this.#processes].find((one) => one.task === task);
    if (renderProcess !== undefined) {
      renderProcess.endedByPool = true;
      this.#end(renderProcess, task.signal?.reason as Error);
    }
    task.reject(task.signal?.reason as Error);
  }

  /** Ends a process whose job takes too long. A late timer means that this process was stopped itself: the job then gets its full time again. */
  #limit(renderProcess: RenderProcess): void {
    const dueAt = performance.now() + this.#options.jobMsMax;
    renderProcess.timer = setTimeout(() => {
      if (performance.now() - dueAt > lateMs) return this.#limit(renderProcess);
      renderProcess.endedByPool = true;
      this.#end(renderProcess, new ApiError('render_failed', 'The picture or sound took too long to make.'));
    }, this.#options.jobMsMax);
  }

  /** Starts a process and resolves once it is ready; from then on it is replaced whenever it ends. @throws if it ends before */
  #open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = fork(entry, { serialization: 'advanced', env: environment, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      if (child.pid !== undefined && this.#options.niceness !== undefined) lowerPriority(child.pid, this.#options.niceness);
      const renderProcess: RenderProcess = { child, task: null, timer: undefined, endedByPool: false };
      let ready = false;
      this.#children.add(child);
      child.on('message', (answer: RenderReply) => {
        if (answer.t !== 'ready') return this.#finish(renderProcess, answer);
        ready = true;
        if (!this.#closed) this.#processes.add(renderProcess);
        this.#assign();
        resolve();
      });
      const lost = (error: Error): void => {
        if (!this.#children.delete(child)) return;
        this.#end(renderProcess, new ApiError('render_failed', 'The picture or sound could not be made.', { cause: error }));
        if (ready) void this.#replace(renderProcess.endedByPool ? null : error);
        else reject(error);
      };
      child.once('error', lost);
      child.once('exit', (code, signal) => lost(new Error(`a render process ended (${signal ?? code})`)));
    });
  }

  /** @param error reason why the process ended, to be reported; null if the pool ended it */
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

  #end(renderProcess: RenderProcess, error: Error): void {
    this.#processes.delete(renderProcess);
    clearTimeout(renderProcess.timer);
    renderProcess.task?.reject(error);
    renderProcess.task = null;
    renderProcess.child.kill('SIGKILL');
  }

  #recycle(renderProcess: RenderProcess): void {
    renderProcess.endedByPool = true;
    this.#processes.delete(renderProcess);
    renderProcess.child.kill('SIGKILL');
  }

  #finish(renderProcess: RenderProcess, answer: Exclude<RenderReply, { t: 'ready' }>): void {
    const { task } = renderProcess;
    clearTimeout(renderProcess.timer);
    renderProcess.task = null;
    if (answer.rssMb > (this.#options.rssMbMax ?? defaultRssMbMax)) this.#recycle(renderProcess);
    this.#assign();
    if (answer.t === 'made') task?.resolve(answer.media);
    else if (answer.t === 'failed') task?.reject(answer.error);
    else task?.reject(answer.upload === null ? new ApiError(answer.code, answer.error) : new BadPicture(answer.upload, answer.error));
  }
}

/** Tries to lower the priority of a process, which may have ended already; some systems do not allow it. */
function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // The process keeps its priority.
  }
}

function shuttingDown(): ApiError {
  return new ApiError('render_failed', 'The renderer is shutting down. Try again.');
}
