import type { LoggerService } from '@nestjs/common';
import { pino, type Level, stdTimeFunctions, type Logger as PinoLogger, type LoggerOptions } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import { redactApiKeys } from '../../common/redact.js';
import type { LogLevel } from '../../config/settings.js';
import { logDestination } from './log-destination.js';

const MAX_CAUSES = 5;
/** One line for each line of the log; only errors have more. */
const ON_A_TERMINAL: PrettyOptions = {
  sync: true,
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
  messageFormat: '{msg}{if method} {method} {route} {status}, {durationMs} ms{end}',
  ignore: 'method,route,status,durationMs',
};

/**
 * The process's log: one JSON object per line, or readable text on a terminal. API keys are redacted from every line,
 * because errors may carry text that a caller sent. `nestjs-pino` was considered: its request
 * lines hold the path and the headers, which may hold a key.
 */
export async function createLogger(
  level: LogLevel,
  destination: NodeJS.WriteStream & { fd: number },
): Promise<PinoLogger> {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => serializeError(error) },
    hooks: {
      streamWrite: redactApiKeys,
    },
  };
  const { fd } = destination;
  if (destination.isTTY) {
    const { build: pretty } = await import('pino-pretty');
    return pino(options, pretty({ ...ON_A_TERMINAL, destination: fd }));
  }
  return pino(options, logDestination(destination));
}

function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  const hasCause = cause instanceof Error && depth < MAX_CAUSES;
  return { name, message, code, stack, ...(hasCause ? { cause: serializeError(cause, depth + 1) } : {}) };
}

/** Nest logs every module and route at each start, which helps only when debugging. */
const FRAMEWORK_CONTEXTS = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Lets Nest and the service's classes write to one log. A call takes `(fields, message)` or `(message)`. */
export class NestLogger implements LoggerService {
  readonly error = this.at('error');
  readonly warn = this.at('warn');
  readonly debug = this.at('debug');
  readonly verbose = this.at('trace');
  readonly fatal = this.at('fatal');

  constructor(private readonly pino: PinoLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(FRAMEWORK_CONTEXTS.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  private at(level: Level) {
    return (message: unknown, ...rest: unknown[]): void => this.write(level, message, rest);
  }

  // Nest passes the context last; an Error's stack may come before it.
  private write(level: Level, first: unknown, rest: unknown[]): void {
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
