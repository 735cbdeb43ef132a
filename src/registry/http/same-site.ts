import { getDomain } from 'tldts';

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

/** Whether two different hosts are in one registered domain, by the Public Suffix List: `dlr.de` is one, `co.uk` is not. */
export function isSameSite(one: URL, other: URL): boolean {
  const [domain, otherDomain] = [one, other].map(({ hostname }) =>
    getDomain(hostname, { allowPrivateDomains: true }),
  );
  return typeof domain === 'string' && domain === otherDomain && !SHARED.has(domain);
}
