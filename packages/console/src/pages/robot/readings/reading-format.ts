import { timeOfDay } from '../time-of-day.js';

export interface FormattedReading {
  label: string;
  /** With its unit. */
  text: string;
}

/** Units by the suffix of a reading's name; `of` distinguishes readings with otherwise equal labels. */
const units: Readonly<Record<string, { unit: string; digits: number; of?: string }>> = {
  pct: { unit: ' %', digits: 0 },
  v: { unit: ' V', digits: 2, of: 'voltage' },
  ma: { unit: ' mA', digits: 0, of: 'current' },
  lux: { unit: ' lx', digits: 0 },
  deg: { unit: '°', digits: 1 },
  c: { unit: ' °C', digits: 1 },
  g: { unit: ' g', digits: 2 },
  dps: { unit: ' °/s', digits: 1 },
  min: { unit: ' min', digits: 0 },
  dbm: { unit: ' dBm', digits: 0 },
  kb: { unit: ' KB', digits: 0 },
  raw: { unit: '', digits: 0 },
};

const abbreviations: Readonly<Record<string, string>> = {
  usb: 'USB',
  wifi: 'Wi-Fi',
  ip: 'IP',
  ssid: 'network',
  rssi: 'signal',
  psram: 'PSRAM',
  utc: 'UTC',
};

export function formatReading(name: string, value: number | boolean | string | null): FormattedReading {
  if (name === 'time_unix_s') return { label: 'Clock', text: typeof value === 'number' ? timeOfDay(value * 1000) : noValue };
  if (name === 'uptime_s') return { label: 'Uptime', text: typeof value === 'number' ? duration(value) : noValue };
  const words = name.split('_');
  const unit = words.length > 1 ? units[words.at(-1)!] : undefined;
  const label = labelOf(unit === undefined ? words : [...words.slice(0, -1), unit.of ?? '']);
  if (value === null) return { label, text: noValue };
  if (typeof value === 'boolean') return { label, text: value ? 'yes' : 'no' };
  if (typeof value === 'string') return { label, text: value };
  const { unit: suffix, digits } = unit ?? { unit: '', digits: 2 };
  return { label, text: `${numberFormat(digits).format(value)}${suffix}` };
}

/** By the maximum number of digits. Kept, because `toLocaleString` makes one at each call. */
const numberFormats = new Map<number, Intl.NumberFormat>();

function numberFormat(digits: number): Intl.NumberFormat {
  const made = numberFormats.get(digits) ?? new Intl.NumberFormat(undefined, { maximumFractionDigits: digits, signDisplay: 'negative' });
  numberFormats.set(digits, made);
  return made;
}

const noValue = 'no value';

function labelOf(words: readonly string[]): string {
  const label = words
    .map((word) => abbreviations[word] ?? word)
    .join(' ')
    .trimEnd();
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function duration(seconds: number): string {
  const [d, h, m] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (d > 0) return `${d} d ${h} h`;
  if (h > 0) return `${h} h ${m} min`;
  return m > 0 ? `${m} min` : `${Math.floor(seconds)} s`;
}
