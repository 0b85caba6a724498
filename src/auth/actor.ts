export const COMMAND = 'command';
export const SERVICE = 'service';

/** Who did something, as events name it: `command`, `service` or the id of a key. */
export type Actor = string;
