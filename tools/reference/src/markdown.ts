export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** A document of paragraphs; the first is its title. */
export function page(title: string, ...paragraphs: readonly (string | null)[]): string {
  return `${[`# ${title}`, ...paragraphs.filter((paragraph) => paragraph !== null)].join('\n\n')}\n`;
}
