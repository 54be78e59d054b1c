/** A client of Perch for Node and browsers: `new Perch({ baseUrl, apiKey }).robot(id).ask({ question, answers })`. */
export { cutMelody } from './cut-melody.js';
export { isPerchError, PerchError, type ClientErrorCode, type PerchErrorDetails } from './error.js';
export type { EventGap, FollowOptions } from './event-stream.js';
export { GroupClient, type AnswerOf, type GroupAction, type GroupArguments, type GroupOptions, type GroupResult } from './group-client.js';
export type {
  ActivityFilter,
  ActivityPage,
  BodyReader,
  CallOptions,
  CallReport,
  Fetch,
  FetchInit,
  FetchResponse,
  PerchOptions,
  QuestionOptions,
  RobotFilter,
  RobotsSlice,
} from './options.js';
export { Perch } from './perch.js';
export type { RobotActions } from './robot-actions.generated.js';
export { RobotClient, type PreviewedAction } from './robot-client.js';
export type * from './types.generated.js';
