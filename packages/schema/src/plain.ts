/** A process that needs only these (the renderer) starts without loading the schema libraries. */
export { BadPicture } from './values/bad-picture.js';
export { chimeNames, type ChimeName } from './values/chime-names.js';
export { parseColor } from './values/color.js';
export { ApiError } from './base/error.js';
export { firstInk, hasInk } from './values/ink.js';
export { isObject } from './base/is-object.js';
export { pictureSize } from './values/picture-format.js';
export { foreignFormat, pictureFormat, type PictureFormat } from './values/picture-format.js';
export { limits } from './base/limits.js';
export { isEmailAddress, nameProblem, robotName, serialProblem } from './base/plain-text.js';
export * from './base/plain-text.js';
export * from './robots/robot-labels.js';
export * from './api/key-scope.js';
export * from './values/robot-settings.js';
export * from './values/robot-update.js';
export { withoutTerminalSequences } from './base/plain-text.js';
export { StartRefused } from './base/start-refused.js';
