/** What the main thread gives the worker to start with. */
export interface WorkerStart {
  /** Absolute. */
  dir: string;
  /** As the operator wrote it, for messages. */
  dataDir: string;
}

/** What the worker tells the main thread; an error's stack and class do not cross over, its meaning does. */
export type WorkerMessage =
  { kind: 'ready' } | { kind: 'in-use' } | { kind: 'failed'; message: string; cause?: unknown };

/** What the main thread asks of the worker. */
export interface WorkerRequest {
  kind: 'close';
  graceMs: number;
}
