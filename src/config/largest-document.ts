/** The size limit of a document: bytes of a `Uint8Array`, UTF-16 units of a string. */
export const LARGEST_DOCUMENT: number = 4 * 1024 * 1024;
