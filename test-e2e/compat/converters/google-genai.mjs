/** Google's own SDK with the official client, as Gemini CLI and others use it. */
export const about = {
  name: 'Google Gen AI SDK',
  versions: [{ '@google/genai': '2.32.0', '@modelcontextprotocol/sdk': '1.32.2' }],
  converts: { 'Google Gen AI SDK, mcpToTool': 'gemini' },
};

export async function convert({ url, key, provider }) {
  const { GoogleGenAI, mcpToTool } = await import('@google/genai');
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
  const ai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: provider } });
  await ai.models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hi', config: { tools: [mcpToTool(client)] } });
}
