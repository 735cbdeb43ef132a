/** A release of a list, as the independent judges read it. */
export interface JudgedEntry {
  readonly version: string;
  readonly publishedAt?: number | undefined;
  readonly artifacts?: readonly JudgedFile[] | undefined;
  readonly yanked?: string | undefined;
  readonly requires?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly floor?: true | undefined;
  readonly deprecated?: string | undefined;
  readonly rollout?:
    | {
        readonly salt: string;
        readonly share: number;
        readonly groups?: readonly string[] | undefined;
        readonly halted?: string | undefined;
      }
    | undefined;
}

export interface JudgedFile {
  readonly platform: string;
  readonly url?: string | undefined;
  readonly digest?: string | undefined;
}
