import fc from 'fast-check';
import {
  readTrustDocument,
  trustBody,
  trustText,
  type TrustDocument,
} from '../../src/core/trust/trust-document.ts';
import { APPROVER, AUTHOR, ROOT_ONE, role, trustOf } from '../support/signed.ts';
import { notOneLine, target, type Target } from './target.ts';
import { near } from './text.ts';

const TOKENS = [
  '\n\n',
  'root 1 ',
  'namespace * 1 ',
  'namespace acme 2 ',
  'operator 1 ',
  ` ${AUTHOR.text}`,
  'signature ',
  'version 2\n',
  '2027-02-29',
  'ed25519:',
  '==',
];
const documents = fc
  .constantFrom(
    trustOf(),
    trustOf([role('operator', 1, APPROVER)]),
    trustOf([], []),
    trustOf([role('registry', 1, ROOT_ONE)], [ROOT_ONE, AUTHOR]),
  )
  .map(({ text }) => text);

/** What is wrong with a document that was read; what is read has one form. */
function judge(text: string): string | undefined {
  const read = readTrustDocument(text);
  if (!read.ok) return notOneLine([read.error]);
  const { body, signatures } = read.value;
  if (trustBody(read.value) !== body) return 'its body is written in another way';
  if (trustText(body, signatures) !== text) return 'it is written in another way';
  return unsafe(read.value);
}

function unsafe({ root, registry, operator, namespaces }: TrustDocument): string | undefined {
  const roles = [root, registry, operator, ...namespaces.values()].flatMap((one) => one ?? []);
  const weak = roles.find(({ threshold, keys }) => {
    return threshold < 1 || threshold > new Set(keys).size || keys.length !== new Set(keys).size;
  });
  return weak && `it has the role ${JSON.stringify(weak)}`;
}

export const TRUST: readonly Target[] = [
  target({
    name: 'trust-document',
    faults: 'T463',
    perMille: 20,
    inputs: near(documents, TOKENS),
    judge,
  }),
];
