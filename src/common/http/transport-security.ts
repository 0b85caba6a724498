const ONE_YEAR_SECONDS = 31_536_000;

/**
 * Where callers come by TLS, browsers are told to come no other way (RFC 6797). The service itself speaks plain HTTP: that
 * there is TLS before it is what the public address says.
 */
export function transportSecurity(publicBaseUrl: string | undefined): Record<string, string> {
  if (!publicBaseUrl?.startsWith('https:')) return {};
  return { 'Strict-Transport-Security': `max-age=${String(ONE_YEAR_SECONDS)}` };
}
