/** Why each error happens, and what a program or its author does about it. */
import type { ErrorCode } from '@perch/schema';

/** As the clients retry (packages/client/src/retry.ts). */
export const repeats = {
  changed: 'only after a change; the same call fails again',
  later: 'safe after a pause, of `retry_after_s` if the answer has it: nothing was done',
  keyed: 'safe with the same `Idempotency-Key`, which the clients send by themselves: what was done is not done twice',
  doubtful: 'the same `Idempotency-Key` gets the same answer; a new call may do it a second time',
} as const;

export type Repeat = keyof typeof repeats;

interface Advice {
  cause: string;
  remedy: string;
  repeat: Repeat;
}

export const errorAdvice: Record<ErrorCode, Advice> = {
  bad_argument: {
    cause: 'An argument has the wrong type, is out of its limits, is not known, is missing, or contradicts another one. `field` names it.',
    remedy: "Correct the argument. The action's page and `GET /v1/actions` have every limit.",
    repeat: 'changed',
  },
  malformed_json: {
    cause: 'The body is not JSON: often a quotation mark of the shell, a trailing comma, or a body that was cut off.',
    remedy: 'Send the body as it is built by a JSON library, or with `-d @file` from a shell.',
    repeat: 'changed',
  },
  bad_picture: {
    cause: 'The picture is not a JPEG or PNG, is damaged, has over 4096 pixels a side, or is larger than a call may carry.',
    remedy: 'Scale the picture, or save it as JPEG or PNG. Large pictures can be uploaded once (`POST /v1/pictures`) and named by their id.',
    repeat: 'changed',
  },
  not_whole: {
    cause:
      'The call has `"whole": true`, and the question or an answer would be cut, has a character that no font of the service has, or one that a person cannot see (as a zero-width space in a command).',
    remedy: 'Shorten the text, spread it over pages with `"overflow": "pages"`, or replace or remove the character that the error names.',
    repeat: 'changed',
  },
  image_unreachable: {
    cause:
      'The service could not fetch the picture from its address: no answer, a status other than 200, too many bytes, or an address that is not on the internet.',
    remedy: 'Check the address from outside your network, or send the picture in base64.',
    repeat: 'changed',
  },
  card_showing: {
    cause: 'A speech bubble needs the face, and a card, picture or question covers it.',
    remedy: 'Take the card away with `show` and `"clear": true`, wait for the end of the question, or show the text as a card.',
    repeat: 'changed',
  },
  command_not_passed_on: {
    cause: 'The command belongs to the service, such as those for the screen, sound and the link itself, and is not sent for programs.',
    remedy: "Use the action that does it. The robot's state lists the commands that can be sent.",
    repeat: 'changed',
  },
  unauthorized: {
    cause: 'The request has no `Authorization: Bearer` header, or its API key is unknown, revoked or expired.',
    remedy: 'Create a key on the page Keys, and check that the header arrives: some proxies remove it.',
    repeat: 'changed',
  },
  scope_missing: {
    cause: 'The key may not do this: it was created without the scope (read, act, ask, approve), which the error names.',
    remedy: 'Create a key with the scope, or ask the owner of the robot for one.',
    repeat: 'changed',
  },
  unknown_robot: {
    cause: 'The key has no robot with this id: it belongs to another account, was removed, or the key is for other robots.',
    remedy: 'List the robots of the key with `GET /v1/robots`.',
    repeat: 'changed',
  },
  not_found: {
    cause: 'There is no such path, webhook, delivery, picture, group or wait; some of them expire.',
    remedy: 'Check the path against `GET /v1/openapi.json`. Use an id from a recent answer.',
    repeat: 'changed',
  },
  method_not_allowed: {
    cause: 'The path exists and does not support this method. `Allow` lists those that it supports.',
    remedy: 'Use one of the methods in `Allow`.',
    repeat: 'changed',
  },
  body_too_large: {
    cause: 'The body is larger than 2 MB.',
    remedy: 'Send a smaller picture, its https address, or the id of an uploaded one.',
    repeat: 'changed',
  },
  not_json: {
    cause: 'The request has a body and no `Content-Type: application/json`.',
    remedy: 'Send the header.',
    repeat: 'changed',
  },
  rate_limited: {
    cause: 'The key made more than 10 calls a second for longer than its burst of 30, or held more calls open than it may.',
    remedy: 'Wait for `retry_after_s`. The `RateLimit` header of each answer says how many calls are left.',
    repeat: 'later',
  },
  queue_full: {
    cause: 'The robot has 20 queued cards and questions already.',
    remedy: 'Wait until some have been shown, give entries a shorter `expires_s`, or send without `queue` to replace what shows.',
    repeat: 'later',
  },
  internal: {
    cause: 'A fault of the service. The operator finds the cause in the log by `request_id`.',
    remedy: 'Report the `request_id` to the operator.',
    repeat: 'keyed',
  },
  not_offered: {
    cause: 'This robot cannot do it: it lacks the hardware or the command.',
    remedy: "Read `features` and `commands` in the robot's state, and leave out what it cannot do.",
    repeat: 'changed',
  },
  robot_offline: {
    cause: 'The robot is not connected: switched off, out of its Wi-Fi, or asleep.',
    remedy: 'Wait for its event `connected`, or tell the person to switch it on.',
    repeat: 'later',
  },
  robot_busy: {
    cause: 'The robot has too many commands that it has not confirmed yet.',
    remedy: 'Send fewer calls at a time to one robot.',
    repeat: 'later',
  },
  busy: {
    cause: 'The account has 64 new pictures and sounds, or 64 megapixels of uploads, waiting to be made.',
    remedy: 'Wait for `retry_after_s`. Pictures that were shown before are not made again and do not count.',
    repeat: 'later',
  },
  robot_hardware: {
    cause: 'The robot reports that a part of it failed, such as a servo.',
    remedy: 'Look at the robot. Its other parts keep working.',
    repeat: 'changed',
  },
  no_ack: {
    cause: 'The robot got the command and did not confirm it within its time. It may have done it, and will not do it later.',
    remedy: "Read the robot's state, and decide by what it shows.",
    repeat: 'doubtful',
  },
  outcome_unknown: {
    cause: 'The connection to the robot, or the instance that served it, was lost between sending the command and its confirmation.',
    remedy: "Read the robot's state, and decide by what it shows.",
    repeat: 'doubtful',
  },
  render_failed: {
    cause: 'The picture or sound took too long to make, or no renderer runs.',
    remedy: 'Send it again; if it fails again, simplify it or tell the operator.',
    repeat: 'later',
  },
  speech_failed: {
    cause: 'The speech engine failed, took over 30 s, or the speech would last over 90 s. The robot stays silent.',
    remedy: 'Shorten the text, or show it with `say`.',
    repeat: 'changed',
  },
  storage_full: {
    cause: 'The account stores as much as it may, or the storage of the service is full. The error says which.',
    remedy: 'Delete webhooks or pictures that are not needed, or ask the operator for more.',
    repeat: 'changed',
  },
  service_unavailable: {
    cause:
      'The service does not reach its Redis at the moment, or Redis refuses commands: it is a replica, cannot write to its disk, or lacks a permission. Clients wait and retry.',
    remedy: 'Wait. Operators follow [the runbook](../runbooks/PerchRedisUnreachable.md).',
    repeat: 'later',
  },
  draining: {
    cause: 'The instance that got the call is being stopped, for example by an upgrade.',
    remedy: 'Send the call again at once, on a new connection: another instance answers.',
    repeat: 'later',
  },
};
