/** The robot program in MicroPython behind portals and proxies, which answer in place of the service, and at a service that refuses tokens as 0.10.0 did. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { MicropythonRobot, type Micropython, type MicropythonRobotOptions } from '@perch/micropython-robot';
import { needsMicropython } from '@perch/testkit';
import { onSingleInstances } from '../fixture/system/shared-systems.js';

const soon = { minMs: 40, maxMs: 400 };
const fastProgram = fileURLToPath(new URL('../programs/hours/fast_main.py', import.meta.url));
const mark = /^perch-link: .*\r\n/im;

interface Between {
  url: string;
  /**
   * A status: answers with it and a page, as a portal. Otherwise connects to the service, whose refusals have lost their mark where it is `unmarked`; `gate`
   * answers 401 to the link alone.
   */
  mode: number | 'service' | 'unmarked' | 'gate';
}

function portalPage(status: number): string {
  const html = '<!DOCTYPE html><html><body>Log in to the network</body></html>';
  const header = status === 302 ? 'Location: http://portal.test/login\r\n' : 'WWW-Authenticate: Basic realm="guests"\r\n';
  return `HTTP/1.1 ${status} x\r\n${header}Content-Type: text/html\r\nContent-Length: ${html.length}\r\nConnection: close\r\n\r\n${html}`;
}

onSingleInstances('the robot program in MicroPython behind a portal', (system) => {
  let micropython: Micropython;
  before(async function () {
    micropython = await needsMicropython(this);
  });

  /** `dials` has status and `final` of each that was refused. */
  function robotOf(options: Partial<MicropythonRobotOptions>): { robot: MicropythonRobot; codes: string[]; dials: [number, boolean][] } {
    const robot = new MicropythonRobot({ micropython, url: system().link(), reconnect: soon, ...options });
    system().keep(robot);
    const codes: string[] = [];
    robot.on('code', ({ code }) => codes.push(code));
    const dials: [number, boolean][] = [];
    robot.on('closed', ({ status, final }) => status !== null && dials.push([status, final]));
    return { robot, codes, dials };
  }

  async function between(mode: Between['mode']): Promise<Between> {
    const { hostname, port, pathname } = new URL(system().link());
    const sockets = new Set<Socket>();
    const server = createServer((inside) => {
      sockets.add(inside);
      inside.on('error', () => undefined);
      inside.once('data', (asked) => {
        const { mode } = here;
        if (typeof mode === 'number') return void inside.end(portalPage(mode));
        if (mode === 'gate' && asked.toString('latin1').startsWith('GET ')) return void inside.end(portalPage(401));
        const outside = connect(Number(port), hostname);
        inside.on('close', () => outside.destroy());
        outside.on('error', () => inside.destroy()).on('close', () => inside.destroy());
        outside.once('data', (head) => {
          inside.write(mode === 'unmarked' ? Buffer.from(head.toString('latin1').replace(mark, ''), 'latin1') : head);
          outside.pipe(inside);
        });
        outside.write(asked);
        inside.pipe(outside);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const stop = async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    };
    system().keep({ stop });
    const here: Between = { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`, mode };
    return here;
  }

  for (const status of [200, 302, 401])
    it(`dials on with its token where a portal answers ${status}, asks for no code, and is online once the portal lets it through`, async () => {
      const tenant = await system().tenant();
      const { token } = await system().store.robots.create({ account: tenant.account });
      const portal = await between(status);
      const { robot, codes, dials } = robotOf({ token, url: portal.url });
      const started = robot.start();
      await robot.until(() => dials.length >= 4, { what: 'four dials' });
      portal.mode = 'service';
      await started;
      assert.deepEqual(
        dials.slice(0, 4),
        Array.from({ length: 4 }, () => [status, false]),
      );
      assert.deepEqual([codes, robot.violations], [[], []]);
    });

  it('pairs at once without a token, through a portal that answers its request with pages at first', async () => {
    const tenant = await system().tenant();
    const portal = await between(200);
    const said: string[] = [];
    const { robot, codes } = robotOf({ serial: randomUUID(), url: portal.url, log: (line) => said.push(line) });
    robot.boot();
    await robot.until(() => said.some((line) => line.includes('pairing: ')), { what: 'a pairing that failed' });
    portal.mode = 'service';
    await robot.until(() => codes.length > 0, { what: 'a code', timeoutMs: 10_000 });
    await system().store.pairing.approve(tenant.account, codes[0]!);
    await robot.until(({ online }) => online, { what: 'the paired robot', timeoutMs: 10_000 });
    assert.deepEqual(robot.violations, []);
  });

  it('pairs at once where the service says that its token is not valid', async () => {
    const { robot, codes, dials } = robotOf({ token: 'rt_of_nobody', serial: randomUUID() });
    robot.boot();
    await robot.until(() => codes.length > 0, { what: 'a code' });
    assert.deepEqual(dials, [[401, true]]);
  });

  it('shows a code too after nothing but 401 without the mark, as a service of 0.10.0 answers, dials on meanwhile, and is online by the code', async () => {
    const tenant = await system().tenant();
    const { url } = await between('unmarked');
    const { robot, codes, dials } = robotOf({ token: 'rt_of_nobody', serial: randomUUID(), url, settings: { doubt_ms: 300 } });
    robot.boot();
    await robot.until(() => codes.length > 0, { what: 'a code' });
    const before = dials.length;
    assert.ok(before >= 2, `${before} dials`);
    await robot.until(() => dials.length >= before + 2, { what: 'dials beside the code' });
    assert.ok(dials.every(([status, final]) => status === 401 && !final));
    const approved = await system().store.pairing.approve(tenant.account, codes[0]!);
    await robot.until(({ online }) => online, { what: 'the paired robot', timeoutMs: 10_000 });
    assert.equal((await tenant.api().act(approved!.robot, 'face', { emotion: 'happy' })).status, 200);
    assert.deepEqual([codes.length, robot.violations], [1, []]);
  });

  it('takes its code away when its token is valid after all', async () => {
    const tenant = await system().tenant();
    const { token } = await system().store.robots.create({ account: tenant.account });
    const gate = await between('gate');
    const { robot, codes } = robotOf({ token, url: gate.url, settings: { doubt_ms: 100 } });
    const frame = (): Promise<string> =>
      new Promise((resolve) => {
        const off = robot.on('frame', ({ rgba }) => {
          off();
          resolve(Buffer.from(rgba).toString('base64'));
        });
        robot.askFrame(true);
      });
    let isPaired = false;
    robot.on('paired', () => (isPaired = true));
    robot.boot();
    await robot.until(() => codes.length > 0, { what: 'a code' });
    const withCode = await frame();
    assert.equal(await frame(), withCode, 'the code stands still');
    gate.mode = 'service';
    await robot.until(({ online }) => online, { what: 'a session beside the code' });
    assert.notEqual(await frame(), withCode);
    assert.deepEqual([isPaired, robot.violations], [false, []]);
  });

  it('shows it after ten minutes and not before', async () => {
    const speed = 30;
    const { url } = await between('unmarked');
    const { robot, codes, dials } = robotOf({
      token: 'rt_of_nobody',
      serial: randomUUID(),
      url,
      reconnect: {},
      program: fastProgram,
      settings: { speed },
    });
    robot.boot();
    await robot.until(() => dials.length > 0, { what: 'a refusal' });
    const refusedAt = performance.now();
    await robot.until(() => codes.length > 0, { what: 'a code', timeoutMs: 40_000 });
    const waitedMs = (performance.now() - refusedAt) * speed;
    assert.ok(waitedMs > 590_000, `${waitedMs} ms`);
  });
});
