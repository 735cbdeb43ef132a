import type { Machine } from '../../core/machine/machine.ts';
import { DEFAULT_POLICY, type UpdatePolicy } from '../../core/machine/update-policy.ts';
import {
  LARGEST_SERVED,
  type ServedConfig,
  type ServedRefusal,
} from '../../core/trust/served-config.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { namedSecretIn } from '../masked-secrets.ts';
import { readMachine, readUpdatePolicy } from '../read-document.ts';
import { adviceOn, type Report } from '../report.ts';
import { readJson } from '../text/json-document.ts';
import { SECRET_MARK } from '../text/secret-template.ts';
import { utf8Length } from '../text/utf8.ts';
import { isObject, type JsonObject } from './json.ts';
import { secretsOf } from './secret-places.ts';
import { localTermIn, type ServedDocuments } from './merged.ts';

/** What a site may save and a machine may look at: both documents can be read, and hold neither secrets nor terms of the machine alone (D260, D360). */
export function checkedServed(
  served: Pick<ServedConfig, 'config' | 'policy'>,
): Result<ServedDocuments, ServedRefusal> {
  const { config, policy } = served;
  const bytes = utf8Length(config) + utf8Length(policy ?? '');
  if (bytes > LARGEST_SERVED) {
    const detail = `the documents have ${bytes} bytes, expected at most ${LARGEST_SERVED}`;
    return refused('too-large', detail);
  }
  // What is allowed, the policy of the machine says.
  const machine = readMachine(config, { policy: 'unreadable' });
  const errors = [
    faultOf('the machine config', machine),
    policy === undefined ? undefined : faultOf('the policy', readUpdatePolicy(policy)),
  ];
  const fault = errors.find((one) => one !== undefined);
  if (fault !== undefined) return refused('malformed', fault);
  const secret = secretIn('/config', config) ?? secretIn('/policy', policy ?? '');
  if (secret !== undefined) return refused('holds-secret', `${secret} ${KEEP_SECRETS}`);
  const documents = {
    config: valueOf(config),
    policy: policy === undefined ? policy : valueOf(policy),
  };
  const known = machine.ok ? secretsOf(machine.value.modules).length : 0;
  const isElsewhere = marksIn(documents.config) !== known || marksIn(documents.policy ?? {}) > 0;
  if (isElsewhere) return refused('holds-secret', MISPLACED);
  const term = documents.policy && localTermIn(documents.policy);
  if (term === undefined) return { ok: true, value: documents };
  return refused('local-term', `${term} is a term of the machine alone, which its site cannot set`);
}

function refused(
  code: ServedRefusal['code'],
  detail: string,
): { readonly ok: false; readonly error: ServedRefusal } {
  return { ok: false, error: { code, detail } };
}

/** The first error of a document; undefined if it has none. */
function faultOf(which: string, { problems }: Report): string | undefined {
  const first = problems.find(({ severity }) => severity === 'error');
  if (!first) return undefined;
  const { line, column, path } = first;
  return `${which} cannot be used: ${line}:${column} ${path === '' ? '' : `${excerpt(path)}: `}${adviceOn(first)}`;
}

const KEEP_SECRETS =
  'is a secret, which a site cannot serve: keep it on the machine, or use ${environment.NAME}';

const MISPLACED =
  '${secret.NAME} is at a place where it is not replaced: it may only be in values of env of modules, with a name of letters, digits and "_"';

/** The place of a secret. */
function secretIn(document: string, text: string): string | undefined {
  const pointer = text === '' ? undefined : namedSecretIn(text);
  return pointer === undefined ? undefined : `${document}${pointer}`;
}

/** How many references begin in a document, also in the names of its fields. */
function marksIn(document: JsonObject): number {
  return JSON.stringify(document).split(SECRET_MARK).length - 1;
}

/** The value of a document that can be read. */
export function valueOf(text: string): JsonObject {
  const { value } = readJson(text);
  return isObject(value) ? value : {};
}

/** Documents as a machine uses them. */
export interface UsableDocuments {
  readonly machine: Machine;
  readonly policy: UpdatePolicy;
}

/**
 * The documents in two values of JSON. The error is the first one that they have together. An unknown field can only be one of the
 * machine's own, which holds replacements, and keeps no agent from its start (D241).
 */
export function usable({
  config,
  policy,
}: {
  readonly config: JsonObject;
  readonly policy: JsonObject;
}): Result<UsableDocuments, string> {
  const lenient = { unknownFields: 'warn' } as const;
  const terms = readUpdatePolicy(JSON.stringify(policy), lenient);
  const context = { policy: terms.ok ? terms.value : DEFAULT_POLICY, ...lenient };
  const machine = readMachine(JSON.stringify(config), context);
  if (machine.ok && terms.ok) {
    return { ok: true, value: { machine: machine.value, policy: terms.value } };
  }
  const together = 'what the machine would run';
  return { ok: false, error: faultOf(together, terms) ?? faultOf(together, machine) ?? '' };
}
