/** 32 bytes in base64. The last of its digits has no bits to spare, so that a key has one text. */
const KEY = /^ed25519:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
/** 64 bytes in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;
const KEY_ID = /^[0-9a-f]{16}$/;

/** Whether `text` is a public key: `ed25519:` and 32 bytes in base64, in its one form (D130). */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Whether `value` is the signature of an Ed25519 key: 64 bytes in base64. */
export function isSignature(value: unknown): value is string {
  return typeof value === 'string' && SIGNATURE.test(value);
}

/** Whether `text` is the id of a key: the first 16 hexadecimal digits of the SHA-256 of its 32 bytes. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text);
}
