import assert from 'node:assert/strict';
import { actionByName, actions, actionsDocument, colorNames, compounds, limits, validateArgs, validateScene } from '@perch/schema';
import { colorHex } from '../../src/pages/robot/playground/controls/color-hex.js';
import { argsOf, type Drafts, emptyDraft, emptyValue, fitting, PickedPicture } from '../../src/pages/robot/playground/draft/draft.js';
import { nearestField } from '../../src/pages/robot/playground/controls/field-path.js';
import { pictureCharsMax, pictureSideMax, readPicture } from '../../src/pages/robot/playground/controls/picture-file.js';
import { type Field, fieldsOf, type JsonSchema, type Shape } from '../../src/pages/robot/playground/controls/schema-fields.js';
import { starters } from '../../src/pages/robot/playground/draft/starters.js';
import { fieldMessage } from '../../src/ui/field-message.js';

const fields = Object.fromEntries(actionsDocument().actions.map((each) => [each.name, fieldsOf(each.arguments as JsonSchema)]));

describe('fields from schemas', () => {
  it('creates a field for each argument of each action, and a JSON field only for open schemas', () => {
    assert.equal(Object.keys(fields).length, 15);
    for (const { name, args } of [...actions, ...compounds]) {
      assert.deepEqual(
        fields[name]!.map((field) => field.name),
        Object.keys(args.properties),
      );
      for (const field of fields[name]!) assert.notEqual(field.help, '', `${name}.${field.name}`);
    }
    const open = Object.values(fields).flatMap((all) => all.filter(({ shape }) => shape.kind === 'json').map(({ name }) => name));
    assert.deepEqual(open, ['sparkline', 'args', 'actions']);
  });

  it('marks required fields and shows default values', () => {
    const [text, seconds] = fields['say']!;
    assert.deepEqual([text!.required, text!.fallback], [true, '']);
    assert.deepEqual([seconds!.required, seconds!.fallback], [false, '6']);
  });

  it('recognizes colours, pictures, lists, regions and choices by their schemas', () => {
    const shape = (action: string, name: string): Shape => fields[action]!.find((field) => field.name === name)!.shape;
    assert.deepEqual(shape('show', 'color'), { kind: 'color', names: Object.keys(colorNames) });
    assert.deepEqual(shape('show', 'image'), { kind: 'picture' });
    assert.deepEqual(shape('leds', 'speed'), { kind: 'number', min: 0.2, max: 5, whole: false });
    assert.deepEqual(shape('events', 'after'), { kind: 'number', min: 0, max: Number.MAX_SAFE_INTEGER, whole: true });
    assert.equal(shape('events', 'names').kind, 'choices');
    assert.equal(shape('sound', 'chime').kind, 'choice');
    assert.deepEqual(shape('ask', 'answers'), { kind: 'list', item: { kind: 'text', charsMax: null }, min: 2, max: 4 });
    const { regionsMax, pointsMax } = limits.clickmap;
    assert.deepEqual(shape('clickmap', 'regions'), { kind: 'regions', max: regionsMax, pointsMax });
    const items = shape('menu', 'items');
    assert.ok(items.kind === 'list' && items.item.kind === 'object');
    assert.deepEqual(
      items.item.fields.map(({ name, shape: { kind } }) => [name, kind]),
      [
        ['id', 'text'],
        ['label', 'text'],
        ['image', 'picture'],
        ['icon', 'text'],
      ],
    );
  });

  it('omits hints on how to write values that are selected with a control', () => {
    const help = (action: string, name: string): string => fields[action]!.find((field) => field.name === name)!.help;
    assert.equal(help('show', 'background'), 'Default dark blue.');
    assert.match(help('show', 'image'), /or the id of an uploaded one \(POST \/v1\/pictures\)\.$/);
  });

  it('creates a JSON field for an unsupported schema', () => {
    const odd = fieldsOf({ type: 'object', properties: { matrix: { type: 'array', items: { type: 'array' } }, any: {}, list: { type: 'array' } } });
    assert.deepEqual(
      odd.map(({ shape }) => shape.kind),
      ['json', 'json', 'json'],
    );
  });

  it('has the same named colours as the schema', () => {
    assert.deepEqual(colorHex, colorNames);
  });
});

