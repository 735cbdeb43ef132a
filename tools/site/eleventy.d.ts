/** The part of Eleventy that the site uses: it publishes no types. */
declare module '@11ty/eleventy' {
  interface MarkdownToken {
    readonly type: string;
    content: string;
    children: MarkdownToken[] | null;
    attrGet(name: string): string | null;
    attrSet(name: string, value: string): void;
  }

  /** markdown-it, as far as the site changes it. */
  export interface Markdown {
    readonly core: {
      readonly ruler: {
        push(
          name: string,
          rule: (state: { readonly tokens: MarkdownToken[]; readonly env: unknown }) => void,
        ): void;
      };
    };
    readonly renderer: {
      readonly rules: Record<string, (tokens: MarkdownToken[], index: number) => string>;
    };
  }

  export interface EleventyConfig {
    amendLibrary(name: 'md', change: (markdown: Markdown) => void): void;
    addTemplate(path: string, content: string, data: object): void;
    addGlobalData(name: string, value: unknown): void;
    addFilter(name: string, filter: (...values: never[]) => unknown): void;
    setTemplateFormats(formats: readonly string[]): void;
  }

  export class Eleventy {
    constructor(
      input: string,
      output: string,
      options: {
        readonly quietMode: boolean;
        readonly configPath: null | false;
        readonly config: (config: EleventyConfig) => object;
      },
    );
    init(): Promise<void>;
    write(): Promise<unknown>;
  }
}
