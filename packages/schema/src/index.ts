/** The nouns of Perch: actions, errors, limits, events, readings, robots, and the messages of the robot link and between instances. */
export type { Action } from './actions/action.js';
export { emotions, views } from './actions/face.js';
export * from './actions/index.js';
export { ledEffects } from './actions/leds.js';
export { gestures } from './actions/move.js';
export { sceneWaits } from './actions/scene.js';
export { stoppedParts, type StoppedPart } from './actions/stop.js';
export * from './actions/validate-args.js';
export { waitOutcomes } from './actions/wait.js';
export * from './actions-document.js';
export { BadPicture } from './bad-picture.js';
export { chimeNames, type ChimeName } from './chime-names.js';
export * from './color.js';
export * from './color-schema.js';
export type * from './console.js';
export { validateAddKey, validateAddRobot, validatePairingCode, validateRename } from './console-bodies.js';
export * from './console-error.js';
export * from './console-paths.js';
export * from './commands.js';
export * from './error.js';
export * from './event.js';
export { FailureSchema, errorStatuses, type Failure } from './failure.js';
export { idempotencyKeyPattern } from './idempotency-key.js';
export { renderJobFits, toGatewayProblem, toLinkProblem, waitRecordFits, type MessageProblem } from './instance-messages.js';
export * from './limits.js';
export * from './link/index.js';
export * from './messages.js';
export { interfaceVersion, openApiDocument } from './openapi.js';
export { decodePicture } from './picture.js';
export * from './person-text.js';
export * from './plain-text.js';
export { picturePixels } from './picture-pixels.js';
export * from './problem.js';
export * from './readings.js';
export * from './region.js';
export { release } from './release.js';
export * from './robot.js';
export * from './robot-labels.js';
export { StartRefused } from './start-refused.js';
export {
  robotsQueryNames,
  validateConsoleRobotsQuery,
  validateRobotListTool,
  validateRobotsQuery,
  type ConsoleRobotsQuery,
  type RobotsQuery,
} from './robots-query.js';
export * from './tools.js';
export * from './webhook.js';
export { isPublicAddress } from './webhook-url.js';
