/** From the served schemas to forms, and from what is typed into them to bodies that the service takes. */
import assert from 'node:assert/strict';
import { actionByName, actions, actionsDocument, colorNames, compounds, limits, validateArgs, validateScene } from '@perch/schema';
import { colorHex } from '../../src/pages/robot/playground/controls/color-hex.js';
import { argsOf, type Drafts, emptyDraft, emptyValue, fitting, PickedPicture } from '../../src/pages/robot/playground/draft/draft.js';
import { nearestField } from '../../src/pages/robot/playground/controls/field-path.js';
import { pictureCharsMax, readPicture } from '../../src/pages/robot/playground/controls/picture-file.js';
import { type Field, fieldsOf, type JsonSchema, type Shape } from '../../src/pages/robot/playground/controls/schema-fields.js';
import { starters } from '../../src/pages/robot/playground/draft/starters.js';
import { toldAt } from '../../src/ui/time/told-at.js';

const fields = Object.fromEntries(actionsDocument().actions.map((each) => [each.name, fieldsOf(each.arguments as JsonSchema)]));

describe('fields from schemas', () => {
  it('makes a field of every argument of every action and compound, and a JSON field only where the schema is open', () => {
    assert.equal(Object.keys(fields).length, 14);
    for (const { name, args } of [...actions, ...compounds]) {
      assert.deepEqual(
        fields[name]!.map((field) => field.name),
        Object.keys(args.properties),
      );
      for (const field of fields[name]!) assert.notEqual(field.help, '', `${name}.${field.name}`);
    }
    const open = Object.values(fields).flatMap((all) => all.filter(({ shape }) => shape.kind === 'json').map(({ name }) => name));
    assert.deepEqual(open, ['args', 'actions']);
  });

  it('knows what is required, and what counts where a field is empty', () => {
    const [text, seconds] = fields['say']!;
    assert.deepEqual([text!.required, text!.fallback], [true, '']);
    assert.deepEqual([seconds!.required, seconds!.fallback], [false, '6']);
  });

  it('knows colours, pictures, lists, regions and choices by their schemas', () => {
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
      ],
    );
  });

  it('says nothing of how to write what is picked here', () => {
    const help = (action: string, name: string): string => fields[action]!.find((field) => field.name === name)!.help;
    assert.equal(help('show', 'background'), 'Default dark blue.');
    assert.match(help('show', 'image'), /4096 pixels a side\.$/);
  });

  it('what no schema of the interface is becomes JSON, not nothing', () => {
    const odd = fieldsOf({ type: 'object', properties: { matrix: { type: 'array', items: { type: 'array' } }, any: {}, list: { type: 'array' } } });
    assert.deepEqual(
      odd.map(({ shape }) => shape.kind),
      ['json', 'json', 'json'],
    );
  });

  it('has the named colours as the robot shows them', () => {
    assert.deepEqual(colorHex, colorNames);
  });
});

