/** A raw REPL mixes text and control bytes: received bytes are kept as a string with one character per byte. */

export function charsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

export function bytesOf(chars: string): Uint8Array {
  return Uint8Array.from(chars, (char) => char.charCodeAt(0));
}

/** Decodes UTF-8. */
export function textOf(chars: string): string {
  return new TextDecoder().decode(bytesOf(chars));
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(charsOf(bytes));
}
