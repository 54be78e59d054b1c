export const actionExamples: Readonly<Record<string, readonly (readonly string[])[]>> = {
  show: [
    ['show', '--title', 'Build', '--text', '42 %', '--progress', '0.42'],
    ['show', '--title', 'Tea', '--countdown', '{"seconds":240,"done":"Ready"}'],
    ['show', '--image', 'photo.jpg'],
    ['show', '--clear'],
  ],
  say: [['say', 'Tea is ready!', '--seconds', '3']],
  face: [['face', 'happy']],
  move: [
    ['move', 'nod'],
    ['move', '--yaw', '-20', '--pitch', '30'],
  ],
  leds: [
    ['leds', 'green', '--bar', '0.5'],
    ['leds', '--effect', 'breathe', '--color', 'blue', '--seconds', '5'],
  ],
  sound: [
    ['sound', 'tada'],
    ['sound', '--notes', 'C5:150 E5:150 G5:300', '--bell'],
    ['sound', '--notes', 'Scale:d=8,o=5,b=120:c,d,e,f,g,a,b,2c6', '--cut'],
  ],
  speak: [
    ['speak', 'Your tea is ready.', '--volume', '60'],
    ['speak', 'Der Tee ist fertig.', '--lang', 'de'],
  ],
  ask: [
    ['ask', 'Tea or coffee?', 'Tea', 'Coffee', '--timeout-s', '60'],
    ['ask', 'Ship it?', 'Ship', 'Wait', '--expect', 'Ship', '--deny', 'Wait'],
  ],
  menu: [
    ['menu', 'Pizza', 'Salad', '--title', 'Lunch'],
    ['menu', 'Salad', '{"id":"soup","label":"Soup of the day","image":"@photo.jpg"}'],
  ],
  clickmap: [['clickmap', 'left=rect:0,0,160,240', 'knob=circle:240,60,50', 'roof=polygon:160,120,320,120,240,240', '--image', 'photo.jpg']],
  command: [['command', 'brightness', '--args', '{"pct":40}']],
  state: [['state', '--json']],
  events: [['events', '12', '--names', 'tap,pat', '--seconds', '20']],
  stop: [['stop']],
  scene: [
    ['scene', '{"action":"show","image":"@photo.jpg"}', '{"action":"ask","question":"Lunch?","answers":["Yes","Later"]}'],
    ['scene', '{"action":"sound","chime":"yes","at_ms":0}', '{"action":"move","gesture":"nod","at_ms":0}'],
  ],
};

export function examplesText(name: string): string {
  const calls = (actionExamples[name] ?? []).map((words) => `  $ perch ${words.map(typed).join(' ')}`);
  return `\nExamples:\n${calls.join('\n')}`;
}

/** Returns the value that an example gives the flag, as it is typed in a shell. */
export function exampleOf(flag: string): string | undefined {
  const call = Object.values(actionExamples)
    .flat()
    .find((words) => words.includes(flag));
  return call && typed(call[call.indexOf(flag) + 1]!);
}

function typed(word: string): string {
  return /^[\w=:,./@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
