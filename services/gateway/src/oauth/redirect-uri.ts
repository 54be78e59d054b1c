/** Where a browser may be sent with an authorization code: https, this computer (RFC 8252, 7.3), or an app on it (RFC 8252, 7.1). */
const charsMax = 500;
/** No blanks, controls and non-ASCII characters: the text is compared as it is, and stored with blanks between. */
const plain = /^[\x21-\x7e]+$/;
/**
 * Schemes that a browser, an operating system or its usual programs handle themselves, with what the address says; no client waits for a code there.
 * Any other scheme is one that an app claims, and PKCE keeps the code from another app that claims it, too (RFC 8252, 8.1).
 * Registered schemes: https://www.iana.org/assignments/uri-schemes
 */
const handledSchemes: ReadonlySet<string> = new Set(
  [
    // Pages, programs and files of a browser.
    'about blob brave chrome chrome-extension data edge filesystem jar javascript livescript mhtml moz-extension opera resource',
    'safari-web-extension vbscript view-source vivaldi wyciwyg',
    // Other protocols: the address names a host, or what to fetch.
    'afp cifs dav davs feed file ftp ftps gopher imap irc ircs ldap ldaps magnet nfs nntp pop rdp rlogin rtsp sftp smb ssh telnet tn3270 urn vnc',
    'webcal ws wss',
    // Messages and calls, and what an operating system opens: settings, installers, help, search, maps, stores.
    'callto facetime facetime-audio imessage mailto mms mmsto sip sips sms smsto tel xmpp',
    'app-prefs app-settings apt bingmaps content geo hcp help intent itms itms-apps itms-appss itms-services its macappstore maps market mk',
    'prefs res search shell shortcuts windowsdefender x-help-script x-man-page x-radar',
  ].flatMap((line) => line.split(' ')),
);
/** Families of schemes of operating systems. They open settings, cameras and searches with what the address says. */
const systemSchemes =
  /^(?:x-apple|com\.apple|ms|search-ms|microsoft|windows|com\.microsoft\.(?:3dviewer|builder3d|print3d|windows)|android|com\.android)[^a-z\d]/;

/** @returns what is wrong with it, which continues a sentence, or null */
export function redirectUriProblem(text: string): string | null {
  if (text.length > charsMax) return `is longer than ${charsMax} characters`;
  if (!plain.test(text) || !URL.canParse(text)) return 'is not a URI';
  const url = new URL(text);
  if (text.includes('#')) return 'has a fragment';
  if (url.username !== '' || url.password !== '') return 'has a user name or password';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:') return isLoopback(url) ? null : 'is http, which is accepted for 127.0.0.1, [::1] and localhost only';
  if (systemSchemes.test(url.protocol)) return `has the scheme ${url.protocol}, which belongs to an operating system`;
  // Windows takes a single letter for a drive.
  const isApps = url.protocol.length > 2 && !handledSchemes.has(url.protocol.slice(0, -1));
  return isApps ? null : `has the scheme ${url.protocol}, which is not one of an app`;
}

/** Compares the texts; a program on this computer may listen on any port (RFC 8252, 7.3). Returns whether the code may go there. */
export function redirectMatches(registered: string, requested: string): boolean {
  // Clients that registered with an earlier release may have an address that this one refuses.
  if (redirectUriProblem(requested) !== null) return false;
  if (registered === requested) return true;
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
