/** A running Mosquitto on loopback. It stops with the calling process at the latest. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@perch/local-redis';
import type { Context } from 'mocha';
import { skipTest } from '../skip-test.js';
import { until } from '../until.js';
import { passwordProgramOf, provideMosquitto, type MosquittoProgram } from './provide-mosquitto.js';

export interface BrokerUser {
  name: string;
  password: string;
}

/** Paths of files in PEM form. With it the broker takes TLS alone, from clients with a certificate of this CA. */
export interface BrokerTls {
  ca: string;
  certificate: string;
  key: string;
}

export interface BrokerOptions {
  tls?: BrokerTls;
  /** Keeps retained messages over a restart, also after SIGKILL: Debian's package and Home Assistant's add-on keep them as well. */
  persists?: boolean;
}

/** Skips the suite, from a `before` hook, where there is no Mosquitto and none can be downloaded. */
export async function needsMosquitto(context: Context): Promise<void> {
  const found = await provideMosquitto();
  if (typeof found === 'string') skipTest(context, found);
}

export class Mosquitto {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  readonly #program: MosquittoProgram;
  #child: ChildProcess | null = null;
  #output = '';

  private constructor(program: MosquittoProgram, port: number, folder: string, scheme: 'mqtt' | 'mqtts') {
    this.#program = program;
    this.#port = port;
    this.#folder = folder;
    this.url = `${scheme}://127.0.0.1:${port}`;
  }

  /** @throws if it does not start, with its output */
  static async start(user: BrokerUser, { tls, persists = false }: BrokerOptions = {}): Promise<Mosquitto> {
    const program = await provideMosquitto();
    if (typeof program === 'string') throw new Error(program);
    const broker = new Mosquitto(program, await freePort(), mkdtempSync(join(tmpdir(), 'perch-mosquitto-')), tls === undefined ? 'mqtt' : 'mqtts');
    broker.#configure(user, tls, persists);
    process.once('exit', () => broker.#child?.kill('SIGKILL'));
    await broker.launch();
    return broker;
  }

  async launch(): Promise<void> {
    const child = spawn(this.#program.path, ['-c', join(this.#folder, 'mosquitto.conf')], { stdio: ['ignore', 'pipe', 'pipe'], env: this.#env });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (this.#output = (this.#output + text).slice(-2000)));
    this.#child = child;
    await until(() => child.exitCode !== null || this.#accepts(), { what: 'mosquitto to accept connections' });
    if (child.exitCode !== null) throw new Error(`mosquitto did not start: ${this.#output}`);
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Ends the process; `launch` starts it again on the same port. */
  async halt(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  get #env(): NodeJS.ProcessEnv {
    const { libraryPath } = this.#program;
    return { ...process.env, ...(libraryPath !== undefined && { LD_LIBRARY_PATH: libraryPath }) };
  }

  #configure({ name, password }: BrokerUser, tls: BrokerTls | undefined, persists: boolean): void {
    const passwords = join(this.#folder, 'passwords');
    writeFileSync(passwords, '');
    const { status, stderr } = spawnSync(passwordProgramOf(this.#program), ['-b', passwords, name, password], { encoding: 'utf8', env: this.#env });
    if (status !== 0) throw new Error(`mosquitto_passwd failed: ${stderr}`);
    const lines = [
      `listener ${this.#port} 127.0.0.1`,
      'allow_anonymous false',
      `password_file ${passwords}`,
      // It saves at each change, so that SIGKILL loses nothing; by default every half an hour.
      ...(persists
        ? ['persistence true', `persistence_location ${this.#folder}/`, 'autosave_on_changes true', 'autosave_interval 1']
        : ['persistence false']),
      'log_dest stderr',
      `user ${userInfo().username}`,
      ...(tls === undefined ? [] : [`cafile ${tls.ca}`, `certfile ${tls.certificate}`, `keyfile ${tls.key}`, 'require_certificate true']),
    ];
    writeFileSync(join(this.#folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
  }

  #accepts(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  }
}
