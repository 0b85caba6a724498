/** One operation of a history: `result` is undefined where its outcome is unknown, and it may then have taken effect or not. */
export interface Operation<Input, Result> {
  input: Input;
  result: Result | undefined;
  /** When the caller sent the request and got the response, on one clock. */
  calledAtMs: number;
  returnedAtMs: number;
}

/** What each operation does when it runs alone. */
export interface Model<State, Input, Result> {
  initial: State;
  /** The state after the operation; undefined where it cannot have this result in this state. */
  step: (state: State, input: Input, result: Result | undefined) => State | undefined;
  /** Equal for equal states. */
  keyOf: (state: State) => string;
}

/**
 * Whether some order of the operations explains every result: each takes effect at one moment between its call and its return. An
 * operation without a result takes effect at any moment after its call, or never.
 *
 * A depth-first search (Wing and Gong, Testing and verifying concurrent objects, 1993) that visits each pair of operations done and
 * state once (Lowe, Testing for linearizability, 2017).
 */
export function isLinearizable<State, Input, Result>(
  model: Model<State, Input, Result>,
  history: readonly Operation<Input, Result>[],
): boolean {
  const operations = [...history].sort((one, other) => one.calledAtMs - other.calledAtMs);
  const ends = operations.map(({ result, returnedAtMs }) => (result === undefined ? Infinity : returnedAtMs));
  const known = operations.filter(({ result }) => result !== undefined).length;
  const visited = new Set<string>();
  const isDone = operations.map(() => false);

  const search = (state: State, knownDone: number): boolean => {
    if (knownDone === known) return true;
    const key = `${isDone.map(Number).join('')} ${model.keyOf(state)}`;
    if (visited.has(key)) return false;
    visited.add(key);
    // An operation that was called after another one had returned does not come before it.
    const firstEnd = ends.reduce((first, end, at) => (isDone[at] ? first : Math.min(first, end)), Infinity);
    const attempt = (at: number): boolean => {
      const { input, result } = operations[at]!;
      const next = model.step(state, input, result);
      if (next === undefined) return false;
      isDone[at] = true;
      if (search(next, knownDone + (result === undefined ? 0 : 1))) return true;
      isDone[at] = false;
      return false;
    };
    const candidates = operations.flatMap(({ calledAtMs }, at) =>
      isDone[at] || calledAtMs > firstEnd ? [] : [at],
    );
    const isKnown = (at: number) => operations[at]!.result !== undefined;
    return candidates.filter(isKnown).some(attempt) || candidates.filter((at) => !isKnown(at)).some(attempt);
  };
  return search(model.initial, 0);
}
