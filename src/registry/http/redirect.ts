import { isExposed, isLoopback, readWebAddress } from '../../core/text/web-address.ts';
import { RegistryError } from '../registry-error.ts';

/**
 * The target of a redirect from `url`. Throws a `bad-redirect` RegistryError if it has another origin, because
 * requests for one server must not reach another. With `mayLeave`, it may have one that lists may name as well: nobody can change the
 * response on its way.
 */
export function redirectTarget(
  url: URL,
  location: string | null,
  where: string,
  mayLeave = false,
): URL {
  const target = location === null ? null : URL.parse(location, url.href);
  if (!target) throw badRedirect(`${where} redirects without a usable location`);
  if (target.username !== '' || target.password !== '') {
    throw badRedirect(`${where} redirects to an address with user info`);
  }
  const isElsewhere = target.origin !== url.origin || target.protocol !== url.protocol;
  if (isElsewhere && !(mayLeave && isSafe(target, url))) {
    const to = /^https?:$/.test(target.protocol) ? target.origin : target.protocol;
    throw badRedirect(`${where} redirects to ${to}, which is another origin`);
  }
  return target;
}

export function badRedirect(message: string): RegistryError {
  const hint = 'use the final address of the registry, without redirects';
  return new RegistryError('bad-redirect', message, { hint });
}

/** Whether a machine may contact `target` after `url`. Only a server on the machine itself may lead to another one there. */
function isSafe(target: URL, url: URL): boolean {
  if (target.protocol !== 'https:') return !isExposed(target, []) && isLoopback(url.hostname);
  return (
    readWebAddress(target.href).ok && (isLoopback(url.hostname) || !isLoopback(target.hostname))
  );
}
