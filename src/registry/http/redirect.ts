import { RegistryError } from '../registry-error.ts';

/**
 * The target of a redirect from `url`. Throws a `bad-redirect` RegistryError if it has another origin, because
 * requests for one server must not reach another.
 */
export function redirectTarget(url: URL, location: string | null, where: string): URL {
  const target = location === null ? null : URL.parse(location, url.href);
  if (!target) throw badRedirect(`${where} redirects without a usable location`);
  if (target.username !== '' || target.password !== '') {
    throw badRedirect(`${where} redirects to an address with user info`);
  }
  if (target.origin !== url.origin || target.protocol !== url.protocol) {
    const to = /^https?:$/.test(target.protocol) ? target.origin : target.protocol;
    throw badRedirect(`${where} redirects to ${to}, which is another origin`);
  }
  return target;
}

export function badRedirect(message: string): RegistryError {
  const hint = 'use the final address of the registry, without redirects';
  return new RegistryError('bad-redirect', message, { hint });
}
