let planted = 0;

/** A secret that no other one looks like, and that each way of writing text writes in its own way. */
export function canary(): string {
  planted++;
  return `s3cr&t+${planted}/"pässwörd" %${planted}`;
}

/** The ways in which `secret` could stand in an output. */
export function formsOf(secret: string): string[] {
  // Of base64, what does not depend on the bytes around it.
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
