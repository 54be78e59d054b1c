/** The folders of this package, from the bottom, and what each holds: ARCHITECTURE.md. */
export * from './base/error.js';
export { isObject } from './base/is-object.js';
export { limits } from './base/limits.js';
export * from './base/open-object.js';
export * from './base/plain-text.js';
export { chimeNames, type ChimeName } from './values/chime-names.js';
export * from './values/color.js';
export * from './values/color-schema.js';
export { countdownEnd, type CountdownArgs } from './values/countdown.js';
export * from './values/features.js';
export { allIcons, iconProblem, isIcon, nearIcons, type Icon } from './values/icon.js';
export { hasInk } from './values/ink.js';
export { pictureFormat, picturePixels, pictureSize } from './values/picture-format.js';
export type { PictureNotes } from './values/picture-notes.js';
export { decodePicture, isPictureId, pictureSource, requirePicture } from './values/picture.js';
export * from './values/region.js';
export * from './values/robot-settings.js';
export * from './values/robot-update.js';
export type { Action } from './definition/action.js';
export { choicesFit, waitOutcomes } from './definition/wait.js';
export * from './robots/event.js';
export * from './robots/excluded-commands.js';
export * from './robots/readings.js';
export * from './robots/robot-labels.js';
export * from './robots/robot.js';
export {
  robotsQueryNames,
  validateConsoleRobotsQuery,
  validateRobotListTool,
  validateRobotsQuery,
  type ConsoleRobotsQuery,
  type RobotsQuery,
} from './robots/robots-query.js';
export { askTimeoutS } from './actions/ask.js';
export { emotions, views } from './actions/face.js';
export * from './actions/index.js';
export { ledEffects } from './actions/leds.js';
export { gestures } from './actions/move.js';
export { sceneWaits } from './actions/scene.js';
export { stoppedParts, type StoppedPart } from './actions/stop.js';
export * from './actions/validate-args.js';
export * from './link/index.js';
export {
  cardCountdownFits,
  renderJobFits,
  toGatewayProblem,
  toLinkProblem,
  waitRecordFits,
  type MessageProblem,
} from './internal/instance-messages.js';
export * from './internal/messages.js';
export { release } from './internal/release.js';
export * from './api/actions-document.js';
export * from './api/activity.js';
export * from './api/commands.js';
export { FailureSchema, errorStatuses, type Failure } from './api/failure.js';
export * from './api/groups.js';
export * from './api/icons-document.js';
export { idempotencyKeyPattern } from './api/idempotency-key.js';
export * from './api/key-scope.js';
export * from './api/key-scopes.js';
export { isPublicAddress, outsideUrl } from './api/outside-url.js';
export { validatePictureUpload } from './api/picture-upload.js';
export * from './api/screen-image.js';
export * from './api/tools.js';
export * from './api/waits.js';
export * from './api/webhook.js';
export { interfaceVersion, openApiDocument } from './openapi/openapi.js';
export type * from './console/api-keys.js';
export type * from './console/authorizations.js';
export {
  validateAddKey,
  validateAddRobot,
  validateAuthorizationQuery,
  validateConsent,
  validatePairingCode,
  validatePermission,
  validateRobotChange,
  validateRollKey,
  validateShareToken,
  type RobotChange,
} from './console/bodies.js';
export type * from './console/console.js';
export * from './console/error.js';
export * from './console/passkeys.js';
export * from './console/paths.js';
export * from './console/sharing.js';
export * from './console/shown.js';
