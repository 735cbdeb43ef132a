import type { Context, Hono } from 'hono';
import { firstFew } from '../../core/text/few.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import { tagOf, type ServedConfig } from '../../core/trust/served-config.ts';
import {
  machineAnswer,
  newConfig,
  newSignatures,
  type SavedConfig,
} from '../../registry/config-documents.ts';
import { configSigners } from '../../registry/trust/config-signatures.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { signatureNeed } from '../fleet/signature-need.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import {
  changesOfDocuments,
  compiledDocuments,
  unknownModules,
} from '../configs/compiled-documents.ts';
import type { NewRevision, StoredRevision } from '../configs/config-table.ts';
import { documentDiff } from '../../core/trust/document-diff.ts';
import { problem } from '../problem.ts';
import { CONFIG_SCOPE } from '../tokens/scope.ts';
import { authorOf } from './bearer.ts';
import { isKnown } from './conditional.ts';
import type { Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { CONFIG, CONFIG_ANSWER, CONFIG_HISTORY, CONFIG_SIGNATURES } from './module-route.ts';
import { behindAnswer } from './behind-documents.ts';
import { movedFragment, staleConfig } from './stale-config.ts';
import { ofMachine, type AskedOfMachine, type WritingOptions } from './of-machine.ts';
import { readingBy } from './reading-by.ts';

interface AskedOfDocuments extends AskedOfMachine {
  readonly fleet: FleetFile;
}

/** Adds the routes of the documents of machines (D264 to D266). */
export function addConfigRoutes(
  app: Hono,
  catalogue: Catalogue,
  { fleet, ...options }: WritingOptions & { readonly fleet: FleetFile },
): void {
  const guarded = ofMachine(catalogue, options, { scope: CONFIG_SCOPE });
  app.get(CONFIG, guarded('both', configAnswer));
  app.put(
    CONFIG,
    guarded('operator', async (c, asked) => await saveAnswer(c, { ...asked, fleet })),
  );
  app.get(CONFIG_HISTORY, guarded('operator', historyAnswer));
  app.put(CONFIG_SIGNATURES, guarded('operator', signAnswer));
  app.put(CONFIG_ANSWER, guarded('machine', heardAnswer));
}

async function configAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { catalogue, token, machine } = asked;
  const { configs } = catalogue;
  const { revision: text } = c.req.query();
  if (text !== undefined && !/^[1-9]\d{0,9}$/.test(text)) {
    return problem('bad-request', 'revision must be a whole number from 1');
  }
  const isOperator = token.scopes.includes(CONFIG_SCOPE);
  const behind = isOperator ? undefined : await behindAnswer(c.req.header('if-none-match'), asked);
  if (behind) return behind;
  const found = text === undefined ? configs.newest(machine) : configs.at(machine, Number(text));
  // A machine asks each round, and one without documents is no fault.
  if (!found && !isOperator) return new Response(null, { status: 204 });
  if (!found) {
    const which = text === undefined ? 'no documents' : `no revision ${text}`;
    return problem('unknown-config', `the registry has ${which} of ${machine}`);
  }
  const served = servedOf(found);
  if (isOperator) {
    const said = configs.answer(machine);
    const says = said && {
      applied: said.applied ?? null,
      refused: said.refused ?? null,
      at: formatTime(said.at),
    };
    const own = configs.source(machine, found.revision);
    return c.json({
      ...served,
      ...savedBy(found),
      ...(own && { own: { ...own, policy: own.policy ?? null } }),
      machine_says: says ?? null,
    });
  }
  const headers = { etag: `"${tagOf(found)}"`, 'cache-control': 'no-cache' };
  const isSame = isKnown(c.req.header('if-none-match'), headers.etag);
  if (isSame) return new Response(null, { status: 304, headers });
  return c.json(served, { headers });
}

function servedOf({ machine, revision, config, policy, signatures }: StoredRevision): object {
  return { machine, revision, config, policy: policy ?? null, signatures };
}

function savedBy({ at, author, reason }: StoredRevision): {
  at: string;
  by: string;
  reason: string;
} {
  return { at: formatTime(at), by: author, reason };
}

async function saveAnswer(c: Context, asked: AskedOfDocuments): Promise<Answer> {
  const { catalogue, token, machine, now, changed, write } = asked;
  const body = await jsonBody(c, readingBy(newConfig));
  if (!body.ok) return body.error;
  const { based_on: basedOn, config, policy: terms, fragments, reason, dry_run } = body.value;
  const own = { config, policy: terms ?? undefined };
  const known = catalogue.configs.fragments;
  if (!fragments.every((name) => known.newest(name))) return unknownFragment(catalogue, fragments);
  const checked = await compiledDocuments(own, { machine, fragments }, catalogue.configs);
  if (!checked.ok) {
    const { code, detail } = checked.error;
    return problem('bad-release', detail, { errors: [`${code}: ${detail}`] });
  }
  const author = authorOf(token);
  const source = fragments.length === 0 ? undefined : { ...own, fragments };
  const next = { machine, basedOn, ...checked.value, source, reason, author, at: now };
  if (dry_run) return await dryAnswer(c, asked, next);
  const result = await write({ kind: 'config', ...next });
  if (result.kind === 'stale') return stale(catalogue, machine, basedOn);
  if (result.kind === 'moved') return movedFragment(result.newest);
  const { kind, revision } = result;
  if (kind === 'saved') changed({ kind: 'config-saved', machine, revision });
  // What the documents were made from is no part of what is served.
  const done = { machine, revision, result: kind === 'saved' ? kind : 'unchanged' } as const;
  return c.json({ ...done, ...(await warningsOf(next, catalogue)) } satisfies SavedConfig);
}

