import { IconPicker } from '../pickers/icon-picker.js';
import { LanguagePicker } from '../pickers/language-picker.js';
import type { NumberShape, Shape } from './schema-fields.js';
import { useControl } from './argument.js';
import { useSuggestions } from './suggestions.js';

interface ControlProps {
  path: string;
  help: string;
  /** Shown while the field is empty. */
  example: string;
  value: string;
  onChange(value: string): void;
}

interface TextProps extends ControlProps {
  shape: Extract<Shape, { kind: 'text' }>;
  long: boolean;
}

export function TextControl({ path, help, example, value, shape: { charsMax, picker }, long, onChange }: TextProps) {
  const control = useControl(path, help);
  const suggestions = useSuggestions(path, value);
  const chars = [...value].length;
  return (
    <>
      {long ? (
        <textarea
          {...control}
          className="field-input"
          rows={1}
          placeholder={example}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      ) : picker !== undefined ? (
        <div className="picked-control">
          <input
            {...control}
            className="field-input"
            placeholder={example}
            value={value}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
          />
          {picker === 'icon' ? (
            <IconPicker name={path} chosen={value} onChoose={onChange} />
          ) : (
            <LanguagePicker name={path} chosen={value} onChoose={onChange} />
          )}
        </div>
      ) : (
        <input
          {...control}
          className="field-input"
          placeholder={example}
          value={value}
          autoComplete="off"
          list={suggestions.length === 0 ? undefined : `${control.id}-list`}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {suggestions.length > 0 && (
        <datalist id={`${control.id}-list`}>
          {suggestions.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </datalist>
      )}
      {charsMax !== null && chars > charsMax * 0.75 && (
        <p className="field-hint" data-over={chars > charsMax || undefined}>
          {chars} of {charsMax} characters
        </p>
      )}
    </>
  );
}

export function JsonControl({ path, help, example, value, onChange }: ControlProps) {
  return (
    <textarea
      {...useControl(path, help)}
      className="field-input code-input"
      rows={4}
      spellCheck={false}
      autoCapitalize="off"
      placeholder={example}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** Number input, with a slider if the range is bounded and at most 1000 wide. */
export function NumberControl({
  path,
  help,
  name,
  value,
  shape,
  fallback,
  onChange,
}: Omit<ControlProps, 'example'> & { name: string; shape: NumberShape; fallback: string }) {
  const { min, max, whole } = shape;
  const slides = min !== null && max !== null && max - min <= 1000;
  return (
    <div className="number-control">
      <input
        {...useControl(path, help)}
        className="field-input"
        inputMode={whole ? 'numeric' : 'decimal'}
        autoComplete="off"
        placeholder={fallback}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {slides && (
        <input
          type="range"
          aria-label={`${name}, slider`}
          min={min}
          max={max}
          step={whole || max - min > 10 ? 1 : 0.01}
          value={sliderValue(value, fallback, min)}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  );
}

function sliderValue(value: string, fallback: string, min: number): number {
  const shown = Number((value.trim() || fallback || String(Math.max(0, min))).replace(',', '.'));
  return Number.isFinite(shown) ? shown : min;
}

export function FlagControl({
  path,
  help,
  name,
  value,
  onChange,
}: {
  path: string;
  help: string;
  name: string;
  value: boolean;
  onChange(value: boolean): void;
}) {
  return (
    <label className="flag-control">
      <input type="checkbox" {...useControl(path, help)} checked={value} onChange={({ target }) => onChange(target.checked)} />
      <code>{name}</code>
    </label>
  );
}

export function ChoiceControl({
  options,
  chosen,
  onToggle,
}: {
  options: readonly string[];
  chosen: readonly string[];
  onToggle(option: string): void;
}) {
  return (
    <div className="chips">
      {options.map((option) => (
        <button key={option} type="button" className="chip" aria-pressed={chosen.includes(option)} onClick={() => onToggle(option)}>
          {option}
        </button>
      ))}
    </div>
  );
}
