import fc from 'fast-check';
import { indexReleases } from '../../src/core/index.ts';
import { readTrustDocument, type TrustDocument } from '../../src/core/trust/trust-document.ts';
import { RegistryError } from '../../src/registries/index.ts';
import { lazyList } from '../../src/registry/formats/decoded-list.ts';
import { releaseEntries } from '../../src/registry/formats/release-document.ts';
import { checkAnswer } from '../../src/registry/trust/answer-check.ts';
import { releaseChecks } from '../../src/registry/trust/release-checks.ts';
import { version } from '../support/ask.ts';
import {
  APPROVER,
  AUTHOR,
  digestOf,
  key,
  role,
  STRANGER,
  textOf,
  trustOf,
  type TestKey,
} from '../support/signed.ts';
import { LIDAR } from './list-documents.ts';
import { wrongRegistryError } from './lists.ts';
import { notOneLine, target, type Target } from './target.ts';
import { near } from './text.ts';

const REGISTRY = key('registry');
const BOTH = [AUTHOR, APPROVER];
const REASON = 'stops the motor';
const YANK = `modreg/yank@1\nacme:lidar\n1.4.0\n${JSON.stringify(REASON)}\n`;

const FILE = { platform: 'linux/arm64', digest: digestOf('lidar'), size: 5 };
const RELEASE = { version: '1.4.0', published_at: '2026-11-23T10:00:00Z', artifacts: [FILE] };
/** The release, and others that its signatures are not over; the second has the same text. */
const RELEASES = [
  RELEASE,
  { ...RELEASE, published_at: '2026-11-23T11:00:00+01:00' },
  { ...RELEASE, published_at: '2026-11-23T10:00:01Z' },
  { ...RELEASE, artifacts: [{ ...FILE, digest: digestOf('other') }] },
  { ...RELEASE, artifacts: [{ ...FILE, size: 6 }] },
  { ...RELEASE, artifacts: [{ ...FILE, platform: 'any' }] },
  { ...RELEASE, artifacts: [FILE, { ...FILE, platform: 'linux/amd64' }] },
  { ...RELEASE, artifacts: [] },
];

type Signatures = readonly (readonly [keyId: string, signature: string])[];
type Signed = readonly [release: number, signatures: Signatures, yank: Signatures];

const DOCUMENT = documentOf(
  trustOf([role('registry', 1, REGISTRY), role('namespace acme', 2, AUTHOR, APPROVER)]).text,
);
const signers = [AUTHOR, APPROVER, STRANGER];
const texts = [textOf(LIDAR, RELEASE), YANK, textOf('acme:radar', RELEASE)];
const rights = signers.flatMap((one) => texts.map((text) => [one.id, one.sign(text)] as const));
const edited = fc.tuple(
  near(fc.constantFrom(...signers.map(({ id }) => id))),
  near(fc.constantFrom(...rights.map(([, signature]) => signature)), ['==', '=', '+', '_']),
);
const signatures = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...rights) }, { weight: 1, arbitrary: edited }),
  { maxLength: 5 },
);
const inputs: fc.Arbitrary<Signed> = fc.tuple(
  fc.nat({ max: RELEASES.length - 1 }),
  signatures,
  signatures,
);

function documentOf(text: string): TrustDocument {
  const read = readTrustDocument(text);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

/** Whether both keys of the namespace signed a text. The signatures of Ed25519 are the same each time. */
function isSigned(found: Readonly<Record<string, string>>, text: string): boolean {
  return BOTH.every((one) => found[one.id] === one.sign(text));
}

/** Reads a release with these signatures, and compares what is found with what was signed. */
function judgeRelease([number, ofRelease, ofYank]: Signed): string | undefined {
  const release = RELEASES[number] ?? RELEASE;
  const [found, yanked] = [Object.fromEntries(ofRelease), Object.fromEntries(ofYank)];
  const listed = { ...release, signatures: found, yanked: REASON, yank_signatures: yanked };
  const list = lazyList(releaseEntries({ releases: [listed] }, LIDAR), {});
  const read = indexReleases(list.records).find(version('1.4.0'));
  if (!read) return 'the release is not in its list';
  const check = releaseChecks(DOCUMENT)(LIDAR, list.records);
  const time = new Date(release.published_at).toISOString().replace('.000Z', 'Z');
  const inOrder = release.artifacts.toSorted((a, b) => (a.platform < b.platform ? -1 : 1));
  const text = textOf(LIDAR, { ...release, published_at: time, artifacts: inOrder });
  const verdicts = [check.check(read), check.check(read, 'yank')];
  const expected = [isSigned(found, text), isSigned(yanked, YANK)];
  for (const [place, verdict] of verdicts.entries()) {
    const isAccepted = verdict === undefined;
    if (isAccepted !== expected[place]) {
      return `${place === 0 ? 'the release' : 'its yank'} is ${isAccepted ? 'accepted' : 'refused'}: ${JSON.stringify(verdict)}`;
    }
  }
  return notOneLine(list.dropped);
}

const ANSWER = {
  question: 'changes 51233',
  nonce: 'q3JmW0c5Tf2yTz8oJ9kH1A',
  sha256: '5f'.repeat(32),
};

function headerOf(signer: TestKey, documentVersion = 1, question = ANSWER.question): string {
  const lines = ['modreg/answer@1', 'acme-plant', documentVersion, ANSWER.nonce, question];
  const text = [...lines, ANSWER.sha256].map((line) => `${line}\n`).join('');
  return `${documentVersion} ${signer.id} ${signer.sign(text)}`;
}

const RIGHT = headerOf(REGISTRY);
const headers = near(
  fc.constantFrom(
    RIGHT,
    headerOf(STRANGER),
    headerOf(REGISTRY, 2),
    headerOf(REGISTRY, 1, 'list x'),
  ),
  ['1 ', '01 ', ' ', REGISTRY.id, '==', '\n'],
);

/** What a header says: the version, the key and the bytes of the signature. */
function saidBy(header: string): string | undefined {
  const [documentVersion, keyId, signature = '', ...rest] = header.split(' ');
  if (rest.length > 0) return undefined;
  return [documentVersion, keyId, Buffer.from(signature, 'base64').toString('hex')].join(' ');
}

function judgeHeader(header: string): string | undefined {
  try {
    checkAnswer(DOCUMENT, ANSWER, header, 'the registry');
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    if (header === RIGHT) return `the right one is refused: ${error.message}`;
    return error.kind === 'registry-untrusted' ? wrongRegistryError(error) : error.kind;
  }
  return saidBy(header) === saidBy(RIGHT) ? undefined : 'it is accepted';
}

export const SIGNATURES: readonly Target[] = [
  target({ name: 'signatures', faults: 'T460 T593', perMille: 15, inputs, judge: judgeRelease }),
  target({
    name: 'signed-answer',
    faults: 'T592',
    perMille: 10,
    inputs: headers,
    judge: judgeHeader,
  }),
];
