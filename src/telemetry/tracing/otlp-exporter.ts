import type { Logger } from '@nestjs/common';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/**
 * Sends JSON to `<endpoint>/v1/traces`. Headers, certificates, timeout and compression come from OTEL_EXPORTER_OTLP_*.
 * Logs once when the collector stops accepting traces and once when it accepts them again.
 */
export class LoggingExporter implements SpanExporter {
  private readonly exporter: OTLPTraceExporter;
  private isAvailable = true;

  constructor(
    endpoint: string,
    private readonly logger: Logger,
  ) {
    const url = new URL(endpoint);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
    this.exporter = new OTLPTraceExporter({ url: url.href });
    // The origin only: the rest of the URL may hold a password or a token.
    logger.log({ collector: url.origin }, 'sending traces');
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.logChange(result);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private logChange({ code, error }: ExportResult): void {
    const succeeded = code === ExportResultCode.SUCCESS;
    if (!succeeded && this.isAvailable) this.logger.warn({ err: error }, 'traces cannot be sent');
    if (succeeded && !this.isAvailable) this.logger.log('traces are sent again');
    this.isAvailable = succeeded;
  }
}
