/** The scenes of the gallery: every kind of scene, in scripts, colours and lengths, by the name of their sheet. */
import {
  bubbleScene,
  cardScene,
  fittedScene,
  menuScene,
  ownScreenScene,
  pictureScene,
  questionScene,
  type CardArgs,
  type MenuItem,
  type QuestionArgs,
  type Scene,
} from '@perch/screen';
import { emotions } from '@perch/screen/own-screen';
import { samples } from './scripts.js';

const long = 'The quick brown fox jumps over the lazy dog and then goes on to explain, at length, why it did so. '.repeat(12);
const colors = ['red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink', 'white'];

const ask = (question: string, answers: string[], icons?: string[]): Scene =>
  questionScene({ question, answers, ...(icons === undefined ? {} : { icons }) }).scene;
const askPage = (question: string, answers: string[], page: number): Scene => questionScene({ question, answers, page }).scene;
const greyPage = (question: string, answers: string[], page: number, more: Partial<QuestionArgs> = {}): Scene =>
  questionScene({ question, answers, page, whole: true, grey: true, ...more }).scene;
const exact = (question: string, more: Partial<QuestionArgs> = {}): Scene =>
  questionScene({ question, answers: ['Allow', 'Deny'], deny: 1, whole: true, ...more }).scene;
const approval = (question: string, answers: string[], more: Partial<QuestionArgs>): Scene =>
  questionScene({ question, answers, whole: true, ...more }).scene;
const menu = (title: string, items: MenuItem[]): Scene =>
  menuScene(
    { title, items },
    items.map(() => null),
  ).scene;
const pictured = (count: number, labels: readonly string[]): Scene =>
  menuScene(
    { title: labels.length > 0 ? 'Where to?' : '', items: Array.from({ length: count }, (_, i) => ({ id: `${i}`, label: labels[i] ?? '' })) },
    Array.from({ length: count }, (_, i) => ['photo', 'dot', 'tall'][i % 3] ?? null),
  ).scene;
const markdown = (text: string, more: CardArgs = {}): Scene => cardScene({ text, format: 'markdown', ...more });

const scripts = (half: 0 | 1): typeof samples => samples.slice(half * 13, half * 13 + 13);

const own = { view: 'face', emotion: 'neutral', bubble: null, readings: { battery_pct: 81, charging: true, light_lux: 240.25, wifi_rssi_dbm: -61 } };