describe('bodies from forms', () => {
  const sent = (action: string, draft: Drafts): unknown => {
    const made = argsOf(fields[action]!, { ...emptyDraft(fields[action]!), ...draft });
    assert.ok('args' in made, JSON.stringify(made));
    return made.args;
  };

  it('sends the examples of each action unchanged when they are entered in its form', () => {
    for (const { name, examples } of actionByName.values()) {
      for (const { args } of examples) {
        const typed = Object.fromEntries(
          fields[name]!.map((field) => [field.name, typedAs(field.shape, (args as Record<string, unknown>)[field.name])]),
        );
        assert.deepEqual(sent(name, typed), args, name);
        validateArgs(name, sent(name, typed));
      }
    }
  });

  it('sends only required texts and lists from an untouched form', () => {
    assert.deepEqual(sent('show', {}), {});
    assert.deepEqual(sent('events', {}), {});
    assert.deepEqual(sent('say', {}), { text: '' });
    assert.deepEqual(sent('ask', {}), { question: '', answers: ['', ''] });
  });

  it('omits cleared fields, and keeps empty entries of a list', () => {
    assert.deepEqual(sent('show', { text: '', progress: ' ', color: '', clear: false }), {});
    assert.deepEqual(sent('ask', { question: 'Tea?', answers: ['', 'No'] }), { question: 'Tea?', answers: ['', 'No'] });
  });

  it('accepts a decimal comma, and reports an invalid number at its field', () => {
    assert.deepEqual(sent('leds', { bar: '0,5' }), { bar: 0.5 });
    const made = argsOf(fields['say']!, { text: 'hello', seconds: 'soon' });
    assert.ok('problems' in made);
    assert.equal(made.problems[0].field, 'seconds');
    assert.match(made.problems[0].message, /soon is not a number/);
  });

  it('reports the errors of all fields at once', () => {
    const made = argsOf(fields['move']!, { yaw: 'left', pitch: 'up' });
    assert.deepEqual('problems' in made && made.problems.map(({ field }) => field).toSorted(), ['pitch', 'yaw']);
  });

  it('reports invalid JSON at its field', () => {
    const made = argsOf(fields['command']!, { command: 'brightness', args: '{"pct": 60' });
    assert.ok('problems' in made);
    assert.equal(made.problems[0].field, 'args');
  });

  it('sends a tile that has only a label as that label, and a picture as base64', () => {
    const picture = new PickedPicture('a.png', 'image/png', 'iVBORw0KGgo=');
    const items = [{ label: 'Soup' }, { id: 'p', label: 'Pizza' }, { image: picture }];
    const body = JSON.parse(JSON.stringify(sent('menu', { items }))) as unknown;
    assert.deepEqual(body, { items: ['Soup', { id: 'p', label: 'Pizza' }, { image: 'iVBORw0KGgo=' }] });
    validateArgs('menu', body);
  });

  it('adds a valid empty entry to each list', () => {
    const lists = Object.values(fields).flatMap((all) => all.filter(({ shape }) => shape.kind === 'list'));
    assert.ok(lists.length >= 3);
    for (const { shape } of lists) assert.notEqual(emptyValue((shape as { item: Shape }).item), undefined);
    assert.deepEqual(sent('leds', { pixels: emptyValue(fields['leds']!.find(({ name }) => name === 'pixels')!.shape) }), {
      pixels: Array.from({ length: limits.leds.count }, () => '#000000'),
    });
  });
});

describe('stored drafts', () => {
  const all = fields['menu']!;
  it('restores fields of a stored draft that match the form, and resets the others', () => {
    const kept = { title: 'x', items: [{ label: 'a' }, { id: 'b' }], timeout_s: '9' };
    assert.deepEqual(fitting(all, kept), { ...kept, detach: undefined, lang: undefined });
    assert.deepEqual(fitting(all, { title: ['x'], items: [{ label: 'a' }], timeout_s: '9' } as never), {
      detach: undefined,
      title: undefined,
      items: [
        { id: undefined, label: undefined, image: undefined, icon: undefined },
        { id: undefined, label: undefined, image: undefined, icon: undefined },
      ],
      lang: undefined,
      timeout_s: '9',
    });
    const regions = [{ id: 'a', circle: [1, 2, 3] }] as Drafts[];
    assert.deepEqual(fitting(fields['clickmap']!, { regions } as Drafts)['regions'], regions);
    assert.deepEqual(fitting(fields['clickmap']!, { regions: [{ id: 'a', circle: [1, 2] }] } as never)['regions'], []);
  });

  it('starts each form with valid arguments of its action', () => {
    for (const { name } of actionByName.values()) {
      const draft = { ...emptyDraft(fields[name]!), ...starters[name] };
      assert.deepEqual(fitting(fields[name]!, draft), draft, name);
      const made = argsOf(fields[name]!, draft);
      assert.ok('args' in made, name);
      validateArgs(name, JSON.parse(JSON.stringify(made.args)));
    }
    const made = argsOf(fields['scene']!, starters['scene']!);
    assert.ok('args' in made);
    validateScene(made.args);
  });
});

