const RANDOM_ID = /^[\w-]{22}$/;

/** Whether `text` is 16 bytes in base64url, as the nonce of a question and the key of a command are. */
export function isRandomId(text: string): boolean {
  return RANDOM_ID.test(text);
}
