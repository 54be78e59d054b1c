import { ChooseButton, type Offer } from './choose-button.js';

/** Languages with texts for screens and voices; any other is typed. */
const tags =
  'ar bg ca cs da de de-AT de-CH el en-GB en-US es es-MX et fa fi fr fr-CA he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv th tr uk vi zh-Hans zh-Hant'.split(
    ' ',
  );

export function LanguagePicker({ name, chosen, onChoose }: { name: string; chosen: string; onChoose(tag: string): void }) {
  return <ChooseButton label={`Choose ${name}`} title="Languages" chosen={chosen} find={matching} onChoose={onChoose} />;
}

let named: readonly Offer[] | undefined;

/** Also by the name that its speakers use. */
function matching(typed: string): Offer[] {
  named ??= tags.map((id) => ({ id, label: `${nameOf(id, 'en')} · ${nameOf(id, id)} · ${id}` }));
  return named.filter(({ label }) => label.toLowerCase().includes(typed));
}

function nameOf(tag: string, language: string): string {
  return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag;
}
