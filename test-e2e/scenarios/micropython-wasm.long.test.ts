/**
 * More of the StackChan board's checks than in `micropython-wasm.test.ts`, in MicroPython's WebAssembly build, which comes from npm: it runs wherever Node does, in the version of
 * MicroPython that UIFlow2 2.5 has. `micropython-stackchan.long.test.ts` has all of them, in the unix build.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { runWasmProgram, wasmEmptyFolder, wasmRobotFolder } from '@perch/testkit';

const robot = fileURLToPath(new URL('../../robots/micropython', import.meta.url));
const checkFile = (name: string): string => fileURLToPath(new URL(`../programs/stackchan/${name}`, import.meta.url));

const titles: [file: string, check: string, title: string][] = [
  ['checks.py', 'actions', 'does every action: head, LEDs, effects, bubble, face, card, sound without a gap, own commands'],
  ['checks.py', 'away', 'sleeps above a notice in place of a card after 3 s offline, keeps a question, and shows the card again when it is back'],
  ['checks.py', 'own_clock', 'sets the clock with a time zone alone'],
  ['checks.py', 'shifted_clock', 'sets the clock of the chip back by 30 years where TLS adds them'],
  ['checks.py', 'no_wifi', 'restarts the radio, and then asks for a restart of the chip'],
  ['checks.py', 'restarts', 'restarts the chip where nothing is lost'],
  ['checks.py', 'low_battery', 'rests the head while the battery is low'],
  ['head_checks.py', 'constants', 'uses the registers, ids, steps and limits that the sources of the vendor name'],
  ['head_checks.py', 'no_zeros', 'gives the servos no power without a zero that somebody has measured'],
  ['head_checks.py', 'stuck_servo', 'lets a stuck servo go, and gives the head up at the third time'],
  ['watchdog.py', 'update', 'installs an update from a slow server into slow flash, and its watchdog does not fire'],
];

describe('the board of the StackChan in the WebAssembly build of MicroPython', () => {
  for (const [file, check, title] of titles) {
    it(title, async () => {
      const printed = await runWasmProgram(checkFile(file), { robot, args: [wasmRobotFolder, check, wasmEmptyFolder] });
      assert.match(printed, /^done$/m, printed);
    });
  }
});
