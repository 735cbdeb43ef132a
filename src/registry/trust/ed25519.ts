import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

/** What precedes the 32 bytes of an Ed25519 key in its DER (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const PREFIX = 'ed25519:';
const ID_DIGITS = 16;

function bytesOf(key: string): Buffer {
  return Buffer.from(key.slice(PREFIX.length), 'base64');
}

/** The id of a public key. */
export function keyIdOf(key: string): string {
  return createHash('sha256').update(bytesOf(key)).digest('hex').slice(0, ID_DIGITS);
}

/** The public key that belongs to a private one. */
export function publicKeyOf(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return `${PREFIX}${der.subarray(SPKI.length).toString('base64')}`;
}

/** Checks signatures in base64 of one public key. */
export type Verifier = (text: string, signature: string) => boolean;

/** The verifier of a key of Ed25519. */
export function verifierOf(key: string): Verifier {
  return verifierIn(Buffer.concat([SPKI, bytesOf(key)]), null);
}

/** The verifier of a key in DER, as SPKI, for texts of which `algorithm` makes a digest. */
export function verifierIn(key: Buffer, algorithm: 'sha256' | null): Verifier {
  const parsed = createPublicKey({ key, format: 'der', type: 'spki' });
  return (text, signature) =>
    verify(algorithm, Buffer.from(text), parsed, Buffer.from(signature, 'base64'));
}

/** The signature of a private key over `text` (D132). */
export function signatureOf(key: KeyObject, text: string): string {
  return sign(null, Buffer.from(text), key).toString('base64');
}

/** What a policy names a trust document by. */
export function pinOf(body: string): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}
