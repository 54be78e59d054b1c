/** Characters of the East Asian character sets that the shipped fonts cover whole. */

export function gb2312(): number[] {
  return decoded('gbk', [0xa1, 0xf7], [[0xa1, 0xfe]]);
}

export function big5(): number[] {
  const trail = [
    [0x40, 0x7e],
    [0xa1, 0xfe],
  ] as const;
  return [...decoded('big5', [0xa4, 0xc6], trail), ...decoded('big5', [0xc9, 0xf9], trail)];
}

export function jis(): number[] {
  return decoded('euc-jp', [0xa1, 0xf4], [[0xa1, 0xfe]]);
}

/** Decodes all pairs of bytes; omits private use, which other tables put into free places. */
function decoded(encoding: string, [first, last]: readonly [number, number], trails: readonly (readonly [number, number])[]): number[] {
  const decoder = new TextDecoder(encoding);
  const found = new Set<number>();
  for (let lead = first; lead <= last; lead++) {
    for (const [from, to] of trails) {
      for (let trail = from; trail <= to; trail++) {
        const text = decoder.decode(Uint8Array.of(lead, trail));
        const code = text.codePointAt(0) ?? 0;
        if ([...text].length === 1 && code > 0x7f && code !== 0xfffd && !/\p{Co}/u.test(text)) found.add(code);
      }
    }
  }
  return [...found].toSorted((a, b) => a - b);
}
