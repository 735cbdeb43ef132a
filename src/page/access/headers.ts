/** What a browser may load and do on behalf of the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  // With `no-referrer`, browsers would send `Origin: null` with the page's own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const YEAR_S = 365 * 24 * 3600;

/** Sets the headers of every response. A response that says nothing of caches is not stored. */
export function setHeaders(headers: Headers, isTls: boolean): void {
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  if (isTls) headers.set('strict-transport-security', `max-age=${YEAR_S}`);
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
}
