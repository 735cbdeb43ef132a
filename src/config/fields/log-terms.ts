import * as v from 'valibot';
import { readWebAddress } from '../../core/text/web-address.ts';
import { isSecretName } from '../agent-secrets.ts';
import { badValue, type Fault } from '../fault.ts';
import { variablesIn } from '../text/environment-template.ts';
import { environmentTemplate } from './environment-reference.ts';
import { fields, mapOf, parsedText, reading, type Schema } from './fields.ts';

/** Where logs are sent. */
interface LogTerms {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

const HEADER = /^[A-Za-z0-9][A-Za-z0-9-]*$/;
/** What a request of modreg says itself, or what belongs to the connection. */
const OWN =
  /^(?:accept|connection|content-(?:type|length|encoding)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const endpoint: Schema<string> = parsedText(
  'the address of a collector',
  (text) => {
    const complaint = addressComplaint(text);
    if (complaint === undefined) return { ok: true, value: text };
    const message = `not the address of a collector: ${complaint}`;
    return { ok: false, error: { kind: 'bad-address', message } };
  },
  { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^?#]+$' },
);

function addressComplaint(text: string): string | undefined {
  const url = readWebAddress(text);
  if (!url.ok) return url.error;
  return /[?#]/.test(text)
    ? 'it has a query or a fragment; secrets belong into headers'
    : undefined;
}

const headerName: Schema<string> = parsedText(
  'the name of a header',
  (text) => {
    if (HEADER.test(text) && !OWN.test(text)) return { ok: true, value: text };
    // Not quoted: someone who swaps the name and the value writes a secret here.
    const message = 'not the name of a header that may be added, expected letters, digits and -';
    return { ok: false, error: badValue(message) };
  },
  { pattern: HEADER.source },
);

/** The address of a collector, and the headers that it needs. */
export const logTerms: Schema<LogTerms> = v.pipe(
  fields({ endpoint, headers: v.optional(mapOf(headerName, environmentTemplate), {}) }),
  reading((terms) => {
    const fault = secretInPolicy(terms.headers);
    return fault ? { ok: false, error: fault } : { ok: true, value: terms };
  }),
);

/** A policy is copied, printed and committed, so it contains no secret. */
function secretInPolicy(headers: LogTerms['headers']): Fault | undefined {
  const name = Object.keys(headers).find(
    (one) => isSecretName(one) && variablesIn(headers[one] ?? '').length === 0,
  );
  if (name === undefined) return undefined;
  return badValue(
    `the header ${name} contains a secret, expected a variable of the agent such as \${environment.COLLECTOR_TOKEN}`,
  );
}
