import type { LoggerService } from '@nestjs/common';
import { pino, stdTimeFunctions, type Logger as PinoLogger, type LoggerOptions } from 'pino';
import { build as pretty } from 'pino-pretty';
import { redactApiKeys } from '../common/redact.js';
import type { LogLevel } from '../config/settings.js';

/**
 * The process's log: one JSON object a line, readable lines on a terminal. Whatever looks like a key is
 * taken out of every text, wherever it came from.
 */
export function createLogger(level: LogLevel, destination: NodeJS.WriteStream & { fd: number }): PinoLogger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serializeError },
    hooks: {
      streamWrite: redactApiKeys,
    },
  };
  const { fd } = destination;
  if (destination.isTTY)
    return pino(options, pretty({ destination: fd, sync: true, translateTime: 'SYS:HH:MM:ss' }));
  return pino(options, pino.destination({ fd, sync: true }));
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return { name, message, code, stack, ...(cause instanceof Error ? { cause: serializeError(cause) } : {}) };
}

/** Nest tells of every module and route at each start; that is for debugging. */
const FRAMEWORK_CONTEXTS = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Lets Nest and the service's classes write to the same log. A call takes `(fields, message)` or `(message)`. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: PinoLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(FRAMEWORK_CONTEXTS.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  // Nest puts the context last; an Error's stack may stand before it.
  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal',
    first: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const fields: Record<string, unknown> = typeof context === 'string' ? { context } : {};
    const [second] = rest.slice(0, -1);
    if (first instanceof Error) {
      this.pino[level]({ ...fields, err: first }, first.message);
    } else if (typeof first === 'object' && first !== null) {
      this.pino[level]({ ...fields, ...first }, typeof second === 'string' ? second : '');
    } else {
      this.pino[level](second === undefined ? fields : { ...fields, detail: second }, String(first));
    }
  }
}
