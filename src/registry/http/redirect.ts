import { RegistryError } from '../registry-error.ts';

/**
 * Where a redirect from `url` leads. Throws a `bad-redirect` RegistryError unless that is on the same
 * origin: nothing that is meant for one server is told to another.
 */
export function redirectTarget(url: URL, location: string | null, where: string): URL {
  const target = location === null ? null : URL.parse(location, url.href);
  if (!target) throw badRedirect(`${where} redirects without saying where to`);
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
  const hint = 'name the address where the registry itself is';
  return new RegistryError('bad-redirect', message, { hint });
}
