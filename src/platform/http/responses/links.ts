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

  /** The address of the service; empty where the public address is not known. */
  get root(): string {
    return this.base.slice(0, -'/v1'.length);
  }

  get docs(): string {
    return `${this.root}/docs`;
  }

  /** The path of the service as callers see it, `/` or the prefix that a proxy strips, as `/shop/`. */
  get rootPath(): string {
    return new URL(`${this.root}/`, 'http://any').pathname;
  }

  /** The path of the documentation as callers see it. */
  get docsPath(): string {
    return `${this.rootPath}docs`;
  }

  /** The link from an error to its explanation, for the header `Link`. */
  help(code: string): string {
    return `<${this.docs}/errors#${code}>; rel="help"`;
  }
}
