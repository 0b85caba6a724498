import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { atCleanUp } from '../clean-up.js';
import { listen } from './listen.js';

type Value = { stringValue: string } | { intValue: number };
interface Attribute {
  key: string;
  value: Value;
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number };
}
interface OtlpBatch {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'other';
  durationMs: number;
  failed: boolean;
  attributes: Record<string, string | number>;
}

const KINDS = ['other', 'internal', 'server', 'client'] as const;
const FAILED = 2;

/** A collector that receives traces over OTLP in JSON and stores them. */
export class Collector {
  readonly spans: Span[] = [];
  /** The bodies of all batches, as text. */
  received = '';
  /** The headers and the resource of the last batch. */
  headers: IncomingHttpHeaders = {};
  resource: Record<string, string | number> = {};
  /** The status of its responses; undefined: it takes batches and never answers. */
  status: number | undefined = 200;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server, await listen(server));
    atCleanUp(() => collector.close());
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        const status = request.url === '/v1/traces' ? collector.status : 404;
        if (status === undefined) return;
        if (status === 200) collector.take(body, request.headers);
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    return collector;
  }

  /** The spans of the request with this id; undefined until its server span has arrived. */
  ofRequest(requestId: string): { own: Span; children: Span[] } | undefined {
    const own = this.spans.find(({ attributes }) => attributes['animal_store.request_id'] === requestId);
    return own && { own, children: this.spans.filter(({ parentSpanId }) => parentSpanId === own.spanId) };
  }

  /** May be called again: `cleanUp` calls it too. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private take(body: string, headers: IncomingHttpHeaders): void {
    this.received += body;
    this.headers = headers;
    for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpBatch).resourceSpans) {
      this.resource = attributesOf(resource.attributes);
      this.spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(readSpan)));
    }
  }
}

function readSpan(span: OtlpSpan): Span {
  const { traceId, spanId, parentSpanId, name, kind, attributes, status } = span;
  const nanoseconds = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
  return {
    traceId,
    spanId,
    parentSpanId: parentSpanId === '' ? undefined : parentSpanId,
    name,
    kind: KINDS[kind] ?? 'other',
    durationMs: Number(nanoseconds) / 1e6,
    failed: status.code === FAILED,
    attributes: attributesOf(attributes),
  };
}

function attributesOf(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0] as string | number]),
  );
}
