import type { Address } from '../../../serving/pipeline.ts'

export const KEY_VERBS = ['wrap', 'unwrap', 'asymmetricSign', 'getPublicKey'] as const
export type KeyVerb = (typeof KEY_VERBS)[number]

/** Verbs of the cloud that this service does not offer, in every spelling. */
const NOT_BUILT: Readonly<Record<string, string>> = {
  confidentialwrap: 'confidentialwrap',
  'confidential-wrap': 'confidentialwrap',
  confidentialunwrap: 'confidentialunwrap',
  'confidential-unwrap': 'confidentialunwrap',
  asymmetricVerify: 'asymmetricVerify',
  createKey: 'createKey',
  destroyKey: 'destroyKey',
  checkCryptoSpacePermissions: 'checkCryptoSpacePermissions',
}

/** Calls of an attested session, in both spellings. */
const SESSION_CALLS: Readonly<Record<string, string>> = {
  beginsession: 'beginsession',
  'begin-session': 'beginsession',
  handshake: 'handshake',
  negotiateattestation: 'negotiateattestation',
  'negotiate-attestations': 'negotiateattestation',
  finalize: 'finalize',
  endsession: 'endsession',
  'end-session': 'endsession',
}

export interface EkmAddress extends Address {
  /** id of a local key's version; `undefined` for a call without a key */
  readonly key: string | undefined
  /** `undefined` for an operation that is known but not offered */
  readonly verb: KeyVerb | undefined
}

const BASE = '/api/v1/keymgr/ekm/'
const isKeyVerb = (word: string): word is KeyVerb => (KEY_VERBS as readonly string[]).includes(word)

/** A known operation, under its first spelling. */
function notBuilt(
  words: Readonly<Record<string, string>>,
  word: string,
  key: string | undefined,
): EkmAddress | undefined {
  const operation = Object.hasOwn(words, word) ? words[word] : undefined
  return operation === undefined ? undefined : { operation, method: 'POST', key, verb: undefined }
}

/** `undefined` for an unknown path. The verb follows the last colon of the last segment. */
export function parsePath(path: string): EkmAddress | undefined {
  const [kind = '', last = '', ...more] = path.startsWith(BASE) ? path.slice(BASE.length).split('/') : []
  if (more.length > 0) return undefined
  if (kind === 'session') return notBuilt(SESSION_CALLS, last, undefined)
  const colon = last.lastIndexOf(':')
  if (colon < 1 || (kind !== 'endpoints' && kind !== 'cryptospaces')) return undefined
  const word = last.slice(colon + 1)
  const key = kind === 'endpoints' ? last.slice(0, colon) : undefined
  if (key !== undefined && isKeyVerb(word)) return { operation: word, method: 'POST', key, verb: word }
  return notBuilt(NOT_BUILT, word, key)
}
