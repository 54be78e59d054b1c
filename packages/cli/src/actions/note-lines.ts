/** Names of the notes in answers, which are printed as warnings rather than with the result. */
export const noteFields: ReadonlySet<string> = new Set(['truncated', 'missing', 'adjusted']);

interface Noted {
  truncated?: readonly string[];
  missing?: readonly string[];
  adjusted?: readonly string[];
  results?: readonly object[];
}

/** Returns a line for each note on what the person does not see as it was sent. A scene has those of its actions, by position. */
export function noteLines(answer: object): string[] {
  const { truncated = [], missing = [], adjusted = [], results = [] } = answer as Noted;
  return [
    ...(truncated.length === 0 ? [] : [`cut on the screen: ${truncated.join(', ')}`]),
    ...(missing.length === 0 ? [] : [`characters without a font: ${missing.join(' ')}`]),
    ...(adjusted.length === 0 ? [] : [`shown otherwise than sent: ${adjusted.join(', ')}`]),
    ...results.flatMap((result, i) => noteLines(result).map((line) => `actions[${i}]: ${line}`)),
  ];
}
