import ky, { type KyInstance } from 'ky';

/** Sends every request of the project. A response is one whatever its status, and its body was not read. */
export const httpClient: KyInstance = ky.create({
  // `retrying` alone decides what is sent again: two layers would multiply their attempts (R1).
  retry: 0,
  // It would end with the header. `startDeadline` also limits the body, its pauses and its rate (T37, T38, T39).
  timeout: false,
  // What a status means depends on its headers and body, and an HTTPError reads a body without these limits (T22, T37).
  throwHttpErrors: false,
  // `follow` decides, before a header leaves the origin (T41).
  redirect: 'manual',
});
