/** What `npm start` says when everything answers. */

export interface Announcement {
  baseUrl: string;
  linkUrl: string;
  gateways: string[];
  links: string[];
  /** URL of the metrics of each instance: gateways, robot-links, renderers, webhooks. */
  metrics: string[];
  redisUrl: string;
  account: string;
  apiKey: string;
  robot: string;
  /** As its person named it; the id where it has no name. */
  robotName: string;
  robotToken: string;
  /** Signs in to the account at the web page, once, within an hour. The secret stands behind the #, which no server gets to see. */
  signInUrl: string;
}

/** The one line of `--json`, without its line end. */
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
  });
}

/** For a person. The curl works when pasted: into a shell, on this machine, while it runs. @param person whether somebody answers at the robot; null: it is not connected */
export function welcomeText(a: Announcement, person: boolean | null): string {
  return `
Perch is ready. Its page, signed in (the link works once, within an hour):

  ${a.signInUrl}

  base address   ${a.gateways.join('\n                 ')}
  API key        ${a.apiKey}
  robot          ${a.robotName === a.robot ? a.robot : `${a.robotName} (${a.robot})`}${person === null ? ', not connected: yours can connect with the token' : ''}
  robot link     ${a.links.join('\n                 ')}
${person === null ? `  robot token    ${a.robotToken}\n` : ''}  account        ${a.account}
  Redis          ${a.redisUrl}

${person === true ? 'Ask the simulated person at the robot, who taps an answer after about a second:' : 'Try it:'}

  ${person === null ? listCurl(a) : askCurl(a)}

More accounts, robots and keys, from another terminal:

  PERCH_REDIS_URL='${a.redisUrl}' npm run --silent perch -- --help

Ctrl-C ends it.
`;
}

function askCurl(a: Announcement): string {
  return `curl -s ${a.baseUrl}/v1/robots/${a.robot}/ask -H 'Authorization: Bearer ${a.apiKey}' -H 'Content-Type: application/json' -d '{"question":"Tea or coffee?","answers":["Tea","Coffee"]}'`;
}

function listCurl(a: Announcement): string {
  return `curl -s ${a.baseUrl}/v1/robots -H 'Authorization: Bearer ${a.apiKey}'`;
}
