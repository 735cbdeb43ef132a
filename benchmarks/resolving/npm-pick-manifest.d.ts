declare module 'npm-pick-manifest' {
  export default function pickManifest(packument: object, wanted: string): { version: string };
}
