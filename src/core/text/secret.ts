import { expectArgument, TEXT } from './argument.ts';

/** Text that printing, inspecting and serializing do not reveal. */
export interface Secret {
  /** The text. */
  reveal(): string;
}

/**
 * Wraps `text`, so that logs and errors that contain the wrapper do not reveal it.
 *
 * @example
 * ```ts
 * import { secret } from 'modreg';
 *
 * const token = secret('modreg_3q2-7w');
 * console.log(JSON.stringify({ token })); // {"token":{}}
 * console.log(token.reveal()); // modreg_3q2-7w
 * ```
 */
export function secret(text: string): Secret {
  expectArgument('secret()', 'text', text, TEXT);
  return { reveal: () => text };
}
