/** The StackChan's board file in the real interpreter, over fakes of the vendor's modules that complain about a wrong use. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Micropython } from '@perch/micropython-robot';
import { needsMicropython } from '@perch/testkit';

const program = fileURLToPath(new URL('../../robots/micropython', import.meta.url));
const checkFile = (name: string): string => fileURLToPath(new URL(`../programs/stackchan/${name}`, import.meta.url));

const titles = {
  actions: 'does every action: head within its limits and without a lurch, LEDs, effects, bubble, face, card, sound without a gap, own commands',
  inputs: 'reports touches, strokes, a shake, nearness, a tag with its text, a remote, the power key, USB and its readings',
  own_movement: 'takes the shaking of its own movement for no input',
  away: 'sleeps above a notice in place of a card after 3 s offline, keeps a question, and shows the card again when it is back',
  silent_body: 'has screen, touch and sound where the body does not answer',
  slow_start: 'waits for a body that starts slowly',
  no_nfc: 'has head, LEDs and head touch where only NFC does not answer',
  silent_servos: 'gives the head up after three requests without an answer, switches its supply off and says hello without it',
  stuck_servo: 'lets a stuck servo go, and gives the head up at the third time',
  at_rest: 'switches torque off and dims the screen at rest, does not lurch when somebody has turned the head, and is bright at the next touch',
  dark: 'lights a dark screen for a question, to at most 30 %, and for a touch, which says that it was dark',
  short_touch: 'reports a touch that one sample of the panel saw as 20 ms long',
  broken_senses: 'leaves out senses that fail for good, and the others go on',
  lost_leds: 'says hello without LEDs that have failed',
  busy: 'takes less than 40 ms for a turn of its loop while it plays, draws, moves, lights and feels',
  slow_i2c: 'takes less than 40 ms for a turn, and plays without a gap, where I2C takes six times as long',
  other_board: 'is a CoreS3 without a body on other hardware',
  own_clock: 'sets and reads the clock of the chip',
  said_on_port: 'says on its USB port the code until it is paired, and whether it has a session or why it has none',
  reversed_yaw: 'turns the other way by a setting, around the zero of the settings',
};

const watchdogTitles = {
  hang: 'restarts a robot whose loop hangs for a minute, which tells the cause in its hello, and no robot that only waits',
  handshakes: 'does not fire while names are looked up and TLS handshakes take long',
  update: 'does not fire during an update from a slow server into slow flash',
  absent: 'is left out, and the log says so, where the board has none',
  held: 'gives what interrupts the program ten minutes, and then starts an abandoned robot again',
};

describe('the board of the StackChan', () => {
  let micropython: Micropython;
  before(async function () {
    micropython = await needsMicropython(this);
  });

  async function passes(file: string, ...what: string[]): Promise<void> {
    const args = [...micropython.args, '-X', 'heapsize=1m', checkFile(file), program, ...what];
    const { stdout, stderr } = await promisify(execFile)(micropython.command, args, { env: { LC_ALL: 'C.UTF-8' } }).catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    );
    assert.match(stdout, /^done$/m, stdout + stderr);
  }

  for (const [check, title] of Object.entries(titles)) it(title, () => passes('checks.py', check));

  describe('the watchdog', () => {
    let folder: string;
    before(async () => (folder = await mkdtemp(join(tmpdir(), 'perch-watchdog-'))));
    after(() => rm(folder, { recursive: true }));

    for (const [check, title] of Object.entries(watchdogTitles)) it(title, () => passes('watchdog.py', check, folder));
  });

  it('draws every face in bands as the host board draws it at once', () => passes('pixels.py'));
});
