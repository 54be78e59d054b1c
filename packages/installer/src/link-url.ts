/** The address to which a robot connects, from what its owner gives. */

const linkPath = '/robot/v1/link';

export type LinkUrl = { url: string; problem: null } | { url: null; problem: 'scheme' | 'loopback' };

/** Takes `ws(s)://HOST:PORT`, with or without a path, as `npm start -- --lan` prints it. `loopback`: a robot does not reach this machine by that name. */
export function linkUrlOf(text: string): LinkUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^wss?:$/.test(url.protocol)) return { url: null, problem: 'scheme' };
  if (/^(?:localhost|127\..*|\[::1\])$/.test(url.hostname)) return { url: null, problem: 'loopback' };
  return { url: new URL(linkPath, url).href, problem: null };
}

/** Whether the address names the service by an IP address: the robot keeps it when the service gets another one, and follows a name alone. */
export function hasIpAddress(text: string): boolean {
  return URL.canParse(text) && /^(?:\[.*\]|\d+(?:\.\d+){3})$/.test(new URL(text).hostname);
}
