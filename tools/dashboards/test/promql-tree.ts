/** With the grammar of Prometheus' own editor. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

export interface ReadExpression {
  errors: number[];
  selectors: Selector[];
  /** Of `by`, `on`, `group_left` and so on. */
  groupings: string[];
  /** Text between the brackets of each range, and the function that it is an argument of. */
  ranges: { window: string; inside: string }[];
}

/** @param expr with windows in place of Grafana's variables */
export function readExpression(expr: string): ReadExpression {
  const read: ReadExpression = { errors: [], selectors: [], groupings: [], ranges: [] };
  const text = (node: { from: number; to: number }): string => expr.slice(node.from, node.to);
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) read.errors.push(node.from);
      if (node.name === 'VectorSelector') {
        const name = node.node.getChild('Identifier');
        const matchers = node.node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
        read.selectors.push({
          metric: name === null ? '' : text(name),
          matchers: matchers.map((matcher) => {
            const [label, operator, value] = [matcher.getChild('LabelName'), matcher.getChild('MatchOp'), matcher.getChild('StringLiteral')];
            return { label: text(label!), operator: text(operator!), value: text(value!).slice(1, -1) };
          }),
        });
      }
      if (node.name === 'GroupingLabels') for (const label of node.node.getChildren('LabelName')) read.groupings.push(text(label));
      if (node.name === 'MatrixSelector') {
        const call = node.node.parent?.parent;
        const name = call?.getChild('FunctionIdentifier');
        read.ranges.push({ window: /\[(.+)\]$/.exec(text(node))?.[1] ?? '', inside: name ? text(name) : '' });
      }
    },
  });
  return read;
}
