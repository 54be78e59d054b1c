/**
 * Control sequences of terminals, with 7-bit and 8-bit introducers: colours, cursor movements, titles, links. ECMA-48 (5th edition, 5.4 to 5.6) has CSI
 * with its parameters and the command strings, which end with ST; xterm and GCC end them with BEL, too (chalk/ansi-regex#56, oven-sh/bun#28872). One that
 * was cut off before its last character is removed as far as it goes. A string without an end in its line loses its introducer alone, and so does an escape
 * before a character that ends no sequence in use: what follows may be text.
 */
const sequences =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\n\r\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b(?: [F-N]|[#%()*+.-][0-~]|[6-9<=>DEHMNOZ\\cno|}~])?/g;

export function withoutTerminalSequences(text: string): string {
  return text.replace(sequences, '');
}
