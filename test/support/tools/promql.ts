import { parser } from '@prometheus-io/lezer-promql';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** A metric in a query, with the labels that select or group it. */
export interface Use {
  metric: string;
  labels: string[];
  /** The values that the query requires of labels. */
  equal: Record<string, string>;
}

/** Parses a PromQL query with Prometheus' grammar. @throws Error if it is not PromQL */
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

/** The labels that a query groups by. */
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
  // A label of an enclosing grouping must be a label of the metric too.
  for (let node = selector.parent; node; node = node.parent) {
    const grouping = node.getChild('AggregateModifier')?.getChild('GroupingLabels');
    if (grouping) labels.push(...namesIn(grouping, query));
  }
  return { metric: metric ? textOf(metric) : '', labels, equal };
}

function namesIn(grouping: SyntaxNode, query: string): string[] {
  return grouping.getChildren('LabelName').map(({ from, to }) => query.slice(from, to));
}
