/** The service keeps its contracts: the robot link protocol towards robots, the table of error codes towards programs. */
import { errorCodes } from '@perch/schema';
import { answeredWith, callText, violationOf, type Guarantee } from './evidence.js';

const name = 'answers and commands are as documented';

export const contract: Guarantee = {
  name,
  promise: 'The service never violates the robot link protocol, never answers 500, and fails only with documented codes.',
  check({ history }) {
    const complaints = history.complaints.map(({ at, robot, what }) => violationOf(name, `${robot}: ${what}`, { robot, at }));
    const answers = history.calls.flatMap((call) => {
      const answer = answeredWith(call);
      if (answer === null || isDocumented(answer.status, answer.body)) return [];
      return [violationOf(name, callText(call), { robot: call.robot === '' ? null : call.robot, at: call.at, to: call.endedAt ?? call.at })];
    });
    return [...complaints, ...answers];
  },
};

function isDocumented(status: number, body: Readonly<Record<string, unknown>>): boolean {
  if (status === 200) return body['ok'] === true;
  const code = String(body['code']);
  const known = Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes] : null;
  return body['ok'] === false && status !== 500 && known?.status === status;
}
