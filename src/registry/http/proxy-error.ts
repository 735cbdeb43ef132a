import type { Proxy } from './proxy.ts';

/** A proxy cannot be reached, or makes no tunnel. `code` is that of the system, or the status of its answer. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: string;
  readonly proxy: Proxy;

  constructor(proxy: Proxy, code: string) {
    super(`the proxy ${proxy.url.origin} (${code})`);
    this.proxy = proxy;
    this.code = code;
  }
}
