/** HAProxy with the shipped configuration (deploy/haproxy/perch.cfg) in front of two gateways and two robot-links. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, isExecutable } from '@perch/local-redis';
import type { Context } from 'mocha';
import { skipTest } from '../skip-test.js';
import { until } from '../until.js';

const configuration = fileURLToPath(new URL('../../../../deploy/haproxy/perch.cfg', import.meta.url));

/** Addresses as `http://host:port` or `ws://host:port/...`. */
export interface BalancedInstance {
  readonly address: string;
  readonly admin: string;
}

export interface LoadBalancerOptions {
  gateways: readonly [BalancedInstance, BalancedInstance];
  links: readonly [BalancedInstance, BalancedInstance];
  env?: Record<string, string>;
  log?: (line: string) => void;
}

export interface LoadBalancer {
  readonly programs: string;
  readonly robots: string;
  readonly metrics: string;
  /** Sends a command to the runtime socket, such as `set server gateways/gateway-1 state drain`. */
  command(text: string): Promise<string>;
  /** From now on, connections and health checks of the server go to another instance. */
  replace(server: ServerName, instance: BalancedInstance): Promise<void>;
  untilUp(backend: 'gateways' | 'robot_links', count: number): Promise<void>;
  /** With all its connections, as when its machine fails. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export type ServerName = 'gateway-1' | 'gateway-2' | 'robot-link-1' | 'robot-link-2';

/** Debian installs it into a folder that is only on the PATH of root. */
export function findHaproxy(env: NodeJS.ProcessEnv = process.env): string | null {
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'haproxy')).find(isExecutable) ?? null;
}

export function needsHaproxy(context: Context): string {
  return findHaproxy() ?? skipTest(context, 'HAProxy is needed, and no haproxy is on PATH');
}

function balancerEnvironment({ gateways, links, env = {} }: LoadBalancerOptions): Record<string, string> {
  const servers = { GATEWAY_1: gateways[0], GATEWAY_2: gateways[1], ROBOT_LINK_1: links[0], ROBOT_LINK_2: links[1] };
  const named: Record<string, string> = {};
  for (const [name, { address, admin }] of Object.entries(servers)) {
    named[name] = new URL(address).host;
    named[`${name}_ADMIN_PORT`] = new URL(admin).port;
  }
  return { ...named, ...env };
}

/** Resolves when it listens; the first health checks may be incomplete, see `untilUp`. */
export async function startLoadBalancer(options: LoadBalancerOptions): Promise<LoadBalancer> {
  const binary = findHaproxy();
  if (binary === null) throw new Error('no haproxy on PATH: install HAProxy 2.6 or newer');
  const [programs, robots, metrics] = [await freePort(), await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), 'perch-haproxy-'));
  const env = {
    BIND_HOST: '127.0.0.1',
    PROGRAMS_PORT: String(programs),
    ROBOTS_PORT: String(robots),
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: String(metrics),
    ADMIN_SOCKET: join(folder, 'admin.sock'),
    ...balancerEnvironment(options),
  };
  const balancer = new HaproxyProcess({ binary, folder, env, log: options.log ?? (() => undefined) });
  try {
    await balancer.restart();
  } catch (error) {
    await balancer.stop();
    throw error;
  }
  return balancer;
}

interface HaproxyOptions {
  binary: string;
  folder: string;
  env: Record<string, string>;
  log: (line: string) => void;
}

class HaproxyProcess implements LoadBalancer {
  readonly programs: string;
  readonly robots: string;
  readonly metrics: string;
  readonly #options: HaproxyOptions;
  readonly #killAtExit = (): void => void this.#child?.kill('SIGKILL');
  #child: ChildProcess | null = null;

  constructor(options: HaproxyOptions) {
    this.#options = options;
    this.programs = `http://127.0.0.1:${options.env['PROGRAMS_PORT']}`;
    this.robots = `ws://127.0.0.1:${options.env['ROBOTS_PORT']}/robot/v1/link`;
    this.metrics = `http://127.0.0.1:${options.env['METRICS_PORT']}`;
    process.once('exit', this.#killAtExit);
  }

  async restart(): Promise<void> {
    const { binary, env, log } = this.#options;
    const { PATH = '' } = process.env;
    const child = spawn(binary, ['-f', configuration, '-db'], { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) log(line);
        lines.splice(0, lines.length, ...[...lines, ...parts].slice(-20));
      });
    }
    await until(
      async () => {
        if (child.exitCode !== null) return true;
        return (await fetch(`${this.metrics}/healthz`)).ok;
      },
      { what: 'HAProxy to listen', timeoutMs: 10_000, everyMs: 30 },
    );
    if (child.exitCode !== null) throw new Error(`HAProxy exited with code ${child.exitCode}\n${lines.join('\n')}`);
  }

  async command(text: string): Promise<string> {
    const socket = connect(this.#options.env['ADMIN_SOCKET']!);
    socket.setEncoding('utf8');
    // No `end`: HAProxy drops a command if the sender has already closed its side.
    socket.write(`${text}\n`);
    let answer = '';
    for await (const part of socket) answer += part;
    return answer.trim();
  }

  async replace(server: ServerName, { address, admin }: BalancedInstance): Promise<void> {
    const { hostname, host, port } = new URL(address);
    const checkPort = new URL(admin).port;
    const variable = server.toUpperCase().replaceAll('-', '_');
    Object.assign(this.#options.env, { [variable]: host, [`${variable}_ADMIN_PORT`]: checkPort });
    const backends = server.startsWith('gateway') ? ['gateways', 'gateways_not_ready'] : ['robot_links'];
    for (const backend of backends) {
      await this.command(`set server ${backend}/${server} check-port ${checkPort}`);
      await this.command(`set server ${backend}/${server} addr ${hostname} port ${port}`);
    }
  }

  async untilUp(backend: 'gateways' | 'robot_links', count: number): Promise<void> {
    await until(
      async () => {
        const table = await this.command(`show servers state ${backend}`);
        const rows = table.split('\n').filter((line) => /^\d+ \S+ \d+ /.test(line));
        return rows.map((row) => row.split(' ')).filter(isUp).length === count;
      },
      { what: `${count} servers of ${backend} to be up`, timeoutMs: 15_000, everyMs: 50 },
    );
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<void> {
    await this.kill();
    process.off('exit', this.#killAtExit);
    rmSync(this.#options.folder, { recursive: true, force: true });
  }
}

/** @param fields a row of `show servers state`: 5 operational state, 6 administrative state, 11 last health check */
function isUp(fields: readonly string[]): boolean {
  const [running, notAdministered, passed] = ['2', '0', '3'];
  return fields[5] === running && fields[6] === notAdministered && fields[11] === passed;
}
