/** Domains below which many people have a registry with a host of their own, and which are not in the Public Suffix List. */
const SHARED: ReadonlySet<string> = new Set([
  'amazonaws.com',
  'amazonaws.com.cn',
  'azurecr.cn',
  'azurecr.io',
  'azurecr.us',
  'ghe.com',
  'jfrog.io',
  'tencentcloudcr.com',
]);

/**
 * Whether the operator of one host runs the other: it is the same one, or both are in one domain that somebody registered. By the Public
 * Suffix List, nobody registered `co.uk`, and somebody `dlr.de`.
 */
export async function isSameSite(one: URL, other: URL): Promise<boolean> {
  if (one.hostname === other.hostname) return true;
  // Few registries name another host as their token server, and the list is large.
  const { getDomain } = await import('tldts');
  const [domain, otherDomain] = [one, other].map(({ hostname }) =>
    getDomain(hostname, { allowPrivateDomains: true }),
  );
  return typeof domain === 'string' && domain === otherDomain && !SHARED.has(domain);
}
