import type { ErrorCode } from '@perch/schema';

const correct = 'Correct the arguments as the error says and call again.';
const later = 'Wait a moment and call again; if the error persists, tell the user.';
const mayBeDone = 'Check with robot_state what the robot shows before you repeat the call.';

export const nextSteps: Record<ErrorCode, string> = {
  bad_argument: correct,
  malformed_json: correct,
  not_whole: 'Shorten the text that the error names, or replace or remove the character; without "whole" the text is shown cut.',
  bad_picture: 'Use an https address of a JPEG or PNG, or omit the picture.',
  image_unreachable: 'Use an https address of a JPEG or PNG that is reachable from the internet.',
  card_showing: 'Remove the card with robot_show and "clear": true, or wait until the question ends; then call again.',
  command_not_passed_on: 'Continue without it: this command cannot be sent through the service.',
  unauthorized: 'Ask the user for an API key that works.',
  scope_missing: 'Continue without it, or ask the user for a key with the scope that the error names.',
  unknown_robot: 'Call robot_list to list the robots of this key, and name one of them; if the key may not, ask the user for the id.',
  not_found: 'Use an id from an earlier result of this key; if it has expired, ask the question again.',
  method_not_allowed: correct,
  body_too_large: 'Send a smaller picture.',
  not_json: correct,
  queue_full: 'Call again later, or without queue to replace what shows.',
  rate_limited: 'Wait for retry_after_s, then call again, less often.',
  internal: 'Tell the user; the request id identifies the cause in the logs of the service.',
  not_offered: 'Continue without it: this robot cannot do it. robot_state with "whole": true lists its commands.',
  robot_offline: 'Tell the user that the robot is offline. robot_state shows when it is online again.',
  robot_busy: later,
  busy: 'Wait for retry_after_s, then call again; send fewer pictures at a time.',
  robot_hardware: 'Tell the user: the hardware of the robot failed.',
  no_ack: mayBeDone,
  outcome_unknown: mayBeDone,
  render_failed: later,
  speech_failed: 'Call again once; if it fails again, show the text with robot_say.',
  storage_full: later,
  service_unavailable: later,
  draining: 'Call again at once: another instance of the service will answer.',
};
