/** llama.cpp's own parser of grammars, in the build of npm's node-llama-cpp. */
export const about = {
  name: 'llama.cpp',
  omitsOptional: true,
  versions: [{ 'node-llama-cpp': '3.22.1', '@node-llama-cpp/linux-x64': '3.22.1' }],
  converts: { 'llama.cpp, LM Studio, Ollama (grammar of each tool)': 'llama.cpp' },
};

export async function convert({ grammars }) {
  const { getLlama } = await import('node-llama-cpp');
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false, logLevel: 'error' });
  const refused = [];
  for (const { name, grammar } of grammars) await llama.createGrammar({ grammar }).catch((error) => refused.push(`${name}: ${error.message}`));
  // Refused by every release, so that a parser that takes everything is noticed.
  const taken = await llama.createGrammar({ grammar: 'root ::= [\\s]\n' }).then(
    () => true,
    () => false,
  );
  await llama.dispose();
  if (taken) refused.push('the parser takes an unknown escape');
  if (refused.length > 0) throw new Error(refused.join('; '));
}
