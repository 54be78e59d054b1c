import { Argument, controlId, ArgumentError } from './argument.js';
import { ChoiceControl, FlagControl, JsonControl, NumberControl, TextControl } from './controls.js';
import { ColorControl, ColorWell } from './color-control.js';
import { type Draft, type Drafts, type PickedPicture, textOf } from '../draft/draft.js';
import { ListControl } from './list-control.js';
import { HearButton } from '../pickers/hear-button.js';
import { PictureControl } from './picture-control.js';
import type { Region } from '../regions/region.js';
import { RegionEditor } from '../regions/region-editor.js';
import type { Field, Shape } from './schema-fields.js';

interface Props {
  field: Field;
  path: string;
  value: Draft;
  draft: Drafts;
  onChange(value: Draft): void;
}

export function FieldControl({ field, path, value, draft, onChange }: Props) {
  const { name, required, help, fallback, example, shape } = field;
  const head = { path, name, required, help };
  const text = { path, help, name, example, value: textOf(value), onChange };
  switch (shape.kind) {
    case 'flag':
      return (
        <div className="argument">
          <FlagControl path={path} help={help} name={name} value={value === true} onChange={(on) => onChange(on || undefined)} />
          <ArgumentError path={path} />
          <p id={`${controlId(path)}-help`} className="field-hint">
            {help}
          </p>
        </div>
      );
    case 'text':
      return (
        <Argument {...head}>
          <TextControl {...text} shape={shape} long={shape.charsMax === null && path === name} />
        </Argument>
      );
    case 'number':
      return (
        <Argument {...head}>
          <NumberControl {...text} shape={shape} fallback={fallback} />
        </Argument>
      );
    case 'json':
      return (
        <Argument {...head}>
          <JsonControl {...text} />
        </Argument>
      );
    case 'color':
      return (
        <Argument {...head}>
          <ColorControl {...text} names={shape.names} />
        </Argument>
      );
    case 'picture':
      return (
        <Argument {...head}>
          <PictureControl path={path} help={help} value={value as PickedPicture | string | undefined} onChange={onChange} />
        </Argument>
      );
    case 'choice':
      return (
        <Argument {...head} group>
          <ChoiceControl options={shape.options} chosen={[textOf(value)]} onToggle={(option) => onChange(option === value ? undefined : option)} />
          {shape.isHeard && <HearButton chime={textOf(value)} />}
        </Argument>
      );
    case 'choices':
      return (
        <Argument {...head} group>
          <ChoiceControl options={shape.options} chosen={listed(value)} onToggle={(option) => onChange(toggled(listed(value), option))} />
        </Argument>
      );
    case 'list':
      return (
        <Argument {...head} group>
          <ListControl
            shape={shape}
            path={path}
            name={name}
            required={required}
            value={value as Draft[] | undefined}
            renderEntry={(at, each, change) => <Entry shape={shape.item} path={at} value={each} onChange={change} />}
            onChange={onChange}
          />
        </Argument>
      );
    case 'regions':
      return (
        <Argument {...head} group>
          <RegionEditor
            path={path}
            max={shape.max}
            pointsMax={shape.pointsMax}
            value={(value as Region[] | undefined) ?? []}
            picture={draft['image']}
            onChange={onChange}
          />
        </Argument>
      );
    case 'object':
      return (
        <Argument {...head} group>
          <ObjectControl fields={shape.fields} path={path} value={(value as Drafts | undefined) ?? {}} onChange={onChange} />
        </Argument>
      );
  }
}

/** Fields of an object, with `label` first. */
export function ObjectControl({
  fields,
  path,
  value,
  onChange,
}: {
  fields: readonly Field[];
  path: string;
  value: Drafts;
  onChange(value: Drafts): void;
}) {
  const inOrder = [...fields].sort((a, b) => Number(b.name === 'label') - Number(a.name === 'label'));
  return (
    <div className="object-control">
      {inOrder.map((field) => (
        <FieldControl
          key={field.name}
          field={field}
          path={`${path}.${field.name}`}
          value={value[field.name]}
          draft={value}
          onChange={(next) => onChange({ ...value, [field.name]: next })}
        />
      ))}
    </div>
  );
}

function Entry({ shape, path, value, onChange }: { shape: Shape; path: string; value: Draft; onChange(value: Draft): void }) {
  switch (shape.kind) {
    case 'text':
      return (
        <div className="argument">
          <label className="sr-only" htmlFor={controlId(path)}>
            {path}
          </label>
          <TextControl path={path} help="" example="" value={textOf(value)} shape={shape} long={false} onChange={onChange} />
          <ArgumentError path={path} />
        </div>
      );
    case 'color':
      return <ColorWell label={path} value={textOf(value)} onChange={onChange} />;
    case 'object':
      return (
        <div id={controlId(path)} className="argument" role="group" aria-label={path} tabIndex={-1}>
          <ObjectControl
            fields={path.endsWith('[0]') ? shape.fields : withoutHelp(shape.fields)}
            path={path}
            value={(value as Drafts | undefined) ?? {}}
            onChange={onChange}
          />
          <ArgumentError path={path} />
        </div>
      );
    default:
      return (
        <FieldControl
          field={{ name: path, required: false, help: '', fallback: '', example: '', group: null, shape }}
          path={path}
          value={value}
          draft={{}}
          onChange={onChange}
        />
      );
  }
}

/** Omits descriptions that the first entry shows already. */
function withoutHelp(fields: readonly Field[]): Field[] {
  return fields.map((field) => ({ ...field, help: '' }));
}

function listed(value: Draft): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function toggled(chosen: readonly string[], option: string): string[] | undefined {
  const next = chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option];
  return next.length === 0 ? undefined : next;
}
