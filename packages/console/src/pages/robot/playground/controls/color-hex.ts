/** Named colours as the robot shows them; a copy, because the page imports only types from the schema. A test compares the two. */
export const colorHex: Readonly<Record<string, string>> = {
  red: '#ff3b30',
  orange: '#ff9500',
  yellow: '#ffcc00',
  green: '#34c759',
  cyan: '#32d7e6',
  blue: '#2f80ff',
  purple: '#af52de',
  pink: '#ff5fa2',
  white: '#ffffff',
};
