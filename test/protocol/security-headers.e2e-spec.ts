import { describe, expect, it } from '@jest/globals';
import { anyKind } from '../support/databases.js';
import { checkAgainstDocument } from '../support/http/document.js';
import { exchangeRaw } from '../support/http/raw.js';
import { sharedService } from '../support/service.js';

const PAGE =
  '/docs /docs/page.js /docs/page.css /docs/swagger-ui.css /docs/swagger-ui-bundle.js /docs/errors'.split(
    ' ',
  );
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// support/http/document.ts has the headers of every response, cors.e2e-spec.ts a public address behind TLS.
describe('security headers', () => {
  const service = sharedService(anyKind);

  it('are those of every response also for malformed HTTP', async () => {
    const [answer] = await exchangeRaw(service.url, 'garbage\r\n\r\n');
    checkAgainstDocument('GET', '/', answer!);
    expect(answer!.headers).not.toHaveProperty('strict-transport-security');
  });

  it('isolate the console, whose scripts insert rules into an empty style element', async () => {
    const { headers } = await service.call({ path: '/console' });
    const hashed = POLICY.replace(
      "style-src 'self'",
      "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    );
    expect(headers['content-security-policy']).toBe(hashed);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it.each(PAGE)('isolate the page: %s', async (path) => {
    const { headers } = await service.call({ path });
    expect(headers['content-security-policy']).toBe(POLICY);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-stability']).toBeUndefined();
    expect(headers['strict-transport-security']).toBeUndefined();
  });
});
