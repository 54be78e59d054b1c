/** How a drawn picture differs from the texts and colours that were sent. A list without entries is absent. */
export interface PictureNotes {
  /** Arguments whose text was cut, by path as in error messages: `question`, `answers[1]`, `items[0].label`. */
  truncated?: string[];
  /** Characters that no shipped font has: drawn as their code points in boxes, or left out if they are marks. */
  missing?: string[];
  /** Arguments that are drawn otherwise than sent, by path: a colour on a plate, a text with a box for its invisible characters. */
  adjusted?: string[];
}
