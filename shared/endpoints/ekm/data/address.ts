/** Verbs on a key that are answered. */
export const KEY_VERBS = ['wrap', 'unwrap', 'asymmetricSign', 'getPublicKey'] as const
export type KeyVerb = (typeof KEY_VERBS)[number]

/** Verbs that the cloud knows and this service does not have, in every spelling. */
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

/** What an address means. @see protocol of the EKM data plane, "Verbs and calls" */
export interface Address {
  /** in the cloud's first spelling: what it is called in records */
  readonly operation: string
  /** id of a local key's version; empty for what is about no key */
  readonly kekId: string
  /** `undefined` for what is known and not built */
  readonly verb: KeyVerb | undefined
}

const BASE = '/api/v1/keymgr/ekm/'
const isKeyVerb = (word: string): word is KeyVerb => (KEY_VERBS as readonly string[]).includes(word)
const wordIn = (words: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(words, word) ? words[word] : undefined

/** `undefined` for what is none. The verb stands behind the last colon of the last segment. */
export function parseAddress(path: string): Address | undefined {
  const [kind = '', last = '', ...more] = path.startsWith(BASE) ? path.slice(BASE.length).split('/') : []
  if (more.length > 0) return undefined
  if (kind === 'session') {
    const operation = wordIn(SESSION_CALLS, last)
    return operation === undefined ? undefined : { operation, kekId: '', verb: undefined }
  }
  const colon = last.lastIndexOf(':')
  if (colon < 1 || (kind !== 'endpoints' && kind !== 'cryptospaces')) return undefined
  const word = last.slice(colon + 1)
  const kekId = kind === 'endpoints' ? last.slice(0, colon) : ''
  if (kekId !== '' && isKeyVerb(word)) return { operation: word, kekId, verb: word }
  const operation = wordIn(NOT_BUILT, word)
  return operation === undefined ? undefined : { operation, kekId, verb: undefined }
}
