import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@perch/testkit';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('deploy/compose/write-secrets.sh', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-secrets-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (env: Record<string, string> = {}): { status: number | null; stderr: string } =>
    spawnSync('sh', [join(root, 'deploy/compose/write-secrets.sh')], {
      env: { ...process.env, SECRETS_FOLDER: folder, REDIS_USERS_SCRIPT: join(root, 'deploy/redis/write-users.sh'), ...env },
      encoding: 'utf8',
    });
  const written = (file: string): string => readFileSync(join(folder, file), 'utf8');

  it('generates random passwords once and keeps them at later starts', () => {
    assert.deepEqual([run().status, run().status], [0, 0]);
    const url = written('services/redis-url');
    assert.match(url, /^redis:\/\/perch:[0-9a-f]{64}@redis:6379$/);
    assert.equal(run().status, 0);
    assert.equal(written('services/redis-url'), url);
    const { 'redis://exporter@redis:6379': exporter } = JSON.parse(written('exporter/passwords.json')) as Record<string, string>;
    assert.equal(exporter, written('redis/exporter-password'));
    assert.notEqual(url.includes(exporter!), true);
  });

  it('writes only password hashes to the ACL file, readable for the Redis user, and leaves no partial files', () => {
    assert.equal(run().status, 0);
    const password = /perch:(\w+)@/.exec(written('services/redis-url'))![1]!;
    const acl = written('redis/users.acl');
    assert.match(acl, /^user perch on #[0-9a-f]{64} /m);
    assert.ok(!acl.includes(password));
    assert.equal(statSync(join(folder, 'redis/users.acl')).mode & 0o777, 0o444);
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.new'));
    assert.deepEqual(left, []);
  });

  it('uses PERCH_REDIS_PASSWORD, and names it when it refuses a short one or one that a URL would have to escape', () => {
    assert.equal(run({ PERCH_REDIS_PASSWORD: 'a-password-of-mine' }).status, 0);
    assert.equal(written('services/redis-url'), 'redis://perch:a-password-of-mine@redis:6379');
    for (const wrong of ['short', 'with a space and @ sign']) {
      const { status, stderr } = run({ PERCH_REDIS_PASSWORD: wrong });
      assert.equal(status, 1);
      assert.match(stderr, /^PERCH_REDIS_PASSWORD: takes /);
    }
  });

  it('makes the user operator only while OPERATOR_PASSWORD is set, and refuses a short one by its name', () => {
    const users = (env: Record<string, string>): string[] => {
      assert.equal(run(env).status, 0);
      return [...written('redis/users.acl').matchAll(/^user (\w+) /gm)].map(([, name]) => name!);
    };
    assert.deepEqual(users({}), ['default', 'perch', 'exporter']);
    assert.deepEqual(users({ OPERATOR_PASSWORD: 'a-password-of-mine' }), ['default', 'perch', 'exporter', 'operator']);
    const { status, stderr } = run({ OPERATOR_PASSWORD: 'short' });
    assert.deepEqual([status, stderr], [1, 'OPERATOR_PASSWORD: takes at least 16 characters\n']);
    assert.deepEqual(users({ OPERATOR_PASSWORD: '' }), ['default', 'perch', 'exporter']);
  });
});

