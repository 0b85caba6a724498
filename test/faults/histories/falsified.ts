import type { AnimalOperation, Result } from './animal-model.js';

/**
 * Wrong copies of a right history. In each, one known result is another one, or a change of the name is missing although a later result
 * shows it. Every change of the name has its own.
 */
export function falsified(history: readonly AnimalOperation[]): AnimalOperation[][] {
  const wrong: AnimalOperation[][] = [];
  for (const [at, operation] of history.entries()) {
    const { input, result } = operation;
    if (result === undefined) continue;
    wrong.push(history.with(at, { ...operation, result: another(result) }));
    const others = history.toSpliced(at, 1);
    const name = input.do === 'update' && 'animal' in result ? input.changes.name : undefined;
    if (name !== undefined && others.some(({ result: shown }) => shows(shown, name))) wrong.push(others);
  }
  return wrong;
}

function shows(result: Result | undefined, name: string): boolean {
  return result !== undefined && JSON.stringify(result).includes(`"name":${JSON.stringify(name)}`);
}

/** A result that no operation of this history has in any order. */
function another(result: Result): Result {
  if ('error' in result) return { error: 'internal_error' };
  if ('animal' in result) return { animal: { ...result.animal, name: '!' } };
  if ('animals' in result) return { animals: [...result.animals, { name: '!', status: 'sold' }] };
  if ('orders' in result) return { orders: { ...result.orders, '!': 'placed' } };
  return { error: 'internal_error' };
}
