/** Where a browser may be sent with an authorization code: https, this computer (RFC 8252, 7.3), or an app on it (RFC 8252, 7.1). */
const charsMax = 500;
/** No blanks, controls and non-ASCII characters: the text is compared as it is, and stored with blanks between. */
const plain = /^[\x21-\x7e]+$/;
/** Schemes of apps that connect to MCP servers but name no domain in their scheme, as RFC 8252 asks. */
const appSchemes: ReadonlySet<string> = new Set(['claude:', 'cursor:', 'goose:', 'raycast:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);

/** @returns what is wrong with it, which continues a sentence, or null */
export function redirectUriProblem(text: string): string | null {
  if (text.length > charsMax) return `is longer than ${charsMax} characters`;
  if (!plain.test(text) || !URL.canParse(text)) return 'is not a URI';
  const url = new URL(text);
  if (text.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name or password';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:') return isLoopback(url) ? null : 'is http, which is accepted for 127.0.0.1, [::1] and localhost only';
  // A scheme that names a domain belongs to its owner; no scheme that browsers handle themselves has a dot.
  return url.protocol.includes('.') || appSchemes.has(url.protocol) ? null : `has the scheme ${url.protocol}, which is not one of an app`;
}

/** Compares the texts; a program on this computer may listen on any port (RFC 8252, 7.3). Returns whether the code may go there. */
export function redirectMatches(registered: string, requested: string): boolean {
  if (registered === requested) return true;
  if (redirectUriProblem(requested) !== null) return false;
  const [own, given] = [new URL(registered), new URL(requested)];
  return own.protocol === 'http:' && isLoopback(own) && withoutPort(registered) === withoutPort(requested) && given.hostname === own.hostname;
}

/** As the user reads it: a host, or this computer, or an app on it. */
export function placeOf(redirectUri: string): { kind: 'web' | 'computer' | 'app'; name: string } {
  const url = new URL(redirectUri);
  if (url.protocol === 'https:') return { kind: 'web', name: url.host };
  if (url.protocol === 'http:') return { kind: 'computer', name: 'this computer' };
  return { kind: 'app', name: url.protocol.slice(0, -1) };
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
}

function withoutPort(text: string): string {
  return text.replace(/^(http:\/\/(?:\[::1\]|[^/?:@]+)):\d{1,5}(?=[/?]|$)/, '$1');
}