describe('bodies from forms', () => {
  const sent = (action: string, draft: Drafts): unknown => {
    const made = argsOf(fields[action]!, { ...emptyDraft(fields[action]!), ...draft });
    assert.ok('args' in made, JSON.stringify(made));
    return made.args;
  };

  it('the examples of every action, typed into its form, are sent as they stand', () => {
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

  it('a form that was not touched sends no argument, but lists with their entries and texts that must be there', () => {
    assert.deepEqual(sent('show', {}), {});
    assert.deepEqual(sent('events', {}), {});
    assert.deepEqual(sent('say', {}), { text: '' });
    assert.deepEqual(sent('ask', {}), { question: '', answers: ['', ''] });
  });

  it('what is emptied again is left out, and entries of a list keep their places', () => {
    assert.deepEqual(sent('show', { text: '', progress: ' ', color: '', clear: false }), {});
    assert.deepEqual(sent('ask', { question: 'Tea?', answers: ['', 'No'] }), { question: 'Tea?', answers: ['', 'No'] });
  });

  it('numbers are read with a comma as well, and what is none is told at its field', () => {
    assert.deepEqual(sent('leds', { bar: '0,5' }), { bar: 0.5 });
    const made = argsOf(fields['say']!, { text: 'hello', seconds: 'soon' });
    assert.ok('problem' in made);
    assert.equal(made.problem.field, 'seconds');
    assert.match(made.problem.message, /soon is not a number/);
  });

  it('JSON that is none is told at its field', () => {
    const made = argsOf(fields['command']!, { command: 'brightness', args: '{"pct": 60' });
    assert.ok('problem' in made);
    assert.equal(made.problem.field, 'args');
  });

  it('a tile with a label alone is that label; a picture goes as base64', () => {
    const picture = new PickedPicture('a.png', 'image/png', 'iVBORw0KGgo=');
    const items = [{ label: 'Soup' }, { id: 'p', label: 'Pizza' }, { image: picture }];
    const body = JSON.parse(JSON.stringify(sent('menu', { items }))) as unknown;
    assert.deepEqual(body, { items: ['Soup', { id: 'p', label: 'Pizza' }, { image: 'iVBORw0KGgo=' }] });
    validateArgs('menu', body);
  });

  it('a new entry of any list is one that can be filled in', () => {
    const lists = Object.values(fields).flatMap((all) => all.filter(({ shape }) => shape.kind === 'list'));
    assert.ok(lists.length >= 3);
    for (const { shape } of lists) assert.notEqual(emptyValue((shape as { item: Shape }).item), undefined);
    assert.deepEqual(sent('leds', { pixels: emptyValue(fields['leds']!.find(({ name }) => name === 'pixels')!.shape) }), {
      pixels: Array.from({ length: limits.leds.count }, () => '#000000'),
    });
  });
});

describe('kept forms', () => {
  const all = fields['menu']!;
  it('what fits is as it was; what does not begins anew', () => {
    const kept = { title: 'x', items: [{ label: 'a' }, { id: 'b' }], timeout_s: '9' };
    assert.deepEqual(fitting(all, kept), kept);
    assert.deepEqual(fitting(all, { title: ['x'], items: [{ label: 'a' }], timeout_s: '9' } as never), {
      title: undefined,
      items: [
        { id: undefined, label: undefined, image: undefined },
        { id: undefined, label: undefined, image: undefined },
      ],
      timeout_s: '9',
    });
    const regions = [{ id: 'a', circle: [1, 2, 3] }] as Drafts[];
    assert.deepEqual(fitting(fields['clickmap']!, { regions } as Drafts)['regions'], regions);
    assert.deepEqual(fitting(fields['clickmap']!, { regions: [{ id: 'a', circle: [1, 2] }] } as never)['regions'], []);
  });

  it('what each form begins with is what its action takes', () => {
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

describe('pictures out of files', () => {
  it('go as base64 of their bytes', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256);
    const picture = await readPicture(new File([bytes], 'a.png', { type: 'image/png' }));
    assert.ok(picture instanceof PickedPicture);
    assert.equal(picture.base64, Buffer.from(bytes).toString('base64'));
    assert.deepEqual([picture.fileName, picture.mediaType], ['a.png', 'image/png']);
  });

  it('are refused beyond what the interface takes, with what to do', async () => {
    assert.equal(pictureCharsMax, limits.pictureBase64Max);
    const most = (pictureCharsMax / 4) * 3;
    assert.ok((await readPicture(new File([new Uint8Array(most)], 'a.png'))) instanceof PickedPicture);
    assert.match((await readPicture(new File([new Uint8Array(most + 1)], 'a.png'))) as string, /1,600,004 characters.*at most 1,600,000/);
    assert.match((await readPicture(new File([], 'a.png'))) as string, /is empty/);
  });
});

describe('where a problem is told', () => {
  const near = (action: string, argument: string, draft: Drafts = {}): string | null => nearestField(fields[action]!, draft, argument);

  it('at the argument itself where it has a field', () => {
    assert.equal(near('say', 'seconds'), 'seconds');
    assert.equal(near('ask', 'answers[1]', { answers: ['a', ''] }), 'answers[1]');
    assert.equal(near('menu', 'items[0].image', { items: [{ label: 'a' }] }), 'items[0].image');
    assert.equal(near('leds', 'pixels[11]', { pixels: Array.from({ length: 12 }, () => '') }), 'pixels[11]');
  });

  it('at what holds it where it has none', () => {
    assert.equal(near('ask', 'answers[3]', { answers: ['a', 'b'] }), 'answers');
    assert.equal(near('command', 'args.pct', { args: '{"pct":"x"}' }), 'args');
    assert.equal(near('events', 'names[0]', { names: ['tap'] }), 'names');
    assert.equal(near('clickmap', 'regions[0].rect[2]', { regions: [{ id: 'a', rect: [0, 0, 0, 9] }] }), 'regions[0]');
  });

  it('without the path that the field has already', () => {
    assert.equal(toldAt('answers[1]', 'answers[1]: at least 1 character'), 'At least 1 character');
    assert.equal(toldAt('args', 'args.pct: at most 100'), 'args.pct: at most 100');
  });

  it('nowhere where the form has no such argument', () => {
    assert.equal(near('say', 'txt'), null);
    assert.equal(near('say', ''), null);
  });
});

/** What a person would have typed for a value. */
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
