/** Links to the service itself: absolute where the public address is known, else path-absolute. */
export class Links {
  private readonly base: string;

  constructor(publicBaseUrl: string | undefined) {
    this.base = publicBaseUrl ?? '/v1';
  }

  /** Path and query below the version, as in `/pets/7`. */
  to(pathAndQuery: string): string {
    return `${this.base}${pathAndQuery}`;
  }

  get docs(): string {
    return `${this.base.slice(0, -'/v1'.length)}/docs`;
  }

  /** The path of the documentation as callers see it, also below a prefix that a proxy strips. */
  get docsPath(): string {
    return new URL(this.docs, 'http://any').pathname;
  }

  /** The link from an error to its explanation, for the header `Link`. */
  help(code: string): string {
    return `<${this.docs}/errors#${code}>; rel="help"`;
  }
}
