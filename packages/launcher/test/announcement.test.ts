import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { jsonLine, welcomeText, type Announcement } from '../src/announcement.js';

const announcement: Announcement = {
  baseUrl: 'http://127.0.0.1:8080',
  linkUrl: 'ws://127.0.0.1:8081/robot/v1/link',
  gateways: ['http://127.0.0.1:8080', 'http://127.0.0.1:4000'],
  links: ['ws://127.0.0.1:8081/robot/v1/link'],
  metrics: ['http://127.0.0.1:5000/metrics', 'http://127.0.0.1:5001/metrics'],
  redisUrl: 'redis://127.0.0.1:6379',
  account: 'a-0123456789',
  email: 'demo@localhost',
  apiKey: 'pk_secret',
  robot: 'r-0123456789',
  robotName: 'Desk',
  robotToken: 'rt_secret',
  signInUrl: 'http://127.0.0.1:8080/#sign-in=pl_secret',
  lan: null,
};

describe('the announcement of npm start', () => {
  it('prints one line of JSON with exactly these keys for --json', () => {
    const line = jsonLine(announcement);
    assert.ok(!line.includes('\n'));
    assert.deepEqual(JSON.parse(line), {
      base_url: 'http://127.0.0.1:8080',
      link_url: 'ws://127.0.0.1:8081/robot/v1/link',
      gateways: ['http://127.0.0.1:8080', 'http://127.0.0.1:4000'],
      links: ['ws://127.0.0.1:8081/robot/v1/link'],
      metrics: ['http://127.0.0.1:5000/metrics', 'http://127.0.0.1:5001/metrics'],
      redis_url: 'redis://127.0.0.1:6379',
      account: 'a-0123456789',
      api_key: 'pk_secret',
      robot: 'r-0123456789',
      robot_name: 'Desk',
      robot_token: 'rt_secret',
      sign_in_url: 'http://127.0.0.1:8080/#sign-in=pl_secret',
    });
  });

  it('prints address, key, robot and a curl command, and the robot token only if the demo robot is not connected', () => {
    const text = welcomeText(announcement, true);
    for (const part of [
      'http://127.0.0.1:8080',
      'http://127.0.0.1:8080/mcp, ',
      'pk_secret',
      'Desk (r-0123456789)',
      'curl ',
      'http://127.0.0.1:8080/#sign-in=pl_secret',
    ])
      assert.ok(text.includes(part), part);
    assert.ok(!text.includes('rt_secret'));
    assert.ok(welcomeText(announcement, null).includes('rt_secret'));
  });

  it('prints the line for a shell that docs and examples begin with', async () => {
    const line = '\n  export PERCH_BASE_URL=http://127.0.0.1:8080 PERCH_API_KEY=pk_secret PERCH_ROBOT=r-0123456789\n';
    assert.ok(welcomeText(announcement, true).includes(line));
    for (const page of ['README.md', 'docs/programs.md', 'docs/shell.md', 'docs/clients/curl.md', 'examples/README.md'])
      assert.match(
        await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8'),
        /^export PERCH_BASE_URL=http:\/\/127\.0\.0\.1:8080 PERCH_API_KEY=pk_\.\.\. PERCH_ROBOT=r-\.\.\.$/m,
        page,
      );
  });

  it('prints the command that prints another URL that signs in', () => {
    const command = "PERCH_REDIS_URL='redis://127.0.0.1:6379' npm run --silent perch -- account link demo@localhost";
    assert.ok(welcomeText(announcement, true).includes(`\n  ${command}\n`));
  });

  it('prints only the id of a robot without a name', () => {
    const text = welcomeText({ ...announcement, robotName: 'r-0123456789' }, true);
    assert.match(text, /^ {2}robot {10}r-0123456789$/m);
  });
});
