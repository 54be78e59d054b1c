import type { LanAnnouncement } from './lan.js';

export interface Announcement {
  baseUrl: string;
  linkUrl: string;
  gateways: string[];
  links: string[];
  /** URL of the metrics of each instance: gateways, robot-links, renderers, webhooks. */
  metrics: string[];
  redisUrl: string;
  account: string;
  /** E-mail address of the account. */
  email: string;
  apiKey: string;
  robot: string;
  robotName: string;
  robotToken: string;
  /** Signs in once, within an hour. The secret is in the fragment, which browsers do not send to servers. */
  signInUrl: string;
  /** Null: without --lan. */
  lan: (LanAnnouncement & { caFile: string }) | null;
}

export function jsonLine(a: Announcement): string {
  return JSON.stringify({
    base_url: a.baseUrl,
    link_url: a.linkUrl,
    gateways: a.gateways,
    links: a.links,
    metrics: a.metrics,
    redis_url: a.redisUrl,
    account: a.account,
    api_key: a.apiKey,
    robot: a.robot,
    robot_name: a.robotName,
    robot_token: a.robotToken,
    sign_in_url: a.signInUrl,
    ...(a.lan !== null && { robot_url: a.lan.robotUrl, ca_file: a.lan.caFile, ca_url: a.lan.caUrl, fingerprint: a.lan.fingerprint }),
  });
}

/** Its curl command can be pasted into a shell on this machine. @param person whether a simulated person answers; null: the robot is not connected */
export function welcomeText(a: Announcement, person: boolean | null): string {
  return `
Perch is ready. Open its web page, signed in (the URL works once, within an hour):

  ${a.signInUrl}

  base address   ${a.gateways.join('\n                 ')}
  for agents     ${a.baseUrl}/mcp, with the API key (docs/agents.md)
  API key        ${a.apiKey}
  robot          ${a.robotName === a.robot ? a.robot : `${a.robotName} (${a.robot})`}${person === null ? ', not connected: your own client can connect with the token' : ''}
  robot link     ${a.links.join('\n                 ')}
${person === null ? `  robot token    ${a.robotToken}\n` : ''}  account        ${a.account}
  Redis          ${a.redisUrl}

For a shell; the command line, examples and docs read these:

  ${shellLine(a)}

${person === true ? 'Ask a question; the simulated person at the robot taps an answer after about a second:' : 'Try it:'}

  ${person === null ? listCurl(a) : askCurl(a)}

To print another URL that signs you in, or to manage accounts, robots and keys, use another terminal:

  ${perch(a)} account link ${a.email}
  ${perch(a)} --help

Press Ctrl-C to stop.
`;
}

function perch(a: Announcement): string {
  return `PERCH_REDIS_URL='${a.redisUrl}' npm run --silent perch --`;
}

function shellLine(a: Announcement): string {
  const trusted =
    a.lan !== null && a.baseUrl.startsWith('https:')
      ? ` NODE_EXTRA_CA_CERTS='${a.lan.caFile}' SSL_CERT_FILE='${a.lan.caFile}' CURL_CA_BUNDLE='${a.lan.caFile}'`
      : '';
  return `export PERCH_BASE_URL=${a.baseUrl} PERCH_API_KEY=${a.apiKey} PERCH_ROBOT=${a.robot}${trusted}`;
}

function askCurl(a: Announcement): string {
  return `curl -s ${a.baseUrl}/v1/robots/${a.robot}/ask -H 'Authorization: Bearer ${a.apiKey}' -H 'Content-Type: application/json' -d '{"question":"Tea or coffee?","answers":["Tea","Coffee"]}'`;
}

function listCurl(a: Announcement): string {
  return `curl -s ${a.baseUrl}/v1/robots -H 'Authorization: Bearer ${a.apiKey}'`;
}
