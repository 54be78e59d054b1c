/** What an agent does next, for each error a tool may answer. */
import type { ErrorCode } from '@perch/schema';

const correct = 'Correct the arguments as the error says and call again.';
const later = 'Wait a moment and call again; if it stays so, tell the user.';
const mayBeDone = 'Look with robot_state what the robot shows before you do it again.';

export const nextSteps: Record<ErrorCode, string> = {
  bad_argument: correct,
  malformed_json: correct,
  bad_picture: 'Send a JPEG or PNG in base64, or leave the picture out.',
  card_showing: 'Take the card away with robot_show and "clear": true, or let the question end; then call again.',
  command_not_passed_on: 'Do without: nobody can send this command through the service.',
  unauthorized: 'Ask the user for an API key that works.',
  unknown_robot: 'Call robot_list for the robots of this key, and name one of them.',
  not_found: correct,
  method_not_allowed: correct,
  body_too_large: 'Send a smaller picture.',
  not_json: correct,
  rate_limited: 'Wait as long as it says, then call again, less often.',
  internal: 'Tell the user; the request id finds the cause in the logs of the service.',
  not_offered: 'Do without: this robot cannot do it. robot_state lists the commands it has.',
  robot_offline: 'Tell the user that the robot is away. robot_state tells when it is online again.',
  robot_busy: later,
  busy: 'Wait as long as it says, then call again; send fewer pictures at a time.',
  robot_hardware: 'Tell the user: something at the robot itself failed.',
  no_ack: mayBeDone,
  outcome_unknown: mayBeDone,
  render_failed: later,
  storage_full: later,
  service_unavailable: later,
  draining: 'Call again at once: another instance of the service answers.',
};
