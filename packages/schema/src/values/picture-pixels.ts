/** Returns width x height as the header of a JPEG or PNG states them; 0 if it cannot be read: the renderer does not decode such a picture either. */
export function picturePixels(bytes: Buffer): number {
  const size = pictureSize(bytes);
  return size === null ? 0 : size.w * size.h;
}

/** Linear in the bytes, with one allocation: image-size took 100 ms of the event loop for a JPEG of a million tiny segments. */
export function pictureSize(bytes: Buffer): { w: number; h: number } | null {
  if (bytes[0] === 0x89) return bytes.length < 24 ? null : { w: bytes.readUInt32BE(16), h: bytes.readUInt32BE(20) };
  return jpegSize(bytes);
}

function jpegSize(bytes: Buffer): { w: number; h: number } | null {
  let at = bytes.indexOf(0xff, 2);
  while (at !== -1 && at + 9 <= bytes.length) {
    const type = bytes[at + 1]!;
    if (isFrame(type)) return { w: bytes.readUInt16BE(at + 7), h: bytes.readUInt16BE(at + 5) };
    // Fill bytes, and markers without a segment, as other bytes may precede a marker.
    const isAlone = type === 0xff || type <= 0x01 || (type >= 0xd0 && type <= 0xd7);
    at = bytes.indexOf(0xff, isAlone ? at + 1 : at + 2 + Math.max(2, bytes.readUInt16BE(at + 2)));
  }
  return null;
}

/** SOF0 to SOF15 without DHT, JPG and DAC, whose codes lie between them, and that of JPEG-LS. */
function isFrame(type: number): boolean {
  return (type >= 0xc0 && type <= 0xcf && type !== 0xc4 && type !== 0xc8 && type !== 0xcc) || type === 0xf7;
}
