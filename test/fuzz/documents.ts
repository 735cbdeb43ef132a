import fc from 'fast-check';
import { checkedAsJson } from '../../src/cli/check/check-report.ts';
import { EXIT_CODES } from '../../src/base/codes.ts';
import {
  checkDocument,
  fakeBoardOf,
  moduleEnvironment,
  mergeProvisioning,
  readAgentConfiguration,
  readDeployedReport,
  readMachine,
  readUpdatePolicy,
  termsFor,
  type AgentConfiguration,
  type DocumentKind,
  type Machine,
  type DocumentResult,
  type UpdatePolicy,
} from '../../src/config/index.ts';
import type { Deployed } from '../../src/core/index.ts';
import {
  ENVIRONMENT,
  badDocuments,
  goodDocuments,
  printed,
  type Fixture,
} from '../support/documents.ts';
import { mutate, randomFrom } from '../support/mutate.ts';
import { notOneLine, target, type Target } from './target.ts';

/** A line of `modreg check`, without control characters. */
const LINE =
  /^(x:\d+:\d+ +(error|warning)\[[A-Z_]+\] +[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]{1,300}|x: … and \d+ more|[\w ,]+; [\w ]+ read( as an? [\w ]+)?|no problems; read as an? [\w ]+|[\w ,]+; read as an? [\w ]+)$/u;

type Mutant = Omit<Fixture, 'kind'> & { readonly kind: DocumentKind | 'deployed' };

/** Changes of the bytes or the values of a JSON document. */
export const changes: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc
  .noBias(fc.nat())
  .map((seed) => (bytes) => mutate(bytes, randomFrom(seed)));

/** Content that is stored or sent. */
export interface Bytes {
  readonly bytes: Buffer;
}

/** One of `documents` after up to three changes. */
export function mutants<Document extends Bytes>(
  documents: readonly Document[],
  change: typeof changes = changes,
): fc.Arbitrary<Document> {
  return fc
    .tuple(fc.constantFrom(...documents), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([document, list]) => changed(document, list));
}

function changed<Document extends Bytes>(
  document: Document,
  list: readonly ((bytes: Buffer) => Buffer)[],
): Document {
  return { ...document, bytes: list.reduce((bytes, change) => change(bytes), document.bytes) };
}

function judgeDocument({ bytes, kind }: Mutant): string | undefined {
  if (kind === 'deployed') return judgeReport(readDeployedReport(bytes));
  const checked = checkDocument(bytes, kind, { environment: ENVIRONMENT });
  const lines = printed(checked, 'x').split('\n').slice(0, -1);
  const line = lines.find((text) => !LINE.test(text));
  if (line !== undefined) return `printed ${line}`;
  JSON.parse(checkedAsJson(checked, [{ path: 'x', report: checked }]));
  const odd = checked.problems.find(({ kind: found, severity }) => {
    return severity === 'error' && !Object.hasOwn(EXIT_CODES, found);
  });
  return odd ? `an error has the unknown kind ${odd.kind}` : JUDGES[kind](bytes);
}

const JUDGES: Readonly<Record<DocumentKind, (bytes: Buffer) => string | undefined>> = {
  machine: (bytes) => used(readMachine(bytes), useMachine),
  agent: (bytes) => used(readAgentConfiguration(bytes), useAgent),
  policy: (bytes) => used(readUpdatePolicy(bytes), usePolicy),
};

function used<T>(reading: DocumentResult<T>, use: (value: T) => void): string | undefined {
  if (reading.ok !== (reading.errors === 0)) return 'returned a value with errors, or neither';
  if (reading.ok) use(reading.value);
  return undefined;
}

/** Nothing derived from an accepted document throws. */
function useMachine({ agent, components, modules }: Machine): void {
  useAgent(agent);
  for (const component of components) fakeBoardOf(component);
  const context = {
    environment: ENVIRONMENT,
    machineId: 'robot',
    moduleRoot: '/opt',
    envAllow: [],
  };
  for (const entry of modules) moduleEnvironment(entry, context);
}

function useAgent(agent: AgentConfiguration): void {
  mergeProvisioning(agent, agent);
}

function usePolicy(policy: UpdatePolicy): void {
  for (const name of ['acme_lidar', '__proto__', 'toString']) termsFor(policy, name);
}

function judgeReport(reading: DocumentResult<ReadonlyMap<string, Deployed>>): string | undefined {
  const { problems } = reading;
  const texts = problems.flatMap(({ message, suggestion, hint }) => [message, suggestion, hint]);
  return used(reading, (report) => [...report.values()]) ?? notOneLine(texts);
}

const REPORTS = [
  { acme_lidar: '1.2.3', 'platform-agent': null, 'platform-server': 'https://x.example/y?z' },
  { acme_arm: 'reload-1', acme_cam: '1.2.3-rc.1+build.7', toString: '0.0.0' },
].map((report) => ({
  kind: 'deployed' as const,
  name: 'deployed.json',
  bytes: Buffer.from(JSON.stringify(report)),
}));

export const DOCUMENTS: readonly Target[] = [
  target<Mutant>({
    name: 'document',
    faults: 'T3 T4 T6 T7 T10 T19',
    perMille: 95,
    inputs: fc.oneof(
      { weight: 6, arbitrary: mutants(goodDocuments()) },
      { weight: 5, arbitrary: mutants(badDocuments()) },
      { weight: 1, arbitrary: mutants(REPORTS) },
    ),
    judge: judgeDocument,
    show: ({ kind, name, bytes }) => `${kind}, from ${name}:\n${bytes.toString('latin1')}`,
  }),
];
