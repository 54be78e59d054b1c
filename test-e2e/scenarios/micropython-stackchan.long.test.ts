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
  dark: 'lights a dark screen for a question, to at most 30 %, and for a touch, which says that it was dark',
  short_touch: 'reports a touch that one sample of the panel saw as 20 ms long',
  broken_senses: 'leaves out senses that fail for good, and the others go on',
  lost_leds: 'says hello without LEDs that have failed',
  busy: 'takes less than 40 ms for a turn of its loop while it plays, draws, moves, lights and feels',
  slow_i2c: 'takes less than 40 ms for a turn, and plays without a gap, where I2C takes six times as long',
  other_board: 'is a CoreS3 without a body on other hardware',
  own_clock: 'sets and reads the clock of the chip, not without a time zone, and corrects one that a time zone has moved',
  shifted_clock: 'sets the clock of the chip back by 30 years where TLS adds them, keeps its own time, and takes it back with another firmware',
  no_wifi: 'switches the radio off and on after three minutes without Wi-Fi, and asks for a restart of the chip after half an hour',
  no_memory: 'restarts the chip after half an hour in which no dial had memory, although a tap is not acknowledged',
  restarts: 'restarts the chip at rest, once in six hours, and not while a question shows, an input is not acknowledged or an update runs',
  restarted: 'tells the log after a restart why it was',
  low_battery: 'shows that the battery is low, dims the screen and switches the head off at rest until it is plugged in',
  said_on_port: 'says on its USB port the code until it is paired, and whether it has a session or why it has none',
};

const headTitles = {
  constants: 'uses the registers, ids, steps and limits that the sources of the vendor name, and stays away from the stops that owners have measured',
  no_zeros: 'gives the servos no power without a zero that somebody has measured, leaves the head out and says why on its screen and in its log',
  default_zeros: 'takes the zeros that firmwares store without a measurement for none',
  stored_settings: 'keeps the zeros and the side that an owner of 0.10.0 has stored',
  calibrated: 'asks at a tap on the hint for the level head and for its side, stores both and has a head from then on',
  calibrated_again: 'calibrates a head that works by its command, after which it turns as the person has said',
  not_level: 'asks once more when the head that is called level is far from where any robot has it',
  cancelled: 'changes nothing when the calibration is cancelled or a question comes, which the next touch answers',
  power_up: 'ends the pull to a kept goal at power-on within two tries, and eases the head to its rest',
  turned_as_motor: 'sets a servo that turns as a motor back before it gets a goal',
  reversals: 'eases every movement with 50 goals a second, and turns both axes back at a lower speed',
  at_rest: 'looks up and switches torque off at rest, dims the screen, and does not lurch when somebody has turned the head',
  hung_bus: 'leaves the head out while its bus hangs, switches the power off for a second, and says hello with the head',
  hung_replies: 'does the same where goals are still taken and nothing replies',
  hung_reads: 'does the same where reads alone get no reply',
  never_cured: 'switches the power of a bus that stays silent at most three times an hour, after growing waits',
  dead_servos: 'leaves servos alone that have never replied after three times',
  hung_at_stop: 'switches the power off for good when the last goal was near a stop',
  stuck_servo: 'lets a stuck servo go, and gives the head up at the third time',
  wrong_zero: 'ends the push against a stop, which a wrong zero causes, within a second and a half',
  touched_at_start: 'takes what the zones of the head report while the power comes up for nobody',
  hours: 'moves its head for two hours of its time through four hangs of the bus, with no push against a stop and no loss of memory',
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
    // 1 MB for the program, as on a chip, and 176 KB for the checks and their stand-ins of the device.
    const args = [...micropython.args, '-X', 'heapsize=1200k', checkFile(file), program, ...what];
    const { stdout, stderr } = await promisify(execFile)(micropython.command, args, { env: { LC_ALL: 'C.UTF-8' } }).catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    );
    assert.match(stdout, /^done$/m, stdout + stderr);
  }

  for (const [check, title] of Object.entries(titles)) it(title, () => passes('checks.py', check));

  describe('the head', () => {
    for (const [check, title] of Object.entries(headTitles)) it(title, () => passes('head_checks.py', check));
  });

  describe('the watchdog', () => {
    let folder: string;
    before(async () => (folder = await mkdtemp(join(tmpdir(), 'perch-watchdog-'))));
    after(() => rm(folder, { recursive: true }));

    for (const [check, title] of Object.entries(watchdogTitles)) it(title, () => passes('watchdog.py', check, folder));
  });

  it('draws every face in bands as the host board draws it at once', () => passes('pixels.py'));
});
