/** The robot program in MicroPython over TLS, with an authority of the test's own in its settings. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { MicropythonRobot, type Micropython, type MicropythonRobotOptions } from '@perch/micropython-robot';
import { needsMicropython, needsOpenssl, testCertificates, type TestCertificates } from '@perch/testkit';
import { photograph } from '../fixture/media/pictures.js';
import { certificateSeen, openTlsFront } from '../fixture/robots/chip-tls.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const soon = { minMs: 40, maxMs: 400 };
const pem = (file: string): string => readFileSync(file, 'utf8');

onSingleInstances('the robot program in MicroPython over TLS', (system) => {
  let micropython: Micropython;
  let certificates: TestCertificates;
  before(async function () {
    needsOpenssl(this);
    micropython = await needsMicropython(this);
    certificates = testCertificates();
  });
  after(() => certificates?.remove());

  function robotOf(options: Partial<MicropythonRobotOptions>): MicropythonRobot {
    const robot = new MicropythonRobot({ micropython, url: system().link(), reconnect: soon, ...options });
    system().keep(robot);
    return robot;
  }

  /** Returns the link's address at a server that ends TLS before the robot-link; `given` may differ for each connection. */
  async function tlsLink(given: TestCertificates['server'] | (() => TestCertificates['server']), host = '127.0.0.1'): Promise<string> {
    const { hostname, port, pathname } = new URL(system().link());
    const front = await openTlsFront({ host: hostname, port: Number(port) }, typeof given === 'function' ? given : () => given);
    system().keep(front);
    return `wss://${host}:${front.port}${pathname}`;
  }

  async function refused(url: string, ca?: string): Promise<string> {
    const robot = robotOf({ token: 'of nobody', url, ...(ca === undefined ? {} : { ca: pem(ca) }) });
    robot.boot();
    await robot.until(({ lastClosed }) => lastClosed !== null, { what: 'a refused certificate' });
    assert.equal(robot.lastClosed!.status, null, 'it has sent no token');
    assert.equal(robot.lastClosed!.final, false, 'it dials again');
    return robot.lastClosed!.reason;
  }

  it('connects where the authority of its settings signed the certificate for that address', async () => {
    const tenant = await system().tenant();
    const { robot: id, token } = await system().store.robots.create({ account: tenant.account });
    const robot = robotOf({ token, url: await tlsLink(certificates.server), ca: pem(certificates.ca) });
    await robot.start();
    const api = await checkedApi(tenant);
    assert.equal((await api.act(id, 'show', { image: photograph(320, 240) })).status, 200);
    assert.ok(robot.screen.card!.bytes > 10_000);
    assert.deepEqual(robot.violations, []);
  });

  /** Returns the times to which the robot set its clock, and "session" where that began. */
  function clockOf(robot: MicropythonRobot): (number | string)[] {
    const seen: (number | string)[] = [];
    robot.on('clock', ({ s }) => seen.push(s));
    robot.on('session', () => seen.push('session'));
    return seen;
  }

  it('sets a clock that begins in 2000 by the Date of the service, before it checks the certificate', async () => {
    const tenant = await system().tenant();
    const { token } = await system().store.robots.create({ account: tenant.account });
    const robot = robotOf({ token, url: await tlsLink(certificates.server), ca: pem(certificates.ca), settings: { clock_s: 946_684_800 } });
    const seen = clockOf(robot);
    await robot.start();
    assert.ok(Math.abs(Number(seen[0]) - Date.now() / 1000) < 120, JSON.stringify(seen));
    assert.equal(seen.at(-1), 'session');
    assert.deepEqual(robot.violations, []);
  });

  it('sets it by a time server where the service tells no date, and never behind what a checked connection told', async () => {
    const unixS = 1_900_000_000;
    const server = createSocket('udp4', (_, asking) => {
      const answer = Buffer.alloc(48, 0x1c);
      answer.writeUInt32BE(unixS + 2_208_988_800, 40);
      server.send(answer, asking.port, asking.address);
    });
    system().keep({ stop: async () => void server.close() });
    await once(server.bind(0, '127.0.0.1'), 'listening');
    for (const seenS of [0, unixS + 5]) {
      const robot = robotOf({
        token: 'of nobody',
        url: 'wss://127.0.0.1:9/robot/v1/link',
        settings: { clock_s: 0, seen_s: seenS, time_server: `127.0.0.1:${server.address().port}` },
      });
      const seen = clockOf(robot);
      robot.boot();
      await robot.until(() => seen.length > 0, { what: 'a clock that was set' });
      assert.deepEqual(seen, [Math.max(unixS, seenS)]);
    }
  });

  /** Answers mDNS with 127.0.0.1 for every name, so that a name in `.local`, which is no loopback address, leads to the robot-link of the test. */
  async function namesOf(): Promise<{ asked: string[]; server: string }> {
    const asked: string[] = [];
    const server = createSocket('udp4', (query, { port, address }) => {
      const name = query.subarray(12, -4);
      asked.push(
        name
          .toString('latin1')
          .replaceAll(/[^a-z0-9-]/g, ' ')
          .trim(),
      );
      const header = Buffer.from([...query.subarray(0, 2), 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
      server.send(Buffer.concat([header, name, Buffer.from([0, 1, 0, 1, 0, 0, 0, 10, 0, 4, 127, 0, 0, 1])]), port, address);
    });
    system().keep({ stop: async () => void server.close() });
    await once(server.bind(0, '127.0.0.1'), 'listening');
    return { asked, server: `127.0.0.1:${server.address().port}` };
  }

  it('does not dial ws:// beyond its own machine without a token and without the setting that allows it, and says so on its screen', async () => {
    const { port, pathname } = new URL(system().link());
    const { asked, server } = await namesOf();
    const robotAt = (name: string, options: Partial<MicropythonRobotOptions> = {}): MicropythonRobot =>
      robotOf({ ...options, url: `ws://${name}.local:${port}${pathname}`, settings: { mdns: server, ...options.settings } });

    const refusing = robotAt('refused');
    const codes: unknown[] = [];
    refusing.on('code', (code) => codes.push(code));
    const notice = new Promise<string[]>((resolve) => refusing.on('notice', ({ name, lines }) => name === 'plain' && resolve(lines)));
    refusing.boot();
    assert.deepEqual(await notice, ['Not encrypted', 'Install me with wss://']);
    await refusing.until(({ lastClosed }) => lastClosed !== null);
    assert.deepEqual([refusing.lastClosed!.final, refusing.lastClosed!.reason], [true, 'ws:// needs the setting unencrypted']);

    // The same address with the setting, and with the token of an earlier installation.
    const allowed = robotAt('allowed', { settings: { unencrypted: true } });
    const code = new Promise((resolve) => allowed.on('code', resolve));
    allowed.boot();
    await code;
    const tenant = await system().tenant();
    const { token } = await system().store.robots.create({ account: tenant.account });
    await robotAt('installed', { token }).start();
    assert.deepEqual(new Set(asked), new Set(['allowed local', 'installed local']));
    assert.deepEqual([codes, refusing.online], [[], false]);
  });

  const shiftS = 946_684_800;
  const nowS = (): number => Math.round(Date.now() / 1000);
  const dayS = 86_400;

  /** A robot whose chip has a clock, and what happens to it. */
  async function chipOf(addedS: number, { chipS, ended = false, shift }: { chipS: number; ended?: boolean; shift?: number }) {
    const tenant = await system().tenant();
    const { token } = await system().store.robots.create({ account: tenant.account });
    let clockS = chipS;
    const url = await tlsLink(() => certificateSeen(certificates, clockS + addedS - nowS(), ended));
    const robot = robotOf({
      token,
      url,
      ca: pem(certificates.ca),
      settings: { clock_s: chipS, ...(shift === undefined ? {} : { tls_shift_s: shift }) },
    });
    const seen: string[] = [];
    const yearOf = (unixS: number): number => new Date(unixS * 1000).getUTCFullYear();
    robot.on('clock', ({ s }) => {
      clockS = s;
      seen.push(`clock ${yearOf(s)}`);
    });
    robot.on('session', () => seen.push('session'));
    robot.on('closed', ({ reason }) => seen.push(reason));
    return { robot, seen, year: yearOf(nowS()) };
  }

  it('sets the clock of the chip back where TLS adds 30 years to it, and connects', async () => {
    const { robot, seen, year } = await chipOf(shiftS, { chipS: nowS() });
    await robot.start();
    assert.deepEqual(seen, ['certificate has expired', `clock ${year - 30}`, 'session']);
    assert.deepEqual(robot.violations, []);
  });

  it('does so from its first dial on once it knows', async () => {
    const { robot, seen, year } = await chipOf(shiftS, { chipS: nowS(), shift: shiftS });
    await robot.start();
    assert.deepEqual(seen, [`clock ${year - 30}`, 'session']);
  });

  it('finds the shift also where the chip had lost its time', async () => {
    const { robot, seen, year } = await chipOf(shiftS, { chipS: shiftS + 60, shift: shiftS });
    await robot.start();
    assert.deepEqual(seen, ['certificate has expired', `clock ${year}`, 'certificate has expired', `clock ${year - 30}`, 'session']);
  });

  it('tries the other clock once for a certificate that has ended, and reports that it has expired from then on', async () => {
    const { robot, seen, year } = await chipOf(0, { chipS: nowS(), ended: true });
    robot.boot();
    await robot.until(() => seen.length >= 6, { what: 'several dials' });
    const expired = 'certificate has expired';
    assert.deepEqual(seen.slice(0, 6), [expired, `clock ${year - 30}`, 'certificate not valid yet: wrong clock?', `clock ${year}`, expired, expired]);
  });

  it('takes the shift back with a firmware that adds nothing', async () => {
    const { robot, seen, year } = await chipOf(0, { chipS: nowS(), shift: shiftS });
    await robot.start();
    assert.deepEqual(seen, [`clock ${year - 30}`, 'certificate not valid yet: wrong clock?', `clock ${year}`, 'session']);
  });

  it('sets the clock back before it has a token, and shows its code', async () => {
    let clockS = nowS();
    const url = await tlsLink(() => certificateSeen(certificates, clockS + shiftS - nowS()));
    const robot = robotOf({ url, ca: pem(certificates.ca), settings: { clock_s: clockS } });
    robot.on('clock', ({ s }) => (clockS = s));
    const code = new Promise((resolve) => robot.on('code', resolve));
    robot.boot();
    await code;
    assert.ok(Math.abs(clockS + shiftS - nowS()) < dayS);
  });

  it('refuses the certificate of another authority, and to go without one', async () => {
    const url = await tlsLink(certificates.server);
    assert.equal(await refused(url, certificates.otherCa), 'certificate is not correctly signed');
    assert.match(await refused(url), /TLS needs the setting ca/);
  });

  it('refuses a certificate for another name', async () => {
    assert.equal(await refused(await tlsLink(certificates.server, 'localhost'), certificates.ca), 'certificate does not match the name');
  });

  it('refuses a certificate that has expired', async () => {
    assert.equal(await refused(await tlsLink(certificates.expired), certificates.ca), 'certificate has expired');
  });

  it('refuses a certificate that begins later by its clock, and says that the clock may be wrong', async () => {
    assert.equal(await refused(await tlsLink(certificates.future), certificates.ca), 'certificate not valid yet: wrong clock?');
  });
});