describe('pictures from files', () => {
  const page = globalThis as { createImageBitmap?: unknown };
  const { createImageBitmap: before } = page;
  /** As a browser decodes a picture of this width. */
  const decodes = (width: number) => {
    page.createImageBitmap = async () => ({ width, height: 1, close: () => {} });
  };
  afterEach(() => {
    page.createImageBitmap = before;
  });

  it('refuses a file that the browser cannot decode', async () => {
    page.createImageBitmap = () => Promise.reject(new Error('The source image could not be decoded.'));
    const said = await readPicture(new File([new Uint8Array(9)], 'torn.png', { type: 'image/png' }));
    assert.equal(said, 'torn.png cannot be read as a picture. Choose another one, such as a PNG or JPEG.');
  });

  it('reads a picture file as base64', async () => {
    decodes(320);
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
    const picture = await readPicture(new File([bytes], 'a.png', { type: 'image/png' }));
    assert.ok(picture instanceof PickedPicture);
    assert.equal(picture.base64, Buffer.from(bytes).toString('base64'));
    assert.deepEqual([picture.fileName, picture.mediaType], ['a.png', 'image/png']);
  });

  it('rejects a picture file that is too large and cannot be scaled, with advice', async () => {
    assert.equal(pictureCharsMax, limits.pictureBase64Max);
    assert.equal(pictureSideMax, limits.pictureSideMax);
    const most = (pictureCharsMax / 4) * 3;
    decodes(320);
    assert.ok((await readPicture(new File([new Uint8Array(most)], 'a.png', { type: 'image/png' }))) instanceof PickedPicture);
    page.createImageBitmap = before;
    assert.match((await readPicture(new File([new Uint8Array(most + 1)], 'a.png'))) as string, /1,600,004 characters.*maximum is 1,600,000/);
    assert.match((await readPicture(new File([], 'a.png'))) as string, /is empty/);
  });
});

describe('the field that shows an error', () => {
  const near = (action: string, argument: string, draft: Drafts = {}): string | null => nearestField(fields[action]!, draft, argument);

  it('returns the field of the argument itself', () => {
    assert.equal(near('say', 'seconds'), 'seconds');
    assert.equal(near('ask', 'answers[1]', { answers: ['a', ''] }), 'answers[1]');
    assert.equal(near('menu', 'items[0].image', { items: [{ label: 'a' }] }), 'items[0].image');
    assert.equal(near('leds', 'pixels[11]', { pixels: Array.from({ length: 12 }, () => '') }), 'pixels[11]');
  });

  it('returns the containing field if the argument has none', () => {
    assert.equal(near('ask', 'answers[3]', { answers: ['a', 'b'] }), 'answers');
    assert.equal(near('command', 'args.pct', { args: '{"pct":"x"}' }), 'args');
    assert.equal(near('events', 'names[0]', { names: ['tap'] }), 'names');
    assert.equal(near('clickmap', 'regions[0].rect[2]', { regions: [{ id: 'a', rect: [0, 0, 0, 9] }] }), 'regions[0]');
  });

  it('removes the path from a message at the field', () => {
    assert.equal(fieldMessage('answers[1]', 'answers[1]: at least 1 character'), 'At least 1 character');
    assert.equal(fieldMessage('args', 'args.pct: at most 100'), 'args.pct: at most 100');
  });

  it('returns null if the form has no such argument', () => {
    assert.equal(near('say', 'txt'), null);
    assert.equal(near('say', ''), null);
  });
});

function typedAs(shape: Shape, value: unknown): Drafts[string] {
  if (value === undefined) return undefined;
  if (shape.kind === 'number') return String(value as number);
  if (shape.kind === 'json') return JSON.stringify(value);
  if (shape.kind === 'list') return (value as unknown[]).map((entry) => typedAs(shape.item, entry) as string);
  if (shape.kind === 'object') return typeof value === 'string' ? { label: value } : objectAs(shape.fields, value as Record<string, unknown>);
  return value as Drafts[string];
}

function objectAs(all: readonly Field[], value: Record<string, unknown>): Drafts {
  return Object.fromEntries(all.map(({ name, shape }) => [name, typedAs(shape, value[name])]));
}