export const sheets: Readonly<Record<string, Scene[]>> = {
  faces: [
    ...emotions.map((emotion) => ownScreenScene({ ...own, emotion })),
    ...emotions.map((emotion) => ownScreenScene({ ...own, emotion, bubble: 'Good morning!' })),
    ownScreenScene({ ...own, bubble: 'The quick brown fox jumps over the lazy dog and then goes home to have some tea' }),
    ownScreenScene({
      ...own,
      bubble: '早上好，今天天气很好，我们去公园散步吧。早上好，今天天气很好，我们去公园散步吧。早上好，今天天气很好，我们去公园散步吧。',
    }),
    ownScreenScene({ ...own, bubble: 'صباح الخير، كيف حالك اليوم؟' }),
    ownScreenScene({ ...own, view: 'readings' }),
  ],
  cards: [
    cardScene({ text: 'Hi' }),
    cardScene({ text: '17:45' }),
    cardScene({ title: 'Good morning', text: 'Time to stand up!', note: 'next: 10:30 stand-up' }),
    cardScene({ title: 'Build', text: '42 %', progress: 0.42, note: 'main · 3 min left' }),
    cardScene({ progress: 0.7 }),
    cardScene({ progress: 0 }),
    cardScene({ title: 'Downloading', progress: 0.02 }),
    cardScene({ title: 'Finished', progress: 1, color: 'green' }),
    cardScene({ title: 'Only a title' }),
    cardScene({ note: 'Only a note' }),
    cardScene({ title: 'A title', note: 'and a note' }),
    cardScene({ text: 'Line one\nLine two\n\nLine four' }),
    cardScene({ text: 'Left\nand a longer line', align: 'left', title: 'Aligned', note: 'at the left' }),
    cardScene({ text: 'Right\nand a longer line', align: 'right', title: 'Aligned', note: 'at the right' }),
    cardScene({ text: 'CPU   12 %\nMem    3 GB\nDisk  81 %', mono: true, title: 'server-1' }),
    cardScene({ text: '┌────┬───┐\n│ a  │ 1 │\n│ bc │22 │\n└────┴───┘', mono: true }),
  ],
  colors: [
    ...colors.map((color) => cardScene({ title: color, text: 'Text', note: 'on dark blue', color, progress: 0.6 })),
    ...['white', 'yellow', '#808080', 'pink'].map((background) =>
      cardScene({ title: `on ${background}`, text: 'Text', note: 'a note', background, progress: 0.5 }),
    ),
    cardScene({ title: 'red on red', text: 'Plate', color: 'red', background: 'red', progress: 0.5 }),
    cardScene({ title: 'blue on blue', text: 'A longer text on a plate', color: 'blue', background: '#0000aa' }),
    cardScene({ icon: 'bell', text: 'Plate', color: 'yellow', background: 'white' }),
  ],
  lengths: [
    ...[1, 3, 8, 20, 40, 80, 200, 1000].map((length) => cardScene({ text: long.slice(0, length) })),
    cardScene({ title: long, text: long, note: long, progress: 1 }),
    cardScene({ text: 'Donaudampfschifffahrtsgesellschaftskapitän' }),
    cardScene({ text: 'x'.repeat(300) }),
    cardScene({ text: 'https://example.com/a/long/path?with=arguments&and=more_of_them#there' }),
    cardScene({ text: 'Call +49 30 901820 before 2026-11-23, at -5 °C or below' }),
    ask(long, ['OK', 'Cancel']),
    ask('Long answers', [long, long, long, long]),
    menu(long, [long, long, long]),
  ],
  'scripts-1': scripts(0).map(({ name, greeting, question, lang }) =>
    cardScene({ title: name, text: greeting, note: question, ...(lang === undefined ? {} : { lang }) }),
  ),
  'scripts-2': scripts(1).map(({ name, greeting, question, lang }) =>
    cardScene({ title: name, text: greeting, note: question, ...(lang === undefined ? {} : { lang }) }),
  ),
  'questions-in-scripts-1': scripts(0).map(
    ({ question, answers, lang }) => questionScene({ question, answers, ...(lang === undefined ? {} : { lang }) }).scene,
  ),
  'questions-in-scripts-2': scripts(1).map(
    ({ question, answers, lang }) => questionScene({ question, answers, ...(lang === undefined ? {} : { lang }) }).scene,
  ),
  symbols: [
    cardScene({ text: '👩‍👩‍👧‍👦 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 👍🏽', title: 'Emoji 🎉', note: '🦜 perch' }),
    cardScene({ text: '❤️‍🔥 ❤️‍🩹 🏳️‍🌈 ⛓️‍💥 ☝🏽 ✌🏽' }),
    cardScene({ title: '→ ★ ✓ ♪ ½ ⌘', text: 'a ≤ b ≠ ∞ ☐ ● ▶', note: '₂ ⅓ ℃ ‐ ‡ ↑' }),
    cardScene({ text: 'Ꭳ ᠮ', title: 'Not in any font' }),
    cardScene({ text: 'Za\u0334l\u0337\u0301go', title: 'é ậ e\u0301 a\u0323\u0302' }),
    cardScene({ text: 'kcatta \u202ekcatta', title: 'No reversed letters' }),
    cardScene({ text: 'שלום (English) עולם 123', title: 'Both directions' }),
    cardScene({ text: '直骨角', title: 'zh', lang: 'zh' }),
    cardScene({ text: '直骨角', title: 'zh-Hant', lang: 'zh-Hant' }),
    cardScene({ text: '直骨角', title: 'ja', lang: 'ja' }),
    cardScene({ text: '직骨角', title: 'ko', lang: 'ko' }),
    cardScene({ text: '📦' }),
  ],
  questions: [
    ask('Ready?', ['Yes', 'No']),
    ask('Shall I book the meeting room for this afternoon?', ['Yes, please', 'Not now']),
    ask('Continue?', ['Yes, and do not ask me again', 'No, take me back to the start']),
    ask('Which one do you like the most of all the ones we have seen?', ['Red', 'Green', 'Blue']),
    ask('How was it?', ['😀', '😐', '😞']),
    ask('What shall we do?', ['Play a game', 'Listen to music', 'Something else entirely']),
    ask('Pick a drink', ['Coffee', 'Tea', 'Water', 'Orange juice']),
    ask('Which?', ['A', 'B', 'C', 'D']),
    ask('Has the package arrived? 📦', ['✅ Yes', '❌ No']),
    ask('Deploy to production?', ['Deploy', 'Cancel'], ['rocket', 'x']),
    ask('Shall I book the meeting room for this afternoon?', ['Book', 'Not now'], ['calendar-check', 'x']),
    ask('Continue?', ['Yes, and do not ask me again', 'No, take me back to the start'], ['check', 'undo-2']),
    ask('Which one?', ['Mail', 'Call', 'Chat'], ['mail', 'phone', 'message-circle']),
    ask('Which one do you like the most of all the ones we have seen?', ['Red', 'Green', 'Blue'], ['heart', 'leaf', 'droplet']),
    ask('What shall we do?', ['Play a game', 'Listen to music', 'Something else entirely'], ['gamepad-2', 'headphones', '']),
    ask('Pick a drink', ['Coffee', 'Tea', 'Water', 'Orange juice'], ['coffee', 'leaf', 'glass-water', 'citrus']),
  ],
  'question-pages': [
    ...[0, 1, 2].map((page) => askPage(long.slice(0, 300), ['Yes', 'No'], page)),
    askPage(long.slice(0, 300), ['Send it now and tell everybody', 'Wait until tomorrow morning'], 1),
    askPage(long.slice(0, 300), ['Red', 'Green', 'Blue'], 1),
    askPage(long.slice(0, 300), ['Coffee', 'Tea', 'Water', 'Orange juice'], 9),
    askPage('Ready?', ['Yes', 'No'], 0),
    askPage(long, ['Yes', 'No'], 9),
  ],
  'question-pages-grey': [
    greyPage(long.slice(0, 300).trim(), ['Allow', 'Deny'], 0),
    greyPage(long.slice(0, 300).trim(), ['Allow', 'Deny'], 1, { deny: 1 }),
    greyPage(long.slice(0, 300).trim(), ['Allow', 'Deny'], 2, { grey: false }),
    greyPage(long.slice(0, 300).trim(), ['Allow', 'Deny'], 1, { deny: 1, icons: ['check', 'x'] }),
    greyPage(long.slice(0, 300).trim(), ['👍', '🤔', '👎'], 1, { deny: 2 }),
    greyPage(long.slice(0, 300).trim(), ['✅ Send it now and tell everybody', 'Wait until tomorrow morning'], 1),
    greyPage(long.slice(0, 300).trim(), ['Coffee', 'Tea', 'Water', 'Orange juice'], 1, { deny: 3 }),
    greyPage('السؤال '.repeat(40).trim(), ['نعم', 'لا'], 1, { deny: 1, lang: 'ar' }),
  ],
  'exact-questions': [
    exact('Deploy the web app to production?'),
    exact('Bash: rm -rf /srv/app/releases/2026-11-30/node_modules/.cache/a-long-name/ b'),
    exact('Bash: rm -rf /srv/app/releases/2026-11-30/node_modules/.cache/a-long-name/b'),
    exact('¶ Bash (without the sandbox): npm test↵\nrm -rf ~\n¶ description: "Run all tests of the renderer"'),
    exact(`Bash: ${'x'.repeat(150)}`, { page: 0, grey: true }),
    exact(`Bash: ${'x'.repeat(150)}`, { page: 1 }),
    exact('printf "a  b\tc" >\u00a0d\u3000e '),
    exact('要部署到生产环境吗？这会影响所有用户，而且不能撤销。请确认您已经备份了数据库，并且通知了值班人员。'),
    exact('האם לפרוס עכשיו?\nכן, ' + 'א'.repeat(60), { answers: ['כן', 'לא'] }),
    exact('Which folder?', { answers: ['/srv/app/releases', '/srv/app/ releases', 'a\nb', 'a b'] }),
  ],
  approvals: [true, false].flatMap((grey) => [
    approval('Delete the branch “release”?', ['Allow', 'Deny'], { grey, deny: 1 }),
    approval('git push --force origin main', ['Allow', 'Deny'], { grey, deny: 1, icons: ['check', 'x'] }),
    approval('Open the door?', ['👍', '🤔', '👎'], { grey, deny: 2 }),
    approval('Ship it?', ['No', 'Yes', 'Ask me again tomorrow'], { grey, deny: 0 }),
    approval('Which one may it read?', ['Mail', 'Calendar', 'Files', 'None'], { grey, deny: 3 }),
    approval('Send it?', ['Send it now and tell everybody', 'Wait until tomorrow morning'], { grey, deny: 1 }),
    approval('Without a denial?', ['Yes', 'No'], { grey }),
    approval('هل توافق؟', ['نعم', 'لا'], { grey, deny: 1, lang: 'ar' }),
  ]),
  menus: [
    menu('Choose a game', ['Chess', 'Go']),
    menu('Choose a game', ['Chess', 'Go', 'Checkers']),
    menu('', ['Chess', 'Go', 'Checkers', 'Backgammon']),
    menu('Lunch', ['🍕 Pizza', '🥗 Salad', '🍜 Noodle soup', '🍣 Sushi', '🌮 Tacos']),
    menu('Rooms', ['Kitchen', 'Living room', 'Bathroom', 'Bedroom', 'Garage', 'Garden']),
    menu('', ['☀️', '🌙', '⭐', '🌈', '🔥', '❄️']),
    ...[2, 4, 6].map((count) => pictured(count, ['Beach', 'Mountains and lakes', 'City', 'Home', 'Moon', 'Somewhere else'])),
    pictured(3, []),
    menu('Play', [
      { icon: 'play', label: 'Play' },
      { icon: 'square', label: 'Stop' },
    ]),
    menu('Room', [
      { icon: 'lightbulb', label: 'Light' },
      { icon: 'fan', label: 'Fan' },
      { icon: 'thermometer', label: 'Heating' },
    ]),
    menu('', [{ icon: 'volume-1' }, { icon: 'volume-2' }, { icon: 'volume-x' }, { icon: 'settings' }]),
    menu(
      'Six',
      ['mail', 'phone', 'camera', 'headphones', 'calendar-days', 'settings'].map((icon) => ({ icon, label: icon })),
    ),
    menu('Mixed', [{ icon: 'pizza', label: 'Pizza' }, '🥗 Salad', 'Soup']),
  ],
  icons: [
    cardScene({ icon: 'cloud-sun' }),
    cardScene({ icon: 'cloud-sun', text: '21 °C', note: 'Sunny until six' }),
    cardScene({ icon: 'bell', text: 'Somebody has been at the front door for ten minutes' }),
    cardScene({ icon: 'check', title: 'Build', text: 'Passed', color: 'green' }),
    cardScene({ icon: 'triangle-alert', title: 'Warning', text: 'The disk is almost full', note: 'server-1', progress: 0.93, color: 'orange' }),
    cardScene({ icon: 'battery-charging', progress: 0.6 }),
    cardScene({ icon: 'wifi-off', title: 'No network', note: 'trying again in 10 s' }),
    cardScene({ icon: 'heart', text: '日本語のテキスト', color: 'pink' }),
    cardScene({ icon: 'moon', background: 'white', text: 'Good night' }),
  ],
  figures: [
    cardScene({ qr: 'https://example.com' }),
    cardScene({ qr: 'https://example.com/'.padEnd(331, 'aB3-') }),
    cardScene({ qr: 'WIFI:S:Guests;T:WPA;P:welcome;;', title: 'Guest network', note: 'Scan to connect' }),
    cardScene({ qr: 'https://example.com/'.padEnd(106, 'aB3-'), title: 'Ticket', text: 'Row 7 seat 12', note: 'Show at the door' }),
    cardScene({ qr: 'https://example.com', text: 'Scan me' }),
    cardScene({ qr: 'https://example.com', icon: 'wifi', text: 'Join', background: 'white' }),
    cardScene({ title: 'Requests', text: '1,240', sparkline: [310, 420, 400, 380, 960, 1240, 1100, 1180] }),
    cardScene({ sparkline: Array.from({ length: 60 }, (_, i) => Math.sin(i / 5) * (60 - i)) }),
    cardScene({ title: 'Gaps', sparkline: [1, 2, null, 3, null, 5, 4, 6], note: 'a sensor was away', color: 'green' }),
    cardScene({ title: 'Flat', text: '7.0', sparkline: [7, 7, 7, 7] }),
    cardScene({ icon: 'thermometer', text: '21 °C', sparkline: [18, 18.5, 19, 20, 21, 21], title: 'Office', note: 'today', progress: 0.5 }),
    cardScene({ text: 'Hard to see', sparkline: [1, 5, 2, 4], color: 'yellow', background: 'white' }),
  ],
  countdowns: [
    cardScene({ countdown: { rest: 299 } }),
    cardScene({ title: 'Tea', countdown: { rest: 9 }, note: 'Green, 80 °C' }),
    cardScene({ title: 'Tea', countdown: { rest: 0, done: 'Ready' }, note: 'Green, 80 °C' }),
    cardScene({ title: 'Stand-up', text: 'Room 4, second floor', countdown: { rest: 3723 } }),
    cardScene({ icon: 'timer', countdown: { rest: 1500 }, color: 'orange' }),
    cardScene({ icon: 'coffee', text: 'Break', countdown: { rest: 600 }, title: 'Today', note: 'Back at eleven', progress: 0.7 }),
    cardScene({ countdown: { rest: 59 }, color: 'yellow', background: 'white' }),
    cardScene({ countdown: { rest: 86_400 }, text: 'Launch', mono: true, align: 'right' }),
    cardScene({ countdown: { rest: 0 } }),
    cardScene({ countdown: { rest: 0, done: 'Doors are open now: please go in and take any seat' } }),
  ],
  markdown: [
    markdown('Deploy **done**\n- 12 tests\n- `v1.4.0`'),
    markdown('# Shopping\n1. Milk\n2. Bread\n3. Two kilograms of **very** ripe tomatoes', { title: 'List' }),
    markdown('| Task | Time |\n|---|--:|\n| Build | 42 s |\n| Test | **9 m** |\n| Deploy | 1 m |'),
    markdown('```\nif (ready) {\n  start();\n}\n```'),
    markdown('Run `npm test`, then read\n> the *long* log'),
    markdown('- [x] Wash\n- [ ] Dry\n- Fold\n  - shirts\n  - socks'),
    markdown(`**Long** ${long}`),
    markdown(
      '| Name | A very long description of it | Price |\n|---|---|--:|\n| Tea | From the mountains of the north | 4 € |\n| Coffee | Dark | 3 € |\n| Water | Still | 1 € |\n| Juice | Orange | 3 € |\n| Milk | Oat | 2 € |\n| Rum | None | 9 € |',
    ),
    markdown('- **שלום** עולם\n- מה `code` נשמע?'),
    markdown('- 你好 **世界**\n- 日本語の*長い*文章もここで折り返されます'),
    markdown('**Plate** and `code`\n- list', { color: 'yellow', background: 'white' }),
    markdown('**Scan** the code\n- fast\n- safe', { qr: 'https://example.com', title: 'Tickets' }),
    markdown('Status: **ok**', { icon: 'check', align: 'center', background: 'white', color: 'green' }),
    markdown('🎉 **Done!** 🎉\n\n[Details](https://example.com) &amp; more'),
  ],
  'pictures-and-bubbles': [
    pictureScene('photo'),
    pictureScene('tall', 'white'),
    pictureScene('dot', '#804000'),
    fittedScene('photo', 96, 96),
    bubbleScene('Hi!'),
    bubbleScene('こんにちは、元気ですか?'),
    bubbleScene('A bubble has at most eighty characters, which is about as much as this one has.'),
    bubbleScene('שלום! 👋'),
  ],
};
