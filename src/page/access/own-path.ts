/** Longer ones are left out: the form for signing in has to contain it. */
const LONGEST = 1024;
/** Only the path and the query of an address count. */
const ANY_ORIGIN = 'http://page.invalid';
const SIGN_IN = '/sign-in';

/**
 * Where a person who signs in goes: `text` if it is a path of the page itself, with its query, else `/` (T214). Browsers read
 * `//host`, `/\host` and, after removing dots, tabs and line ends, other texts as the address of another host.
 */
export function ownPath(text: string | undefined): string {
  if (text === undefined || text.length > LONGEST || !/^\/[!-[\]-~]*$/.test(text)) return '/';
  const { origin, pathname, search } = URL.parse(text, ANY_ORIGIN) ?? new URL(ANY_ORIGIN);
  const isOwn = origin === ANY_ORIGIN && !pathname.startsWith('//');
  return isOwn && pathname !== SIGN_IN ? pathname + search : '/';
}

/** The address of the sign-in that leads to `path` afterwards. */
export function signInLeadingTo(path: string): string {
  const own = ownPath(path);
  return own === '/' ? SIGN_IN : `${SIGN_IN}?to=${encodeURIComponent(own)}`;
}
