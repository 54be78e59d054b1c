interface Node {
  scan(cursor: string, count: 'COUNT', many: number): Promise<[string, string[]]>;
  type(key: string): Promise<string>;
  get(key: string): Promise<unknown>;
  hgetall(key: string): Promise<unknown>;
  lrange(key: string, from: number, to: number): Promise<unknown>;
  smembers(key: string): Promise<unknown>;
  zrange(key: string, from: string, to: string): Promise<unknown>;
  xrange(key: string, from: string, to: string): Promise<unknown>;
}

/** Returns each key of the whole database with one of the texts in its name or value, whatever the case. @param commands of ioredis, or a Cluster */
export async function redisMentions(commands: Node | { nodes(role: 'master'): Node[] }, texts: readonly string[]): Promise<string[]> {
  const mentions: string[] = [];
  for (const node of 'nodes' in commands ? commands.nodes('master') : [commands]) {
    const keys = new Set<string>();
    let cursor = '0';
    do {
      const [next, page] = await node.scan(cursor, 'COUNT', 1000);
      for (const key of page) keys.add(key);
      cursor = next;
    } while (cursor !== '0');
    for (const key of keys) {
      const content = `${key}\n${JSON.stringify(await contentOf(node, key))}`.toLowerCase();
      const found = texts.find((text) => content.includes(text.toLowerCase()));
      if (found !== undefined) mentions.push(`${key} mentions ${found}`);
    }
  }
  return mentions.toSorted();
}

async function contentOf(node: Node, key: string): Promise<unknown> {
  switch (await node.type(key)) {
    case 'string':
      return node.get(key);
    case 'hash':
      return node.hgetall(key);
    case 'list':
      return node.lrange(key, 0, -1);
    case 'set':
      return node.smembers(key);
    case 'zset':
      return node.zrange(key, '0', '-1');
    case 'stream':
      return node.xrange(key, '-', '+');
    default:
      return null;
  }
}
