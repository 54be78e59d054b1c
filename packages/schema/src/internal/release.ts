/** Instances announce it to each other, and MCP clients see it; other programs see `interfaceVersion`. A test compares it with every package.json. */
export const release = '0.11.0';
