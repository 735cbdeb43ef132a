/** The largest document that is read, in bytes, or in UTF-16 units where it is text. */
export const LARGEST_DOCUMENT: number = 4 * 1024 * 1024;
