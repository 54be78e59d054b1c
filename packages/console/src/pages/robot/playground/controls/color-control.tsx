import { useControl } from './argument.js';
import { colorHex } from './color-hex.js';

interface Props {
  path: string;
  help: string;
  name: string;
  value: string;
  names: readonly string[];
  onChange(value: string): void;
}

export function ColorControl({ path, help, name, value, names, onChange }: Props) {
  return (
    <div className="color-control">
      <input
        {...useControl(path, help)}
        className="field-input"
        autoComplete="off"
        spellCheck={false}
        placeholder="#rrggbb"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <ColorWell label={`${name}, picker`} value={value} onChange={onChange} />
      <span className="swatches">
        {names.map((each) => (
          <button
            key={each}
            type="button"
            className="swatch"
            aria-label={`${name} ${each}`}
            aria-pressed={value === each}
            onClick={() => onChange(value === each ? '' : each)}
          >
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <circle cx="10" cy="10" r="9" fill={colorHex[each] ?? each} />
            </svg>
          </button>
        ))}
      </span>
    </div>
  );
}

export function ColorWell({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  const hex = colorHex[value] ?? value;
  return (
    <input
      type="color"
      className="color-well"
      aria-label={label}
      value={/^#[0-9a-fA-F]{6}$/.test(hex) ? hex.toLowerCase() : '#000000'}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
