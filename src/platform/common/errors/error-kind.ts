/** What a page and the document say of an error. */
interface ErrorRow {
  /** The HTTP status; the class of it where the thrown exception decides. */
  status: number | '4xx';
  /** When it happens. */
  when: string;
  /** What the caller should do. */
  remedy: string;
  /** A message as a caller sees it. An error that always has the same message has this one. */
  example: string;
}

/** One kind of error: what `ApiError` is thrown with and `@Operation` lists. */
export interface ErrorKind extends ErrorRow {
  code: string;
}

const declared = new Map<string, ErrorKind>();

/**
 * Declares the errors of a feature, by code. Call it in a file `*.errors.ts` beside the feature: the document and docs/errors.md list what
 * these files declare. After a change run `npm run errors`.
 *
 * @throws Error for a code that exists
 */
export function declareErrors<Code extends string>(
  rows: Readonly<Record<Code, ErrorRow>>,
): Readonly<Record<Code, ErrorKind>> {
  const kinds = Object.entries<ErrorRow>(rows).map(([code, row]) => ({ code, ...row }));
  for (const kind of kinds) {
    if (declared.has(kind.code)) throw new Error(`the error ${kind.code} is declared twice`);
    declared.set(kind.code, kind);
  }
  return Object.fromEntries(kinds.map((kind) => [kind.code, kind])) as Record<Code, ErrorKind>;
}

/** Every error that a response can carry, by status and code. Closed within a release. */
export function declaredErrors(): ErrorKind[] {
  return [...declared.values()].sort((one, other) =>
    `${String(one.status)} ${one.code}` < `${String(other.status)} ${other.code}` ? -1 : 1,
  );
}
