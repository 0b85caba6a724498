/** A metric in a query, with the labels that select or group it. */
export interface Use {
  metric: string;
  labels: string[];
  /** The values that the query requires of labels. */
  equal: Record<string, string>;
}

/** A metric with its selector, and the grouping of the aggregation around it. */
const USE = /(?:by \(([\w, ]*)\) \((?:\w+\()?)?\b(\w+)\{([^}]*)\}/g;
const SELECTOR = /(\w+)(=~|!~|!=|=)"[^"]*"/g;

/** The metrics in a PromQL query. Every metric needs a selector. promtool and Prometheus check the syntax. */
export function usesOf(query: string): Use[] {
  return [...query.matchAll(USE)].map(([, grouping = '', metric = '', selectors = '']) => {
    const selected = [...selectors.matchAll(SELECTOR)].map(([, label = '']) => label);
    const equal = [...selectors.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [
      label,
      value,
    ]);
    return {
      metric,
      labels: [...selected, ...namesIn(grouping)],
      equal: Object.fromEntries(equal) as Record<string, string>,
    };
  });
}

/** The labels that a query groups by. */
export function groupingOf(query: string): string[] {
  return [...query.matchAll(/by \(([\w, ]*)\)/g)].flatMap(([, names = '']) => namesIn(names));
}

const namesIn = (names: string) => names.split(', ').filter((name) => name !== '');
