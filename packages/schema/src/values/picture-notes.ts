import { Type } from 'typebox';

export const pictureNotesFields = {
  truncated: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Arguments whose text did not fit and was cut with an ellipsis, such as question or answers[1]; absent if there are none.',
    }),
  ),
  missing: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Characters of the shown texts that no font of the service has: they are shown as their code points in boxes, or left out if they are combining marks. Absent if there are none.',
    }),
  ),
  adjusted: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Arguments that are shown otherwise than sent: a colour that is hard to read on its background, shown on a plate; a text in which a box stands for invisible characters, or from which control characters, escape sequences of terminals or piled up marks were removed. Absent if there are none.',
    }),
  ),
};

export const PictureNotesSchema = Type.Object(pictureNotesFields);

/** How a drawn picture differs from the texts and colours that were sent. A list without entries is absent. */
export interface PictureNotes {
  /** Arguments whose text was cut, by path as in error messages: `question`, `answers[1]`, `items[0].label`. */
  truncated?: string[];
  /** Characters that no shipped font has: drawn as their code points in boxes, or left out if they are marks. */
  missing?: string[];
  /** Arguments that are drawn otherwise than sent, by path: a colour on a plate, a text with a box for its invisible characters. */
  adjusted?: string[];
}
