const ends: (() => unknown)[] = [];

/** Makes `cleanUp` of service.ts end something that this test file starts. It may have ended before. */
export function atCleanUp(end: () => unknown): void {
  ends.push(end);
}

/** Ends everything that is registered, the last first. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
