let planted = 0;

/** A unique secret that each text encoding changes in a recognizable way. */
export function canary(): string {
  planted++;
  return `s3cr&t+${planted}/"pässwörd" %${planted}`;
}

/** The encodings in which `secret` could appear in an output. */
export function formsOf(secret: string): string[] {
  // The part of the base64 text that does not depend on the surrounding bytes.
  const base64 = [0, 1, 2].map((lead) =>
    Buffer.from(`${'_'.repeat(lead)}${secret}`)
      .toString('base64')
      .slice(4, -4),
  );
  const [, ...words] = secret.split(/[^\w]+/);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    secret.slice(0, 12),
    ...base64,
    ...words.filter((word) => word.length > 3),
  ];
}
