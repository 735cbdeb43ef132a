import { BlockList, isIP } from 'node:net';
import { isLoopback, withoutTrailingDot } from '../../core/text/web-address.ts';
import { secret, type Secret } from '../../core/text/secret.ts';
import { RegistryError } from '../registry-error.ts';

/** A process's environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A forward proxy that the environment names. */
export interface Proxy {
  /** Its address without user and password. */
  readonly url: URL;
  /** The variable that names it, in the spelling that was found. */
  readonly variable: string;
  /** The value of `proxy-authorization`; undefined without a user. */
  readonly authorization: Secret | undefined;
}

/**
 * The proxy for requests to `target`; undefined if they go there directly: to this machine itself, to a host of NO_PROXY, or because no
 * proxy is named. Throws a `bad-address` RegistryError if what is named is no address of a proxy. (D113)
 */
export function proxyFor(target: URL, environment: Variables): Proxy | undefined {
  if (isLoopback(withoutTrailingDot(target.hostname))) return undefined;
  const named = variable(target.protocol === 'https:' ? 'https_proxy' : 'http_proxy', environment);
  if (!named.value || isExempt(target, variable('no_proxy', environment).value)) return undefined;
  return proxyIn(named.value, named.name);
}

/** As curl, Go and Node read them: lower case comes first, and an empty value ends the search. */
function variable(
  lower: string,
  environment: Variables,
): { readonly name: string; readonly value: string } {
  const name = environment[lower] === undefined ? lower.toUpperCase() : lower;
  return { name, value: (environment[name] ?? '').trim() };
}

function proxyIn(text: string, name: string): Proxy {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(address);
  if (!isWeb(url)) {
    // The text may have a password, so it is not repeated.
    const found = isWeb(URL.parse(address.replace(PORT, '')))
      ? 'a port that is not a number from 1 to 65535'
      : 'no http: or https: address';
    const message = `the proxy in ${name} has ${found}`;
    const hint = `set ${name} to http://host:port or http://user:password@host:port with %2F for / in a password, or to nothing for no proxy`;
    throw new RegistryError('bad-address', message, { hint });
  }
  const { username, password, origin, pathname, search, hash } = url;
  if (`${pathname}${search}${hash}` !== '/') {
    // A `/` in a password ends the host for the URL standard: what comes before it is no host, and may be secret.
    const message = `the proxy in ${name} has more than a scheme, a user, a password, a host and a port`;
    const hint = `set ${name} to http://host:port, or to http://user:password@host:port with %2F for / in a password, %3F for ? and %23 for #`;
    throw new RegistryError('bad-address', message, { hint });
  }
  const user = `${decoded(username)}:${decoded(password)}`;
  const authorization = `Basic ${Buffer.from(user).toString('base64')}`;
  return {
    url: new URL(origin),
    variable: name,
    authorization: user === ':' ? undefined : secret(authorization),
  };
}

/** What is in place of the port at the end of an address. */
const PORT = /:[^:/@\]]*\/?$/;

function isWeb(url: URL | null): url is URL {
  return url !== null && /^https?:$/.test(url.protocol);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a list of hosts has `target`: names with their subdomains, addresses, networks such as `10.0.0.0/8`, each with a port or without, or `*`. */
function isExempt({ protocol, hostname, port }: URL, list: string): boolean {
  const host = withoutTrailingDot(hostname).replace(/^\[|\]$/g, '');
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '') return false;
      if (entry === '*') return true;
      // An IPv6 address without brackets has no port.
      const [, inBrackets, plain, given] =
        /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
      const wanted = inBrackets ?? plain ?? entry;
      if (given !== undefined && given !== ownPort) return false;
      return isIP(host) === 0 ? isWithin(host, wanted) : isAddressIn(host, wanted);
    });
}

function isWithin(host: string, entry: string): boolean {
  const domain = withoutTrailingDot(entry).replace(/^(?:\*\.|\.)/, '');
  return host === domain || host.endsWith(`.${domain}`);
}

/** Whether `host` is the address `entry`, or in the network `entry`. */
function isAddressIn(host: string, entry: string): boolean {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const most = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (!(Number.isInteger(prefix) && prefix >= 0 && prefix <= most)) return false;
  const network = new BlockList();
  network.addSubnet(address, prefix, family);
  return network.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
