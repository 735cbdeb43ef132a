import { checkedAsJson } from '../../src/cli/check-report.ts';
import { EXIT_CODES } from '../../src/cli/codes.ts';
import {
  checkDocument,
  readAgentConfiguration,
  readMachine,
  readUpdatePolicy,
  type DocumentKind,
} from '../../src/config/index.ts';
import { ENVIRONMENT, fixtures, printed } from './documents.ts';
import { mutate, randomFrom } from './mutate.ts';

const READERS = {
  machine: readMachine,
  agent: readAgentConfiguration,
  policy: readUpdatePolicy,
} as const;

/** A line of `modreg check`: nothing in it can move a cursor. */
const LINE =
  /^(x:\d+:\d+ +(error|warning)\[[A-Z_]+\] +[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]{1,300}|x: … and \d+ more|[\w ,]+; [\w ]+ read( as an? [\w ]+)?|no problems; read as an? [\w ]+|[\w ,]+; read as an? [\w ]+)$/u;
/** No document as small as these takes longer, by far. */
const LONGEST_MS = 2000;

/** Gives `count` mutants of the fixtures a verdict each; what went wrong with any, and the seed of it. */
export function fuzz(count: number, seed: number): string[] {
  const documents = [...fixtures('good'), ...fixtures('bad')];
  const random = randomFrom(seed);
  const failures: string[] = [];
  for (let at = 0; at < count && failures.length < 10; at++) {
    const document = documents[Math.floor(random() * documents.length)];
    if (!document) throw new Error('there are no fixtures');
    const mutant = mutate(document.bytes, random);
    const failure = failureOf(mutant, document.kind);
    if (failure !== undefined) {
      const text = mutant.toString('latin1').slice(0, 2000);
      failures.push(`seed ${seed}, document ${at}, from ${document.name}: ${failure}\n${text}`);
    }
  }
  return failures;
}

function failureOf(bytes: Buffer, kind: DocumentKind): string | undefined {
  try {
    const start = performance.now();
    const checked = checkDocument(bytes, kind, { environment: ENVIRONMENT });
    const took = performance.now() - start;
    if (took > LONGEST_MS) return `took ${Math.round(took)} ms`;
    const line = printed(checked, 'x')
      .split('\n')
      .slice(0, -1)
      .find((text) => !LINE.test(text));
    if (line !== undefined) return `printed ${line}`;
    JSON.parse(checkedAsJson(checked, [{ path: 'x', report: checked }]));
    const reading = READERS[kind](bytes);
    if (reading.ok !== (reading.errors === 0)) return 'has a value beside errors, or neither';
    const odd = checked.problems.find(({ kind: found, severity }) => {
      return severity === 'error' && !Object.hasOwn(EXIT_CODES, found);
    });
    if (odd) return `has an error of the kind ${odd.kind}`;
    if (Object.hasOwn(Object.prototype, 'polluted')) return 'polluted Object.prototype';
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