/** What saving it would do, as `fleet config set --dry-run` asks (D438, D455). */
async function dryAnswer(
  c: Context,
  { catalogue, fleet, now }: AskedOfDocuments,
  next: NewRevision,
): Promise<Response> {
  const { machine, basedOn } = next;
  const { configs } = catalogue;
  const judged = configs.judge(next);
  if (judged.kind === 'stale') return stale(catalogue, machine, basedOn);
  if (judged.kind === 'moved') return movedFragment(judged.newest);
  const { kind, revision } = judged;
  const result = kind === 'saved' ? ('would-save' as const) : ('unchanged' as const);
  const newest = configs.newest(machine);
  const changes = await changesOfDocuments(newest, next);
  const { words: signatures } = await signatureNeed({ catalogue, fleet, now }, newest, next);
  const done = { machine, revision, result, changes, signatures } as const;
  return c.json({ ...done, ...(await warningsOf(next, catalogue)) } satisfies SavedConfig);
}

/** Modules that the registry does not have (D456). */
async function warningsOf(
  { config }: NewRevision,
  catalogue: Catalogue,
): Promise<Pick<SavedConfig, 'warnings'>> {
  const warnings = await unknownModules(config, catalogue.modules());
  return warnings.length === 0 ? {} : { warnings: [...warnings] };
}

function unknownFragment({ configs }: Catalogue, fragments: readonly string[]): Response {
  const unknown = fragments.find((name) => !configs.fragments.newest(name)) ?? '';
  const names = configs.fragments.all().map(({ name }) => name);
  const known =
    names.length === 0 ? 'there is none' : `there are ${firstFew(names, NAMED).join(', ')}`;
  const detail = `/fragments: no fragment has the name ${excerpt(unknown)}; ${known}`;
  return problem('bad-release', detail, { errors: [detail] });
}

/** How many fragments are named. */
const NAMED = 10;

function stale({ configs }: Catalogue, machine: string, known: number): Response {
  const newest = configs.newest(machine);
  const changes = newest ? documentDiff(configs.at(machine, known), newest) : [];
  return staleConfig({ known, newest: newest?.revision ?? 0, changes });
}

function historyAnswer(c: Context, { catalogue, machine }: AskedOfMachine): Response {
  const revisions = catalogue.configs.history(machine).map(summaryOf);
  return c.json({ revisions });
}

function summaryOf(one: StoredRevision): object {
  const { revision, signatures } = one;
  return { revision, ...savedBy(one), signatures: Object.keys(signatures).length };
}

async function signAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { catalogue, machine, changed, write } = asked;
  const body = await jsonBody(c, readingBy(newSignatures));
  if (!body.ok) return body.error;
  const { revision, signatures } = body.value;
  const newest = catalogue.configs.newest(machine);
  if (newest?.revision !== revision) return stale(catalogue, machine, revision);
  const fault = signatureFault(catalogue, { ...newest, signatures });
  if (fault !== undefined) return problem('bad-release', fault, { errors: [fault] });
  const added = await write({ kind: 'config-signatures', machine, revision, signatures });
  if (added === 'stale') {
    return stale(catalogue, machine, revision);
  }
  changed({ kind: 'config-signed', machine, revision });
  return c.json({ machine, revision, result: 'signed' });
}

/** Why a signature is not one of an operator of the newest trust document over this revision. */
function signatureFault({ trust }: Catalogue, served: ServedConfig): string | undefined {
  const text = trust.newest();
  const document = text === undefined ? undefined : readTrustDocument(text);
  if (!document?.ok) return '/signatures: the registry has no trust document';
  const { operator, name } = document.value;
  if (!operator) return `/signatures: the trust document ${name} names no operator`;
  const signers = new Set(configSigners(document.value, served));
  const wrong = Object.keys(served.signatures).find((id) => !signers.has(id));
  if (wrong === undefined) return undefined;
  return `/signatures: that of the key ${wrong} is not one of an operator over ${served.machine}, revision ${served.revision} and its documents`;
}

async function heardAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { machine, now: at, write } = asked;
  const body = await jsonBody(c, readingBy(machineAnswer));
  if (!body.ok) return body.error;
  const [applied, refused] = [body.value.applied ?? undefined, body.value.refused ?? undefined];
  const word = { about: 'documents', machine, at, applied, refused } as const;
  await write({ kind: 'heard', words: [word] });
  return c.json({ machine });
}
