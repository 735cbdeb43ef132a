/** The shells that words are completed in. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
