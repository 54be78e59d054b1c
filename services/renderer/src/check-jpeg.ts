/** Walks a JPEG's segments and scans to the end marker, past those of thumbnails: Skia silently fills missing parts with grey. */
import { PictureProblem } from './picture-problem.js';

const mark = { soi: 0xd8, eoi: 0xd9, sos: 0xda } as const;

/** @throws {PictureProblem} if the file ends early, or has no picture or several */
export function checkJpeg(bytes: Buffer): void {
  let at = 2;
  let frames = 0;
  let scans = 0;
  for (;;) {
    at = nextMark(bytes, at, scans > 0);
    const type = bytes[at - 1] ?? 0;
    if (type === mark.eoi) break;
    if (type === mark.soi) throw new PictureProblem('is damaged (begins twice)');
    if (isAlone(type)) continue;
    if (at + 2 > bytes.length) throw cutOff();
    const length = bytes.readUInt16BE(at);
    if (length < 2) throw new PictureProblem('is damaged (segment without length)');
    if (at + length > bytes.length) throw cutOff();
    if (isFrame(type)) frames++;
    if (type === mark.sos) scans++;
    at += length;
  }
  if (frames !== 1 || scans === 0) throw new PictureProblem('is damaged (no picture in the file)');
}

/** A marker between segments must follow at once; in a scan's data it is searched, past stuffed zeros and restart markers. */
function nextMark(bytes: Buffer, from: number, inScan: boolean): number {
  let at = from;
  for (;;) {
    const found = bytes.indexOf(0xff, at);
    if (found === -1) throw cutOff();
    if (!inScan && found !== from) throw new PictureProblem('is damaged (segments do not join)');
    at = found + 1;
    while (bytes[at] === 0xff) at++;
    const type = bytes[at];
    if (type === undefined) throw cutOff();
    at++;
    if (type !== 0 && !(type >= 0xd0 && type <= 0xd7)) return at;
    if (!inScan) throw new PictureProblem('is damaged (segments do not join)');
  }
}

function isFrame(type: number): boolean {
  return type >= 0xc0 && type <= 0xcf && type !== 0xc4 && type !== 0xc8 && type !== 0xcc;
}

function isAlone(type: number): boolean {
  return type === 0x01;
}

function cutOff(): PictureProblem {
  return new PictureProblem('ends in the middle of the file');
}
