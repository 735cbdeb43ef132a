import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { LONGEST_DOCUMENT, type TrustDocument } from '../core/trust/trust-document.ts';
import { pinOf } from '../registry/trust/ed25519.ts';
import { signedDocument } from '../registry/trust/pinned-document.ts';
import { readRegularFile } from '../host/document-file.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { withCatalogue, type modeOf } from './catalogue-options.ts';
import { refusalProblem, withWriter, type ChangeOptions } from './remote-registry.ts';

/** A trust document, and the digest by which a policy names it. */
export interface ShownKeys {
  /** That of all versions. */
  readonly text: string;
  readonly document: TrustDocument;
  readonly pin: string;
}

/** The trust document in a file, which its root keys have to have signed. */
export function signedIn(path: string): Result<ShownKeys, Problem> {
  const file = readRegularFile(path, LONGEST_DOCUMENT);
  if (!file.ok) return file;
  const text = Buffer.from(file.value.bytes).toString();
  const document = signedDocument(text);
  if (!document.ok) return wrongDocument(path, document.error);
  return { ok: true, value: { text, document: document.value, pin: pinOf(document.value.body) } };
}

export function wrongDocument(path: string, error: string): Result<never, Problem> {
  return { ok: false, error: usage(`the trust document ${quote(path)} ${error}`) };
}

/** Stores the next version of the trust document of a registry, which the root keys of both versions have to have signed (D152, D164). */
export async function updateKeys(
  path: string,
  options: ChangeOptions,
  world: World,
): Promise<Result<ShownKeys, Problem>> {
  const signed = signedIn(path);
  if (!signed.ok) return signed;
  const problem = await whyNotStored(signed.value.text, options, world, { mode: 'write' });
  if (problem === undefined) return signed;
  return typeof problem === 'string' ? wrongDocument(path, problem) : { ok: false, error: problem };
}

/** Stores a trust document in a file, or over HTTP. The result is why it is not there: a text, if no machine would follow to it. */
export async function whyNotStored(
  text: string,
  options: ChangeOptions,
  world: World,
  opening: ReturnType<typeof modeOf>,
): Promise<Problem | string | undefined> {
  const stored = await (options.registry === undefined
    ? withCatalogue(options, world, { ...opening, hasAddress: true }, (catalogue) => ({
        ok: true,
        value: catalogue.trust.store(text),
      }))
    : withWriter(options, world, async (writer) => {
        const result = await writer.trust(text);
        if (result.kind !== 'done') return { ok: false, error: refusalProblem(result) };
        return { ok: true, value: { ok: true } as const };
      }));
  if (!stored.ok) return stored.error;
  return stored.value.ok ? undefined : stored.value.error;
}
