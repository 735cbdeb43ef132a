import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../src/registry/http/proxy.ts';
import { RegistryError } from '../../src/registries/index.ts';

/** The proxy for an address, with the variable that names it; `direct` for none. */
function proxy(target: string, environment: Readonly<Record<string, string>>): string {
  try {
    const found = proxyFor(new URL(target), environment);
    if (!found) return 'direct';
    const { url, variable, authorization } = found;
    return [variable, url.href, ...(authorization ? [authorization.reveal()] : [])].join(' ');
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return `${error.kind}: ${error.message}; ${error.hint}`;
  }
}

const ALL = { HTTP_PROXY: 'http://plain:1', HTTPS_PROXY: 'http://tls:2' };

describe('[D113] the proxy for', () => {
  it.each([
    ['http://registry.test/x', ALL, 'HTTP_PROXY http://plain:1/'],
    ['https://registry.test/x', ALL, 'HTTPS_PROXY http://tls:2/'],
    ['https://registry.test', { HTTP_PROXY: 'http://plain:1' }, 'direct'],
    ['http://registry.test', { HTTPS_PROXY: 'http://tls:2' }, 'direct'],
    ['http://registry.test', { http_proxy: 'http://low:3', ...ALL }, 'http_proxy http://low:3/'],
    ['http://registry.test', { http_proxy: '', ...ALL }, 'direct'],
    ['https://registry.test', { https_proxy: 'proxy:3128' }, 'https_proxy http://proxy:3128/'],
    ['https://registry.test', { https_proxy: 'https://p' }, 'https_proxy https://p/'],
    [
      'https://a.test',
      { https_proxy: 'http://u:a%40b@p:1' },
      'https_proxy http://p:1/ Basic dTphQGI=',
    ],
    ['https://a.test', { https_proxy: 'http://u@p:1' }, 'https_proxy http://p:1/ Basic dTo='],
    [
      'https://a.test',
      { https_proxy: 'http://u:50%@p:1' },
      'https_proxy http://p:1/ Basic dTo1MCU=',
    ],
    ['https://a.test', { ALL_PROXY: 'http://p:1' }, 'direct'],
    ['https://a.test', {}, 'direct'],
  ])('%s with %o is %s', (target, environment, expected) => {
    expect(proxy(target, environment)).toBe(expected);
  });

  it.each([
    'http://localhost:8080',
    'http://a.localhost',
    'http://127.0.0.1',
    'http://127.9.9.9:1',
    'https://[::1]:8443',
    'http://localhost.',
  ])('%s is none, because it is this machine itself', (target) => {
    expect(proxy(target, ALL)).toBe('direct');
  });

  it.each([
    ['registry.test', 'http://registry.test', true],
    ['registry.test', 'http://a.registry.test', true],
    ['registry.test', 'http://otherregistry.test', false],
    ['.test, b', 'http://registry.test', true],
    ['*.test', 'http://registry.test', true],
    ['*', 'http://registry.test', true],
    ['Registry.TEST.', 'http://REGISTRY.test', true],
    ['registry.test:80', 'http://registry.test', true],
    ['registry.test:80', 'http://registry.test:8080', false],
    ['registry.test:443', 'https://registry.test', true],
    ['a b', 'http://b', true],
    ['', 'http://registry.test', false],
    [',,', 'http://registry.test', false],
    ['10.0.0.0/8', 'http://10.1.2.3', true],
    ['10.0.0.0/8', 'http://11.1.2.3', false],
    ['10.1.2.3', 'http://10.1.2.3:99', true],
    ['1.2.3', 'http://10.1.2.3', false],
    ['10.0.0.0/33', 'http://10.0.0.0', false],
    ['fd00::/8', 'http://[fd12::1]', true],
    ['[fd12::1]:80', 'http://[fd12:0::1]', true],
    ['[fd12::1]:81', 'http://[fd12::1]', false],
    ['fd12::1', 'http://[fd12::1]', true],
  ])('NO_PROXY=%o on %s: exempt %s', (list, target, isExempt) => {
    const isDirect = ['NO_PROXY', 'no_proxy'].map(
      (name) => proxy(target, { ...ALL, [name]: list }) === 'direct',
    );
    expect(isDirect).toEqual([isExempt, isExempt]);
  });

  it.each(['socks5://u:hunter22@p:1', 'http://u:hunter22@', 'ftp://p'])(
    '%s is an error that repeats no password',
    (text) => {
      expect(proxy('http://registry.test', { HTTP_PROXY: text })).toBe(
        'bad-address: the proxy in HTTP_PROXY has no http: or https: address; set HTTP_PROXY to http://host:port or http://user:password@host:port with %2F for / in a password, or to nothing for no proxy',
      );
    },
  );
});
