import { chromium, type Browser } from 'playwright-core';

/** Debian's, unless MODREG_CHROMIUM names another one. */
export const CHROMIUM: string = process.env['MODREG_CHROMIUM'] ?? '/usr/bin/chromium';

/** Without a sandbox, because it also runs as root; and without requests of its own. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium without a window. */
export async function launchChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