describe('deploy/compose/check-env.sh', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-env-'));
    copyFileSync(join(root, 'docker-compose.yml'), join(folder, 'docker-compose.yml'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, ...lines: string[]): void => writeFileSync(join(folder, file), lines.join('\n') + '\n');
  const check = (env: Record<string, string> = {}): { status: number | null; lines: string[] } => {
    const script = join(root, 'deploy/compose/check-env.sh');
    const { status, stdout, stderr } = spawnSync('sh', [script], { env: { ...process.env, PROJECT_FOLDER: folder, ...env }, encoding: 'utf8' });
    return { status, lines: (stdout + stderr).split('\n').slice(0, -1) };
  };
  const passed = { status: 0, lines: [] };

  it('accepts every variable of .env.example, those of Docker and Compose themselves, and no .env at all', () => {
    assert.deepEqual(check(), passed);
    const all = readFileSync(join(root, '.env.example'), 'utf8').replace(/^#(?=\w+=)/gm, '');
    write('.env', all, 'COMPOSE_PROJECT_NAME=mine', 'DOCKER_HOST=unix:///run/docker.sock');
    assert.deepEqual(check(), passed);
  });

  it('names a variable that docker-compose.yml does not use, its line and the most similar one that it uses, and no value', () => {
    write(
      '.env',
      '# Sign-up',
      'PERCH_SIGNUP=secret-1',
      'export PERCH_ROBOT_PORT: secret-2',
      'perch_bind = secret-3',
      'TLS_CERT=secret-4',
      'MY_OWN=secret-5',
    );
    const unknown = 'is not a variable of docker-compose.yml';
    assert.deepEqual(check(), {
      status: 1,
      lines: [
        `.env: PERCH_SIGNUP (line 2) ${unknown}. Did you mean PERCH_SIGN_UP?`,
        `.env: PERCH_ROBOT_PORT (line 3) ${unknown}. Did you mean PERCH_ROBOTS_PORT?`,
        `.env: perch_bind (line 4) ${unknown}. Did you mean PERCH_BIND?`,
        `.env: TLS_CERT (line 5) ${unknown}. Did you mean TLS_CERTIFICATE?`,
        `.env: MY_OWN (line 6) ${unknown}; .env.example lists them`,
      ],
    });
  });

  it('takes no line of a value in quotes for a name, and prints no name that may be a part of a value', () => {
    write(
      '.env',
      'PERCH_MAIL_FROM="Perch',
      'PERCH_WRONG=\\" still the value',
      '"  # the value has ended',
      "PERCH_SMTP_URL='smtp://",
      "PERCH_OTHER=x'",
    );
    assert.deepEqual(check(), passed);
    write('.env', 'PERCH_API_KEY=pk_begin', 'cGFydCBvZiBhIHNlY3JldA==');
    assert.deepEqual(check(), { status: 1, lines: ['.env: the name in line 2 is not a variable of docker-compose.yml; .env.example lists them'] });
  });

  it('accepts what docker-compose.override.yml uses or passes on', () => {
    write(
      'docker-compose.override.yml',
      'services:',
      '  gateway-1: { environment: { PERCH_X: "${MY_OWN:-1}" } }',
      '  gateway-2:',
      '    environment:',
      '      PERCH_LED_MA:',
    );
    write('.env', 'MY_OWN=1', 'PERCH_LED_MA=2');
    assert.deepEqual(check(), passed);
  });

  it('checks each file of COMPOSE_ENV_FILES in place of .env', () => {
    write('.env', 'PERCH_SIGNUP=closed');
    write('one.env', 'PERCH_SIGN_UP=closed');
    write('two.env', 'PERCH_PORTS=1');
    assert.deepEqual(check({ COMPOSE_ENV_FILES: 'one.env' }), passed);
    const { status, lines } = check({ COMPOSE_ENV_FILES: 'one.env,two.env' });
    assert.deepEqual([status, lines.length], [1, 1]);
    assert.match(lines[0]!, /^two\.env: PERCH_PORTS \(line 1\) /);
  });
});

describe('deploy/compose/apply.sh', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-apply-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the script with a `docker` that lists its arguments, and fails where the last one is `failing`; Redis has the users of the file `users`. */
  const run = (failing: string, ...args: string[]): { status: number | null; calls: string[] } => {
    const redis = `case $last in */users.acl) cat ${folder}/users 2>/dev/null ;; secrets) [ ! -e ${folder}/new ] || mv ${folder}/new ${folder}/users ;; esac`;
    const docker = `#!/bin/sh\necho "$*" >>${folder}/calls\nfor last do :; done\n${redis}\n[ "$last" != '${failing}' ]\n`;
    writeFileSync(join(folder, 'docker'), docker, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
    const { status } = spawnSync('sh', [join(root, 'deploy/compose/apply.sh'), ...args], { env });
    return { status, calls: readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n') };
  };

  const readsUsers = 'exec --no-TTY redis grep -o ^user [a-z]* on #[0-9a-f]* /run/redis/users.acl';

  it('recreates all containers at once if the password of Redis has changed, since each fails until all have it', () => {
    writeFileSync(join(folder, 'users'), 'user perch on #1\n');
    writeFileSync(join(folder, 'new'), 'user perch on #2\n');
    const { status, calls } = run('none');
    assert.equal(status, 0);
    assert.deepEqual(
      calls.slice(2),
      [readsUsers, 'run --rm --no-TTY secrets', readsUsers, 'up --detach --wait --force-recreate'].map((call) => `compose ${call}`),
    );
    rmSync(join(folder, 'calls'));
    assert.equal(run('none').calls.at(-2), 'compose up --detach --wait', 'the same users');
  });

  it('restarts Redis alone if only its user operator was added or removed, or has another password', () => {
    let before = 'user perch on #1\n';
    for (const after of ['user perch on #1\nuser operator on #2\n', 'user perch on #1\nuser operator on #3\n', 'user perch on #1\n']) {
      writeFileSync(join(folder, 'users'), before);
      writeFileSync(join(folder, 'new'), after);
      const { status, calls } = run('none');
      assert.equal(status, 0);
      assert.deepEqual(calls.slice(5, 7), ['compose restart redis', 'compose up --detach --wait redis haproxy']);
      rmSync(join(folder, 'calls'));
      before = after;
    }
  });

  it('checks the names in .env, then starts Redis and HAProxy, one instance after the other in the order of an upgrade, then the rest, whose rules and configuration are read again, each with the options that it was given', () => {
    const kinds = ['renderer', 'webhooks', 'robot-link', 'gateway'];
    const instances = kinds.flatMap((kind) => [1, 2].map((number) => `${kind}-${number}`));
    const { status, calls } = run('none', '--file', 'other.yml');
    assert.equal(status, 0);
    const reload = 'kill --signal SIGHUP prometheus alertmanager';
    const ups = ['redis haproxy', ...instances, ''].map((names) => `up --detach --wait ${names}`.trimEnd());
    const all = ['run --rm --no-TTY check-env', 'rm --force', readsUsers, 'run --rm --no-TTY secrets', readsUsers, ...ups, reload];
    assert.deepEqual(
      calls,
      all.map((call) => `compose --file other.yml ${call}`),
    );
  });

  it('ends with an error at an instance that does not become ready, before it replaces the other one', () => {
    const { status, calls } = run('gateway-1');
    assert.equal(status, 1);
    assert.equal(calls.at(-1), 'compose up --detach --wait gateway-1');
  });
});

describe('deploy/compose/haproxy.sh', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-haproxy-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the script with an `haproxy` that lists its signals and ends at TERM alone, and an `nc` that lists what it is sent. */
  const start = async (): Promise<{ child: ReturnType<typeof spawn>; lines: () => string[] }> => {
    const listed = join(folder, 'listed');
    const traps = ['USR1', 'USR2'].map((signal) => `trap 'echo ${signal} >>${listed}' ${signal}`).join('\n');
    const haproxy = `#!/bin/sh\n${traps}\ntrap 'echo TERM >>${listed}; exit 7' TERM\necho started >>${listed}\nwhile :; do sleep 0.05; done\n`;
    writeFileSync(join(folder, 'haproxy'), haproxy, { mode: 0o755 });
    writeFileSync(join(folder, 'nc'), `#!/bin/sh\nsed 's/^/nc: /' >>${listed}\n`, { mode: 0o755 });
    const child = spawn('sh', [join(root, 'deploy/compose/haproxy.sh')], { env: { PATH: `${folder}:${process.env['PATH']}` } });
    const lines = (): string[] => (existsSync(listed) ? readFileSync(listed, 'utf8').trimEnd().split('\n') : []);
    await until(() => lines().length === 1);
    return { child, lines };
  };

  it('closes the sockets of robots and lets calls end at the first USR1, and ends HAProxy at the second, with its exit code', async () => {
    const { child, lines } = await start();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGUSR1');
    await until(() => lines().length === 3);
    const closing = 'shutdown frontend robots; ' + [1, 2].map((number) => `shutdown sessions server robot_links/robot-link-${number}`).join('; ');
    assert.deepEqual(lines(), ['started', `nc: ${closing}`, 'USR1']);
    child.kill('SIGUSR1');
    assert.equal(await ended, 7);
    assert.equal(lines().at(-1), 'TERM');
  });

  it('passes USR2, which reads the configuration again, and TERM on', async () => {
    const { child, lines } = await start();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGUSR2');
    await until(() => lines().length === 2);
    child.kill('SIGTERM');
    assert.equal(await ended, 7);
    assert.deepEqual(lines(), ['started', 'USR2', 'TERM']);
  });
});

describe('deploy/image/healthcheck.mjs', () => {
  it('exits with 0 for a healthy instance, and with 1 for readyz if the instance is not ready', async () => {
    const admin = createServer((request, response) => response.writeHead(request.url === '/healthz' ? 200 : 503).end());
    await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
    const env = { ...process.env, PERCH_ADMIN_PORT: String((admin.address() as AddressInfo).port) };
    const exitCode = async (...args: string[]): Promise<number | null> => {
      const child = spawn(process.execPath, [join(root, 'deploy/image/healthcheck.mjs'), ...args], { env });
      return new Promise((resolve) => child.once('exit', resolve));
    };
    try {
      assert.deepEqual([await exitCode(), await exitCode('readyz')], [0, 1]);
    } finally {
      admin.close();
      admin.closeAllConnections();
    }
  });
});
