import { excerpt } from '../../core/text/quote.ts';
import type { World } from '../../base/world.ts';
import type { RegistryOptions } from '../../host/registry-choice.ts';
import type { Certificate } from './connection.ts';

/** Where the address of a registry is written. */
export type Place = '--registry' | 'MODREG_REGISTRY' | 'policy';

export function placeOf({ registry }: RegistryOptions, { environment }: World): Place {
  if (registry !== undefined) return '--registry';
  return environment['MODREG_REGISTRY'] ? 'MODREG_REGISTRY' : 'policy';
}

/** `"registry" of the policy`, or where else the address is written. */
export function writtenIn(place: Place, preposition: 'in' | 'of' = 'of'): string {
  return place === 'policy' ? `"registry" ${preposition} the policy` : place;
}

/** What to do if no connection to `url` is made. `code` is why: of the system, or `TIMEOUT`; undefined if there was one. */
export function connectionFix(
  code: string | undefined,
  { host, hostname, port, protocol, href }: URL,
  place: Place,
): string {
  const target = `${hostname} ${port || (protocol === 'https:' ? '443' : '80')}`;
  switch (code) {
    case 'ENOTFOUND':
      return `no name server knows this name: correct ${writtenIn(place, 'in')}, or check getent hosts ${hostname}`;
    case 'EAI_AGAIN':
      return `no name server answers: check the network and /etc/resolv.conf; getent hosts ${hostname}`;
    case 'ECONNREFUSED':
      return `nothing listens there: start the registry on its host, or correct the port in ${writtenIn(place)}`;
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      return `there is no way to ${host}: check the network; ip route get ${hostname}`;
    case 'TIMEOUT':
    case 'ETIMEDOUT':
      return `nothing answers there: check the network, and whether a firewall drops connections; nc -vz ${target}`;
    case undefined:
      return `it takes connections: look at its log, or at curl -gsv --max-time 10 ${excerpt(href)}`;
    default:
      if (/^(?:ERR_SSL_|EPROTO)/.test(code)) {
        return `the server does not speak TLS there: correct the scheme or the port in ${writtenIn(place)}`;
      }
      return `check the network: curl -gsv --max-time 10 ${excerpt(href)}`;
  }
}

/** What to do about a certificate that is not trusted. `hint` is the general advice. */
export function certificateFix(
  certificate: Certificate | undefined,
  { hostname, host }: URL,
  {
    place,
    hint,
    hasSystemd,
  }: { readonly place: Place; readonly hint: string | undefined; readonly hasSystemd: boolean },
): string {
  const { refusal, names } = certificate ?? { refusal: undefined, names: '' };
  if (refusal === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `use a name of the certificate in ${writtenIn(place)} (it has ${excerpt(names)}), or get one for ${hostname}`;
  }
  if (refusal === 'CERT_HAS_EXPIRED') {
    return `renew the certificate of ${host} on its host; if the date above is wrong, check time synchronization`;
  }
  if (refusal === 'CERT_NOT_YET_VALID') return 'check time synchronization: timedatectl';
  const service = hasSystemd
    ? 'the service (systemctl edit modreg-agent: Environment=MODREG_CA_FILE=…)'
    : 'the agent, which reads it when it starts';
  return `${hint ?? 'set MODREG_CA_FILE to a file with the certificate of its authority'}, for modreg and for ${service}`;
}
