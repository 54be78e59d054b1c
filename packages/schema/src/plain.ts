/** A process that needs only these (the renderer) starts without loading the schema libraries. */
export { BadPicture } from './values/bad-picture.js';
export { chimeNames, type ChimeName } from './values/chime-names.js';
export { parseColor } from './values/color.js';
export { ApiError } from './api/error.js';
export { firstInk, hasInk } from './values/ink.js';
export { isObject } from './values/is-object.js';
export { pictureSize } from './values/picture-format.js';
export { foreignFormat, pictureFormat, type PictureFormat } from './values/picture-format.js';
export { limits } from './api/limits.js';
export { isEmailAddress, nameProblem, robotName, serialProblem } from './validation/plain-text.js';
export * from './validation/plain-text.js';
export * from './api/robots/robot-labels.js';
export * from './keys/key-scope.js';
export * from './values/robot-settings.js';
export * from './values/robot-update.js';
export { withoutTerminalSequences } from './validation/plain-text.js';
export { StartRefused } from './internal/start-refused.js';
