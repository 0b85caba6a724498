import type { Logger } from '@nestjs/common';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** Sends to `<endpoint>/v1/traces`, in JSON. Headers, certificates, timeout and compression come from OTEL_EXPORTER_OTLP_*. */
export function createExporter(endpoint: string, logger: Logger): SpanExporter {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  // Not the whole of it: it may hold a password or a token.
  logger.log({ collector: url.origin }, 'sending traces');
  return new ExporterWithVoice(new OTLPTraceExporter({ url: url.href }), logger);
}

/** Says once that the collector does not take traces, and once that it does again. */
class ExporterWithVoice implements SpanExporter {
  private isAway = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: Logger,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.note(result);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  private note({ code, error }: ExportResult): void {
    const failed = code !== ExportResultCode.SUCCESS;
    if (failed && !this.isAway) this.logger.warn({ err: error }, 'traces cannot be sent');
    if (!failed && this.isAway) this.logger.log('traces are sent again');
    this.isAway = failed;
  }
}
