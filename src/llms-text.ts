import type { OpenAPIObject } from '@nestjs/swagger';

type DocumentedOperation = NonNullable<OpenAPIObject['paths'][string]['get']> & Record<string, unknown>;

/** The API for a language model, as llmstxt.org proposes: how to call it, every operation in a line, and where the rest is. `root`: of the pages. */
export function llmsTextOf(document: OpenAPIObject, root: string): string {
  const [server] = document.servers ?? [];
  const tags = (document.tags ?? []).map(({ name, description = '' }) => {
    const lines = operationsOf(document, name);
    return `## ${name}\n\n${description}\n\n${lines.join('\n')}`;
  });
  return `# ${document.info.title}

> ${document.info.description?.split('\n\n', 1)[0] ?? ''}

Base address: ${server?.url ?? ''} (an address that begins with / is on the host of this file). Send \`Authorization: Bearer KEY\` with every request; whoever runs the store issues keys.
A first call: \`curl -H "Authorization: Bearer $KEY" "$API/pets?limit=2"\`, where API is the base address.

- Ids are int64 as JSON numbers: read them with a parser that keeps all digits. JavaScript's \`JSON.parse\` rounds them.
- Send a POST with an \`Idempotency-Key\` of your own, and repeat it with the same one after a lost answer: nothing is done twice. A POST whose answer holds a secret takes none.
- 429 and 503: wait as many seconds as \`Retry-After\` says, then repeat. \`GET /rate-limit\` shows what is left and costs nothing.
- Lists: while \`X-Next-Cursor\` is there, ask again with \`cursor=\` and its value.
- To follow what happens, ask \`GET /events\`, and go on with \`cursor=\` and its \`X-Next-Cursor\`, which unlike that of a list is always there; \`cursor=latest\` begins now.
  An event is \`{"id", "type", "timestamp", "data"}\`, and \`types=pet.created,order.placed\` selects types. An empty page counts
  as a request too: a key of 1,000 a day can ask every 90 seconds. A webhook tells at once.
- Errors are \`{"code", "message", "status"}\`. The message names what was wrong with each field.
- Access is a ladder: read, order, manage, admin. An operation names the least that it takes; \`me\` as a key's id is your own key, which takes none.

${tags.join('\n\n')}

## More

- [OpenAPI 3.1](${root}/openapi.json): every parameter, field, header and error; also [YAML](${root}/openapi.yaml)
- [Get started](${root}/docs/start): each step with curl, in TypeScript and in Python
- [Errors](${root}/docs/errors): every code, when it comes and what to do
- [Questions](${root}/docs/faq), [versioning](${root}/docs/versioning), [changelog](${root}/docs/changelog)
- [TypeScript client](${root}/client.tgz): \`npm install\` takes this address
`;
}

/** A line for each operation of a tag: method and path, name, what it does, the access it takes, the smallest useful body. */
function operationsOf({ paths }: OpenAPIObject, tag: string): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    (Object.entries(item) as [string, DocumentedOperation][])
      .filter(([, { tags }]) => tags?.includes(tag))
      .map(([method, operation]) => {
        const notes = [operation['x-required-access'], operation['x-stability']];
        if (operation['x-every-key-for-itself']) notes.push('every key for itself: me');
        if (operation.deprecated) notes.push('deprecated');
        const called = `${method.toUpperCase()} ${path} (${String(operation.operationId)})`;
        return `- ${called}: ${String(operation.summary)} [${notes.join(', ')}]${bodyOf(operation)}`;
      }),
  );
}

/** The example of the body; nothing where an empty body will do. */
function bodyOf({ requestBody }: DocumentedOperation): string {
  const body = requestBody as { content: Record<string, { example?: object }> } | undefined;
  const example = body?.content['application/json']?.example;
  return example && Object.keys(example).length > 0 ? ` \`${JSON.stringify(example)}\`` : '';
}
