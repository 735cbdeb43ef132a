import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { served, type Answer } from '../../mocks/network.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

/** What `modreg resolve` says of a registry, with a line in the token file for it. */
async function said(kind: string, answer: Answer, token: string): Promise<string> {
  const address = await served(answer);
  const folder = temporaryFolder();
  writeFileSync(`${folder}/tokens`, `${address} ${token}\n`, { mode: 0o600 });
  const command = ['resolve', 'acme:lidar', 'latest', '--registry', `${kind}${address}`];
  const { stderr } = await inProcess(command, { PLATFORM_HOME: folder });
  return stderr.trimEnd().replaceAll(address, 'ADDRESS');
}

const denial: Answer = () => new Response(null, { status: 401 });

/** Repeats a text where a message shows it. */
function repeating(type: string): Answer {
  return () => new Response('', { headers: { 'content-type': type } });
}

/** The registry of a token server that issues this token, which it then refuses. */
function withTokens(token: string): Answer {
  return ({ url, headers }) => {
    const { origin, pathname } = new URL(url);
    if (pathname === '/token') return Response.json({ token });
    const challenge = { 'www-authenticate': `Bearer realm="${origin}/token",service="r"` };
    const isAsked = headers.has('authorization');
    return new Response(null, { status: isAsked ? 403 : 401, headers: isAsked ? {} : challenge });
  };
}

const TOKEN = 'denies access with the token that was sent';
const PASSWORD = 'denies access with the user and the password that were sent';
const UNASKED = 'denies access without the user and the password, which it did not ask for';

describe('[T514] a short secret does not change the words of a message', () => {
  it.each([
    ['a token of one character', '', 'e', TOKEN],
    ['a token that is a word', '', 'the', TOKEN],
    ['a token that is a part of words', '', 'regi', TOKEN],
    ['an empty password', 'npm:', 'ada:', PASSWORD],
    ['a password of one character', 'npm:', 'ada:s', PASSWORD],
    ['a user of one character without a password', 'oci:', 'a:', UNASKED],
  ])('%s', async (_what, kind, token, denied) => {
    expect(await said(kind, denial, token)).toBe(
      `error[REGISTRY_REFUSED]: the registry ${kind}ADDRESS ${denied} (401)`,
    );
  });

  it.each(['e', 'th', 'ess'])('the token "%s" of a token server', async (issued) => {
    expect(await said('oci:', withTokens(issued), 'ada:pass-word')).toBe(
      'error[REGISTRY_REFUSED]: the registry oci:ADDRESS denies access with the token that its token server gave (403)',
    );
  });
});

describe('[T514] a secret that a registry repeats is hidden', () => {
  it.each([
    ['long, anywhere', 'modreg_3q2', 'xmodreg_3q2x', 'x[token]x'],
    ['four characters, alone', 'regi', 'not regi, regina', 'not [token], regina'],
    ['in a header', 'abc', 'got Bearer abc', 'got Bearer [token]'],
    [
      'as user info',
      'abc',
      'https://abc@h and https://u:abc@h',
      'https://[token]@h and https://u:[token]@h',
    ],
    [
      'as a field',
      'a.c',
      'token=a.c, "password": "a.c", token: abc',
      'token=[token], "password": "[token]", token: abc',
    ],
    ['in quotes', 'abc', 'no "abc" here', 'no "[token]" here'],
  ])('%s', async (_what, token, sent, shown) => {
    expect((await said('', repeating(sent), token)).split('\n')[0]).toBe(
      `error[NOT_A_REGISTRY]: the registry ADDRESS does not respond like a registry: got ${shown}`,
    );
  });

  it('and the longer of two that contain one another', async () => {
    const sent = repeating('ada:pass-word, pass-word');
    expect((await said('npm:', sent, 'ada:pass-word')).split('\n')[0]).toBe(
      'error[NOT_A_REGISTRY]: the registry npm:ADDRESS does not respond like a registry: got [token], [token]',
    );
  });

  it('and nothing of an empty password', async () => {
    expect((await said('npm:', repeating('no "" here'), 'ada:')).split('\n')[0]).toBe(
      'error[NOT_A_REGISTRY]: the registry npm:ADDRESS does not respond like a registry: got no "" here',
    );
  });
});
