/** A text that printing, inspecting or serializing does not show. */
export interface Secret {
  reveal(): string;
}

export function secret(text: string): Secret {
  return { reveal: () => text };
}
