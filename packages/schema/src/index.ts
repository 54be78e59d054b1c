export type { Action } from './actions/definition/action.js';
export { askTimeoutS } from './actions/ask.js';
export { emotions, views } from './actions/face.js';
export * from './actions/index.js';
export { ledEffects } from './actions/leds.js';
export { gestures } from './actions/move.js';
export { sceneWaits } from './actions/scene.js';
export { stoppedParts, type StoppedPart } from './actions/stop.js';
export * from './actions/definition/validate-args.js';
export { choicesFit, waitOutcomes } from './actions/definition/wait.js';
export * from './api/actions-document.js';
export { BadPicture } from './values/bad-picture.js';
export { chimeNames, type ChimeName } from './values/chime-names.js';
export * from './values/color.js';
export * from './values/color-schema.js';
export type * from './console/api-keys.js';
export type * from './console/console.js';
export type * from './console/mail-links.js';
export type * from './console/screens.js';
export * from './console/sharing.js';
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
export type * from './console/authorizations.js';
export * from './console/error.js';
export * from './console/passkeys.js';
export * from './console/paths.js';
export * from './console/shown.js';
export * from './api/commands.js';
export * from './api/excluded-commands.js';
export * from './api/error.js';
export * from './api/event.js';
export { FailureSchema, errorStatuses, type Failure } from './internal/failure.js';
export { idempotencyKeyPattern } from './api/idempotency-key.js';
export {
  cardCountdownFits,
  renderJobFits,
  toGatewayProblem,
  toLinkProblem,
  waitRecordFits,
  type MessageProblem,
} from './internal/instance-messages.js';
export * from './api/icons-document.js';
export * from './keys/key-scope.js';
export * from './keys/key-scopes.js';
export * from './api/limits.js';
export * from './link/index.js';
export * from './internal/messages.js';
export { interfaceVersion, openApiDocument } from './api/openapi/openapi.js';
export { decodePicture, pictureSource, requirePicture } from './values/picture.js';
export * from './validation/plain-text.js';
export * from './validation/plain-text.js';
export { countdownEnd, type CountdownArgs } from './values/countdown.js';
export { hasInk } from './values/ink.js';
export { withoutTerminalSequences } from './validation/plain-text.js';
export { allIcons, iconProblem, isIcon, nearIcons, type Icon } from './values/icon.js';
export { isObject } from './values/is-object.js';
export { pictureFormat } from './values/picture-format.js';
export { isPictureId } from './values/picture.js';
export type { PictureNotes } from './values/picture-notes.js';
export { picturePixels, pictureSize } from './values/picture-format.js';
export * from './validation/open-object.js';
export { validatePictureUpload } from './api/picture-upload.js';
export * from './api/robots/readings.js';
export * from './values/region.js';
export * from './values/robot-settings.js';
export * from './values/robot-update.js';
export { release } from './internal/release.js';
export * from './api/robots/robot.js';
export * from './api/robots/robot-labels.js';
export { StartRefused } from './internal/start-refused.js';
export {
  robotsQueryNames,
  validateConsoleRobotsQuery,
  validateRobotListTool,
  validateRobotsQuery,
  type ConsoleRobotsQuery,
  type RobotsQuery,
} from './api/robots/robots-query.js';
export * from './api/screen-image.js';
export * from './api/groups.js';
export * from './api/tools.js';
export * from './api/waits.js';
export * from './api/activity.js';
export * from './api/activity.js';
export * from './api/webhooks/webhook.js';
export { isPublicAddress, outsideUrl } from './api/outside-url.js';
