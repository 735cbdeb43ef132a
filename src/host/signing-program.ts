import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { isKey, isSignature } from '../core/trust/key.ts';
import { keyIdOf, verifierOf } from '../registry/trust/ed25519.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';

/** The id of a key, and its signature. */
export type Signature = readonly [keyId: string, signature: string];

/** Signs a text with a key of an author. */
export type Signer = (text: string) => Result<Signature, Problem>;

const TIMEOUT_MS = 120_000;
const FORM = 'a public key ed25519:… and 64 bytes in base64, with a space between';

/**
 * Signs with `program`, which gets the text on stdin and prints its public key and the signature: `ed25519:… <64 bytes in base64>`
 * (D180). So the key may be in a token, an agent or a service. What it prints is verified before it is used.
 */
export function signerWith(program: string, { environment: env }: World): Signer {
  // Loaded here: most commands start no program.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  return (text) => {
    const { stdout, error, status } = spawnSync(program, [], {
      input: text,
      encoding: 'utf8',
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: TIMEOUT_MS,
    });
    const refused = (what: string): ReturnType<Signer> => {
      return { ok: false, error: usage(`${quote(program)} ${what}; nothing is signed with it`) };
    };
    // A program that ends before it has read the text breaks the pipe, or does not, by chance: how it ended says more (D458).
    const isBrokenPipe = error !== undefined && 'code' in error && error.code === 'EPIPE';
    if (error && !isBrokenPipe) return refused(`cannot be run (${error.message})`);
    if (status !== 0) return refused(`ended with ${status ?? 'a signal'}`);
    const [key = '', signature = '', ...rest] = stdout.trim().split(' ');
    if (!isKey(key) || !isSignature(signature) || rest.length > 0) {
      return refused(`did not print ${FORM}`);
    }
    if (!verifierOf(key)(text, signature))
      return refused(`printed a signature that is not of ${key}`);
    return { ok: true, value: [keyIdOf(key), signature] };
  };
}

/** The signatures of all signers over `text`, or why one did not sign. */
export function signedBy(
  signers: readonly Signer[],
  text: string,
): Result<readonly Signature[], Problem> {
  const signatures: Signature[] = [];
  for (const sign of signers) {
    const signed = sign(text);
    if (!signed.ok) return signed;
    signatures.push(signed.value);
  }
  return { ok: true, value: signatures };
}
