interface Node {
  scan(cursor: string, count: 'COUNT', many: number, of: 'TYPE', type: string): Promise<[string, string[]]>;
  get(key: string): Promise<unknown>;
  hgetall(key: string): Promise<unknown>;
  lrange(key: string, from: number, to: number): Promise<unknown>;
  smembers(key: string): Promise<unknown>;
  zrange(key: string, from: string, to: string): Promise<unknown>;
  xrange(key: string, from: string, to: string): Promise<unknown>;
}

/** Reads a value of each type with commands that the user `perch` may call. */
const readers: Record<string, (node: Node, key: string) => Promise<unknown>> = {
  string: (node, key) => node.get(key),
  hash: (node, key) => node.hgetall(key),
  list: (node, key) => node.lrange(key, 0, -1),
  set: (node, key) => node.smembers(key),
  zset: (node, key) => node.zrange(key, '0', '-1'),
  stream: (node, key) => node.xrange(key, '-', '+'),
};

/**
 * Returns each key of the whole database with one of the texts in its name or value, whatever the case, but for marks of durable writes, which expire
 * within a second. @param commands of ioredis, or a Cluster
 */
export async function redisMentions(commands: Node | { nodes(role: 'master'): Node[] }, texts: readonly string[]): Promise<string[]> {
  const mentions: string[] = [];
  for (const node of 'nodes' in commands ? commands.nodes('master') : [commands]) {
    for (const [type, read] of Object.entries(readers)) {
      const keys = new Set<string>();
      let cursor = '0';
      do {
        const [next, page] = await node.scan(cursor, 'COUNT', 1000, 'TYPE', type);
        for (const key of page) if (!key.endsWith(':synced')) keys.add(key);
        cursor = next;
      } while (cursor !== '0');
      for (const key of keys) {
        const content = `${key}\n${JSON.stringify(await read(node, key))}`.toLowerCase();
        const found = texts.find((text) => content.includes(text.toLowerCase()));
        if (found !== undefined) mentions.push(`${key} mentions ${found}`);
      }
    }
  }
  return mentions.toSorted();
}
