/** Form of the id of an uploaded picture. Check it before using a text in a key name: another text could name a different key. */
export const pictureIdPattern = /^p-[0-9a-hjkmnp-tv-z]{20}$/;

export function isPictureId(text: string): boolean {
  return pictureIdPattern.test(text);
}
