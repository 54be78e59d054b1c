/** Names of commands that no program may send, whatever a robot declares: they switch its apps, restart it, turn its streams on or touch its manager's settings. */
import { limits } from '../base/limits.js';

const verbs = list('reboot restart stream pair unpair launch relaunch');
const nouns = list(
  'shutdown power_off power_down power_cycle factory hard_reset soft_reset system_reset device_reset bootloader safe_mode',
  'camera cam webcam mic microphone wifi wlan ssid server firmware fw ota app application launcher',
);
export const excludedWords: readonly string[] = [...verbs, ...nouns];
/** A name with one of these says that a part of the robot, or what it plays, is restarted or switched off: `restart_song`, `servo_power_off`. */
export const partWords: readonly string[] = list(
  'arm backlight display fan head lamp led light motor plug relay screen sensor servo socket speaker tv',
  'animation clock counter dance game melody music song sound story timer',
);
/** Further words of commands, to read names without separators: `rebootnow`, `startapp`, `wifiscan`. */
const furtherWords = list(
  'get set read write add new remove delete clear list scan find show test check status state info',
  'start stop run open close enable disable toggle switch turn on off mute unmute mode',
  'join connect disconnect download install update upgrade flash reset config configure setting settings setup',
  'url name password token address port live video audio voice image photo picture take capture record feed',
  'robot device system self my web api http remote cloud now soft hard force auto request',
);

const word = `(?:(?:${oneOf(verbs)})(?:s|es|ed|ing)?|(?:${oneOf(nouns)})s?)`;
const excludedWord = new RegExp(`^${word}$`);
const excludedCompound = new RegExp(`^(?:${oneOf(furtherWords)})*${word}(?:${oneOf(furtherWords)}|${word})*$`);
const part = new RegExp(`^(?:${oneOf(partWords)})s?$`);
const mayBeOfAPart = /^(?:restart(?:s|ed|ing)?|shutdowns?|power(?:off|down|cycle)s?)$/;
const joinedCharsMax = Math.max(...excludedWords.map((each) => each.length)) + 3;

/**
 * Compares by words, in every spelling (`Power.Off`, `powerOff`, `POWER-OFF2`, `re_boot`) and as a reader sees them: other forms of a letter count
 * as the letter, marks and invisible characters do not count.
 */
export function excludedCommand(name: string): boolean {
  let isExcluded = known.get(name);
  if (isExcluded === undefined) {
    if (known.size >= knownMax) known.clear();
    known.set(name, (isExcluded = hasExcludedWord(name)));
  }
  return isExcluded;
}

/** A list of robots asks for the same names again and again. */
const known = new Map<string, boolean>();
const knownMax = 512;

function hasExcludedWord(name: string): boolean {
  const plain = name.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
  // One character may stand for a whole sentence (U+FDFA): bounds the time, and no firmware has such names.
  if (plain.length > 4 * limits.command.nameCharsMax) return true;
  const words = wordsOf(plain);
  const isOfAPart = words.some((each) => part.test(each));
  const isExcluded = (text: string, pattern: RegExp): boolean => pattern.test(text) && !(isOfAPart && mayBeOfAPart.test(text));
  return words.some((first, at) => {
    if (isExcluded(first, excludedCompound)) return true;
    let joined = first;
    for (let next = at + 1; next < words.length && joined.length <= joinedCharsMax; next++) {
      joined += words[next]!;
      if (isExcluded(joined, excludedWord)) return true;
    }
    return false;
  });
}

function wordsOf(plain: string): string[] {
  return plain
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/\P{L}+/u)
    .filter((each) => each !== '');
}

function oneOf(words: readonly string[]): string {
  return words.join('|').replaceAll('_', '');
}

function list(...lines: string[]): string[] {
  return lines.join(' ').split(' ');
}
