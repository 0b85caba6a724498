import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** What a query asks for: a metric, and the labels it selects or groups it by. */
export interface Use {
  metric: string;
  labels: string[];
  /** The values that a label must have, where the query names one. */
  equal: Record<string, string>;
}

/** Reads a PromQL query with Prometheus' own grammar. Throws where it is none. */
export function usesOf(query: string): Use[] {
  const tree = parser.parse(query);
  const uses: Use[] = [];
  tree.iterate({
    enter: ({ name, type, from, node }) => {
      if (type.isError) throw new Error(`not PromQL at character ${from}: ${query}`);
      if (name === 'VectorSelector') uses.push(useOf(node, query));
    },
  });
  return uses;
}

/** The labels that a query groups by; empty where it does not. */
export function groupingOf(query: string): string[] {
  const labels: string[] = [];
  parser.parse(query).iterate({
    enter: ({ name, node }) => {
      if (name === 'GroupingLabels') labels.push(...namesIn(node, query));
    },
  });
  return labels;
}

function useOf(selector: SyntaxNode, query: string): Use {
  const textOf = ({ from, to }: SyntaxNode) => query.slice(from, to);
  const metric = selector.getChild('Identifier');
  const matchers = selector.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const labels: string[] = [];
  const equal: Record<string, string> = {};
  for (const matcher of matchers) {
    const label = textOf(matcher.getChild('LabelName')!);
    labels.push(label);
    const value = textOf(matcher.getChild('StringLiteral')!).slice(1, -1);
    if (matcher.getChild('MatchOp')?.getChild('EqlSingle')) equal[label] = value;
  }
  // Whatever is grouped by around it must be a label of it.
  for (let node = selector.parent; node; node = node.parent) {
    const grouping = node.getChild('AggregateModifier')?.getChild('GroupingLabels');
    if (grouping) labels.push(...namesIn(grouping, query));
  }
  return { metric: metric ? textOf(metric) : '', labels, equal };
}

function namesIn(grouping: SyntaxNode, query: string): string[] {
  return grouping.getChildren('LabelName').map(({ from, to }) => query.slice(from, to));
}
