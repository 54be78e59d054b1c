/** `npm start -- --lan` with the robot program in MicroPython, over the link that this machine's own authority certifies. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { networkInterfaces, tmpdir, type NetworkInterfaceInfo } from 'node:os';
import { join } from 'node:path';
import { Authority } from '@perch/authority';
import { MicropythonRobot, type Micropython, type MicropythonRobotOptions } from '@perch/micropython-robot';
import { freePort, needsMicropython, toolCache, until } from '@perch/testkit';
import { Person } from '@perch/virtual-robot';
import type { Announcement } from '../src/announcement.js';
import { Front } from '../src/front.js';
import type { Interfaces } from '../src/lan.js';
import { LocalSystem } from '../src/local-system.js';

const at = (address: string): NetworkInterfaceInfo[] => [{ address, internal: false, family: 'IPv4', netmask: '255.0.0.0', mac: '', cidr: null }];
const reconnect = { minMs: 40, maxMs: 400 };

describe('npm start: with --lan and a robot', function () {
  this.timeout(180_000);
  const stateDir = mkdtempSync(join(tmpdir(), 'perch-lan-'));
  const printed: string[] = [];
  const moves: Announcement[] = [];
  const robots: MicropythonRobot[] = [];
  let micropython: Micropython;
  let mdnsPort = 0;
  let interfaces: Interfaces = { wlan0: at('127.0.0.1') };
  let system: LocalSystem | null = null;

  before(async function () {
    // The changes of the address are between loopback addresses, all of which only Linux has without set-up.
    if (!('lo' in networkInterfaces()) || process.platform !== 'linux') this.skip();
    micropython = await needsMicropython(this);
    mdnsPort = await freePort();
  });
  afterEach(async () => {
    await Promise.all(robots.splice(0).map((robot) => robot.stop()));
    await system?.stop();
    system = null;
  });
  after(() => rmSync(stateDir, { recursive: true }));

  async function start(options: { https?: boolean } = {}): Promise<Announcement> {
    system = new LocalSystem({
      help: false,
      json: false,
      port: 0,
      linkPort: 0,
      gateways: 1,
      links: 1,
      renderers: 1,
      webhooks: 0,
      robot: null,
      person: 'none',
      lan: { address: null, https: options.https ?? false, interfaces: () => interfaces, mdnsPort, lookEveryMs: 100 },
      stateDir,
      env: { PATH: process.env['PATH'], PERCH_TEST_CACHE: toolCache(process.env) },
      print: (line) => printed.push(line),
      log: (line) => printed.push(line),
      onFailure: (reason) => printed.push(reason),
      onMove: (announcement) => moves.push(announcement),
    });
    return system.start();
  }

  function robotOf(options: Omit<MicropythonRobotOptions, 'micropython'>): MicropythonRobot {
    const settings = { mdns: `127.0.0.1:${mdnsPort}`, ...options.settings };
    const robot = new MicropythonRobot({ micropython, reconnect, ...options, settings });
    robots.push(robot);
    return robot;
  }

  /** Enters the code on the page, as its owner does. */
  async function pair({ baseUrl, signInUrl, lan }: Announcement, code: string): Promise<string> {
    const link = new URL(signInUrl).hash.replace('#sign-in=', '');
    const page = { origin: baseUrl, 'content-type': 'application/json' };
    const signedIn = await fetch(`${baseUrl}/console/session`, { method: 'POST', headers: page, body: JSON.stringify({ link }) });
    const { csrf, install } = (await signedIn.json()) as { csrf: string; install: { url: string; ca: string } };
    assert.deepEqual(install, { url: lan!.robotUrl, ca: readFileSync(lan!.caFile, 'utf8').trim() });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0]!)
      .join('; ');
    const headers = { ...page, cookie, 'x-csrf-token': csrf };
    const added = await fetch(`${baseUrl}/console/robots`, { method: 'POST', headers, body: JSON.stringify({ code }) });
    assert.equal(added.status, 200, await added.clone().text());
    return ((await added.json()) as { robot: { id: string } }).robot.id;
  }

  async function ask({ baseUrl, apiKey }: Announcement, robot: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 60 });
    const answer = await fetch(`${baseUrl}/v1/robots/${robot}/ask`, { method: 'POST', headers, body });
    return ((await answer.json()) as { outcome?: unknown }).outcome;
  }

  it('pairs a robot over wss:// by its name, asks, and asks again after the machine got another address', async () => {
    interfaces = { wlan0: at('127.0.0.1') };
    const first = await start();
    assert.match(first.lan!.robotUrl, /^wss:\/\/perch-[0-9a-f]{6}\.local:\d+\/robot\/v1\/link$/);
    const ca = await (await fetch(first.lan!.caUrl)).text();
    assert.equal(ca, readFileSync(first.lan!.caFile, 'utf8'));

    const robot = robotOf({ url: first.lan!.robotUrl, ca });
    const person = new Person(robot);
    const code = new Promise<{ code: string; uri: string }>((resolve) => robot.on('code', resolve));
    robot.boot();
    const shown = await code;
    assert.ok(shown.uri.startsWith(`${first.baseUrl}/pair`), shown.uri);
    const id = await pair(first, shown.code);
    await robot.until(({ online }) => online, { timeoutMs: 30_000, what: 'the paired robot' });
    assert.equal(await ask(first, id), 'answered');

    const { session } = robot;
    interfaces = { wlan0: at('127.0.0.2') };
    await until(() => moves.length > 0, { timeoutMs: 60_000, what: `another address; ${printed.join('\n')}` });
    const [second] = moves;
    assert.match(second!.baseUrl, /^http:\/\/127\.0\.0\.2:/);
    assert.equal(second!.lan!.robotUrl, first.lan!.robotUrl);
    await robot.until((one) => one.online && one.session !== session, { timeoutMs: 30_000, what: 'the robot at the other address' });
    assert.equal(await ask(second!, id), 'answered');
    person.stop();
    assert.deepEqual(robot.violations, []);
  });

  it('keeps its authority over a restart, and a robot that was installed with ws:// works as before', async () => {
    interfaces = { wlan0: at('127.0.0.1') };
    const { linkUrl, robotToken, lan } = await start();
    assert.match(linkUrl, /^ws:\/\/127\.0\.0\.1:/);
    const robot = robotOf({ url: linkUrl, token: robotToken });
    await robot.start();
    assert.equal(readFileSync(lan!.caFile, 'utf8'), (await Authority.open(join(stateDir, 'authority'))).pem);
  });

  it('serves the page over https alone with --https, and redirects what is not encrypted, but for the authority itself', async () => {
    // With a public address in it, a certificate would be refused as a whole: the authority may certify none.
    interfaces = { wlan0: at('127.0.0.1'), eth0: at('203.0.113.7') };
    const { baseUrl, signInUrl, lan } = await start({ https: true });
    assert.match(baseUrl, /^https:\/\/127\.0\.0\.1:/);
    assert.match(signInUrl, /^https:\/\/perch-[0-9a-f]{6}\.local:/);
    const plain = baseUrl.replace('https:', 'http:');
    const redirected = await fetch(`${plain}/pair`, { redirect: 'manual' });
    assert.deepEqual([redirected.status, redirected.headers.get('location')], [308, `${baseUrl}/pair`]);
    const ca = await (await fetch(lan!.caUrl)).text();
    const status = await new Promise((resolve, reject) => {
      request(`${baseUrl}/console/session`, { ca, agent: false }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
    assert.equal(status, 200);
  });

  it('lets a robot that meets another authority refuse it, say so on its screen, and neither pair nor send its token', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-authorities-'));
    const [own, other] = [await Authority.open(join(folder, 'own')), await Authority.open(join(folder, 'other'))];
    const requests: string[] = [];
    const front = await Front.open({
      host: '127.0.0.1',
      port: 0,
      certificate: await other.forLink({ dns: [], addresses: ['127.0.0.1'] }),
      answer: ({ url = '' }, response) => {
        requests.push(url);
        // The time of a service, which robots ask for before they check who tells it.
        response.end();
        return true;
      },
    });
    try {
      for (const token of [undefined, 'rt_of_somebody']) {
        const robot = robotOf({ url: `wss://127.0.0.1:${front.port}/robot/v1/link`, ca: own.pem, ...(token !== undefined && { token }) });
        const codes: unknown[] = [];
        robot.on('code', (code) => codes.push(code));
        const notice = new Promise<string[]>((resolve) => robot.on('notice', ({ name, lines }) => name === 'foreign' && resolve(lines)));
        robot.boot();
        assert.deepEqual(await notice, ['Another Perch answers', 'It is not the one I was installed for']);
        assert.deepEqual(codes, []);
      }
      assert.deepEqual(
        requests.filter((url) => url !== '/'),
        [],
      );
    } finally {
      await front.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
