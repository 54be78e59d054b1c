import { Type } from 'typebox';
import { oneOf } from '../base/open-object.js';

export const SilencedSchema = Type.Optional(
  oneOf(['quiet_hours'], { description: 'Why nothing was played. quiet_hours: the owner of the robot chose hours in which it makes no sound.' }),
);
