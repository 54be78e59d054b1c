/** A `redis-server` or `valkey-server` process on loopback that stops when the process that started it exits for any reason. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askRedis } from './ask-redis.js';
import type { RedisServerBinary } from './find-redis-server.js';
import { freePort } from './free-port.js';
import type { LocalRedis } from './local-redis.js';

export interface RedisProcessOptions {
  binary: RedisServerBinary;
  /** Unset or 0: any free port. */
  port?: number;
  /** Directory of its files, created if missing. Default: a temporary directory that `stop` removes. */
  dir?: string;
  /** Keeps an append-only file, synced every second. Default: false, without persistence. */
  appendOnly?: boolean;
  /** Further settings as in redis.conf, e.g. `{'cluster-enabled': 'yes'}`. */
  settings?: Readonly<Record<string, string>>;
  /** User that `ask` authenticates as, without a password; for an ACL file whose user `default` is off. */
  admin?: string;
  /** Starts a Sentinel with this configuration file, which it rewrites, instead of a server. */
  sentinelFile?: string;
  /** If true, the default, the process that started the server does not end while it runs. */
  keepsAlive?: boolean;
}

/**
 * Listens only on 127.0.0.1, never evicts keys, and receives no signals from the terminal. @throws an Error that names the port if it is in use, or
 * with the last lines of the server's output
 */
export async function startRedisProcess(options: RedisProcessOptions): Promise<LocalRedis> {
  const ownDir = options.dir === undefined;
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'perch-redis-'));
  mkdirSync(dir, { recursive: true });
  if (ownDir) removeAtExit(dir);
  const anyPort = options.port === undefined || options.port === 0;
  for (let attempt = 1; ; attempt++) {
    const server = new RedisProcess(options, dir, ownDir, anyPort ? await freePort() : (options.port ?? 0));
    try {
      await server.launch();
      return server;
    } catch (error) {
      const raced = anyPort && error instanceof PortTaken && attempt < 5;
      if (raced) continue;
      if (ownDir) rmSync(dir, { recursive: true, force: true });
      throw error;
    }
  }
}

/** How long a stopping server may write its files before it is killed, ms. */
const stopWithinMs = 1200;
/** The kernel may have given the port of a restarted server to a short outgoing connection. */
const portFreeWithinMs = 10_000;

const isReady = /Ready to accept connections|Sentinel ID is /;

class PortTaken extends Error {}

const ownDirs = new Set<string>();

function removeAtExit(dir: string): void {
  if (ownDirs.size === 0) {
    process.once('exit', () => {
      for (const left of ownDirs) rmSync(left, { recursive: true, force: true });
    });
  }
  ownDirs.add(dir);
}

/**
 * A shell in its own session runs the server. Its standard input is a pipe that closes when this process exits, even by SIGKILL; the shell then sends
 * the server SIGTERM, and SIGKILL after 4 s. SIGXFSZ is ignored, so that a file size limit acts like a full disk.
 */
const watchdog = `
trap '' XFSZ
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
echo "pid $server"
{
  read -r _ <&3
  kill -TERM "$server"
  n=0
  while [ "$n" -lt 40 ] && kill -0 "$server"; do sleep 0.1; n=$((n + 1)); done
  kill -KILL "$server"
} >/dev/null 2>&1 &
guard=$!
wait "$server"
code=$?
kill "$guard" 2>/dev/null
exit "$code"
`;

class RedisProcess implements LocalRedis {
  readonly kind: RedisServerBinary['kind'];
  readonly port: number;
  readonly url: string;
  pid = 0;
  private readonly options: RedisProcessOptions;
  private readonly dir: string;
  private readonly ownDir: boolean;
  private child: ChildProcess | null = null;
  private ended: Promise<void> = Promise.resolve();
  private endWanted = false;
  private crashed: (how: string) => void = () => {};

  constructor(options: RedisProcessOptions, dir: string, ownDir: boolean, port: number) {
    this.options = options;
    this.dir = dir;
    this.ownDir = ownDir;
    this.port = port;
    this.kind = options.binary.kind;
    this.url = `redis://127.0.0.1:${port}`;
  }

  get running(): boolean {
    return this.child !== null;
  }

  ask(words: readonly string[], options: { timeoutMs?: number } = {}): Promise<string> {
    const { admin } = this.options;
    return askRedis(this.port, words, { ...options, ...(admin === undefined ? {} : { user: admin }) });
  }

  onCrash(report: (how: string) => void): void {
    this.crashed = report;
  }

  async launch(): Promise<void> {
    const { path, libraryPath } = this.options.binary;
    // The shell and its other children must not load the unpacked libraries.
    const command = libraryPath === undefined ? [path] : ['/usr/bin/env', `LD_LIBRARY_PATH=${libraryPath}`, path];
    const child = spawn('/bin/sh', ['-c', watchdog, 'perch-redis', ...command, ...this.args()], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.child = child;
    this.endWanted = false;
    const lastLines: string[] = [];
    const ready = new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        for (const line of chunk.toString().split('\n')) {
          if (line.startsWith('pid ')) this.pid = Number(line.slice(4));
          else if (line.trim() !== '') lastLines.push(line);
          if (isReady.test(line)) resolve();
        }
        lastLines.splice(0, lastLines.length - 12);
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('error', reject);
      child.once('close', () => {
        const output = lastLines.join('\n');
        reject(
          output.includes('Address already in use')
            ? new PortTaken(`port ${this.port} is busy: ${this.kind} could not listen on it`)
            : new Error(`${this.kind} did not start:\n${output}`),
        );
      });
    });
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        if (this.child === child) this.child = null;
        if (!this.endWanted) this.crashed(`${this.kind} (pid ${this.pid}) exited with ${signal ?? `code ${code}`}`);
        resolve();
      });
      child.once('error', () => resolve());
    });
    await ready;
    if (this.options.keepsAlive === false) {
      child.unref();
      for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref();
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child === null) return;
    const final = signal === 'SIGKILL' || signal === 'SIGTERM';
    if (final) this.endWanted = true;
    process.kill(this.pid, signal);
    if (final) {
      this.child.ref();
      await this.ended;
    }
  }

  async restart(): Promise<void> {
    await this.kill('SIGKILL');
    const until = performance.now() + portFreeWithinMs;
    for (;;) {
      try {
        return await this.launch();
      } catch (error) {
        if (!(error instanceof PortTaken) || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  async stop(): Promise<void> {
    if (this.child !== null) {
      this.endWanted = true;
      this.child.ref();
      // Any line, like the end of the pipe, makes the watchdog stop the server.
      this.child.stdin?.end('\n');
      const timer = setTimeout(() => process.kill(this.pid, 'SIGKILL'), stopWithinMs);
      await this.ended;
      clearTimeout(timer);
    }
    if (this.ownDir) rmSync(this.dir, { recursive: true, force: true });
  }

  private args(): string[] {
    const { sentinelFile } = this.options;
    if (sentinelFile !== undefined) return [sentinelFile, '--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.dir, '--sentinel'];
    const settings: Record<string, string> = {
      port: String(this.port),
      bind: '127.0.0.1',
      dir: this.dir,
      save: '',
      appendonly: this.options.appendOnly === true ? 'yes' : 'no',
      appendfsync: 'everysec',
      'maxmemory-policy': 'noeviction',
      daemonize: 'no',
      ...this.options.settings,
    };
    return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  }
}
