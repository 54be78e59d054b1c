import { Type } from 'typebox';
import type { Picker } from '../base/argument-form.js';

/** BCP 47 tags such as ja, zh-Hant or de-AT. */
export const langPattern = '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$';

export const LangSchema = Type.String({
  'x-picker': 'language' satisfies Picker,
  pattern: langPattern,
  maxLength: 35,
  description:
    'Language of the texts, BCP 47, such as ja or zh-Hant. Chooses the shapes of Chinese characters; without it, kana mean Japanese and hangul Korean.',
});
