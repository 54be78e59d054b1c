/** M, second process: starts mosquitto, which holds the robots, and ends it with itself. */
import { freePort, type MosquittoProgram } from '@perch/testkit';
import { spawn, type ChildProcess } from 'node:child_process';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '../worker.js';

export interface MqttUser {
  name: string;
  password: string;
}

const readyWithinMs = 10_000;

async function start(mosquitto: MosquittoProgram, users: readonly MqttUser[]): Promise<string> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'perch-mosquitto-'));
  const passwords = join(folder, 'passwords');
  const config = join(folder, 'mosquitto.conf');
  writeFileSync(passwords, users.map((user) => `${passwordLine(user)}\n`).join(''), { mode: 0o600 });
  const lines = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `password_file ${passwords}`,
    'persistence false',
    'set_tcp_nodelay true',
    'log_type error',
    // As root it would become a user who cannot read the passwords.
    `user ${userInfo().username}`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const env = mosquitto.libraryPath === undefined ? process.env : { ...process.env, LD_LIBRARY_PATH: mosquitto.libraryPath };
  const child = spawn(mosquitto.path, ['-c', config], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await ready(child, port);
  return `mqtt://127.0.0.1:${port}`;
}

async function ready(child: ChildProcess, port: number): Promise<void> {
  let said = '';
  child.stderr!.on('data', (data: Buffer) => (said += data.toString()));
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`mosquitto ended with ${code}: ${said.slice(-500)}`)));
  });
  const giveUpAt = performance.now() + readyWithinMs;
  const answers = async (): Promise<void> => {
    while (!(await accepts(port))) {
      if (performance.now() > giveUpAt) throw new Error(`mosquitto does not listen: ${said.slice(-500)}`);
      await pause(20);
    }
  };
  await Promise.race([failed, answers()]);
  failed.catch(() => process.exit(1));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** As mosquitto_passwd writes it: PBKDF2 of SHA-512. */
function passwordLine({ name, password }: MqttUser): string {
  const iterations = 101;
  const salt = randomBytes(12);
  return `${name}:$7$${iterations}$${salt.toString('base64')}$${pbkdf2Sync(password, salt, iterations, 64, 'sha512').toString('base64')}`;
}

serve({ start });
