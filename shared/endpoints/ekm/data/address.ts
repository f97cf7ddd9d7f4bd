import type { Address } from '../../../serving/pipeline.ts'
import { isAmong } from '../../../base/json.ts'

export const KEY_VERBS = ['wrap', 'unwrap', 'asymmetricSign', 'asymmetricVerify', 'getPublicKey', 'destroyKey'] as const
export type KeyVerb = (typeof KEY_VERBS)[number]

/** Verbs within an attested session. */
export const CONFIDENTIAL_VERBS = ['confidentialwrap', 'confidentialunwrap'] as const
export type ConfidentialVerb = (typeof CONFIDENTIAL_VERBS)[number]

export const isConfidentialVerb = (verb: string): verb is ConfidentialVerb => isAmong(CONFIDENTIAL_VERBS, verb)

/** Verbs that are offered, in every spelling. */
const VERBS_BY_WORD: ReadonlyMap<string, KeyVerb | ConfidentialVerb> = new Map([
  ...[...KEY_VERBS, ...CONFIDENTIAL_VERBS].map((verb) => [verb, verb] as const),
  ['confidential-wrap', 'confidentialwrap'],
  ['confidential-unwrap', 'confidentialunwrap'],
])

/** Verbs of the cloud that this service does not offer, in every spelling. */
const NOT_BUILT: Readonly<Record<string, string>> = {
  createKey: 'createKey',
  destroyKey: 'destroyKey',
  checkCryptoSpacePermissions: 'checkCryptoSpacePermissions',
}

export const SESSION_CALLS = ['beginsession', 'handshake', 'negotiateattestation', 'finalize', 'endsession'] as const
export type SessionCall = (typeof SESSION_CALLS)[number]

/** Calls of an attested session, in both spellings. */
const CALLS_BY_WORD: ReadonlyMap<string, SessionCall> = new Map([
  ...SESSION_CALLS.map((call) => [call, call] as const),
  ['begin-session', 'beginsession'],
  ['negotiate-attestations', 'negotiateattestation'],
  ['end-session', 'endsession'],
])

export interface SessionAddress extends Address {
  readonly operation: SessionCall
  readonly key: undefined
}

export interface EkmAddress extends Address {
  /** id of a local key's version; `undefined` for a call without a key */
  readonly key: string | undefined
  /** `undefined` for an operation that is known but not offered */
  readonly verb: KeyVerb | ConfidentialVerb | undefined
}

const BASE = '/api/v1/keymgr/ekm/'
const SESSIONS = `${BASE}session/`

/** Whether a path belongs to the calls of sessions, known or not. */
export const isSessionPath = (path: string): boolean => path.startsWith(SESSIONS)

/** `undefined` for an unknown call. */
export function parseSessionPath(path: string): SessionAddress | undefined {
  const operation = CALLS_BY_WORD.get(path.slice(SESSIONS.length))
  return operation && { operation, method: 'POST', key: undefined }
}

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
  const colon = last.lastIndexOf(':')
  if (colon < 1 || (kind !== 'endpoints' && kind !== 'cryptospaces')) return undefined
  const word = last.slice(colon + 1)
  const key = kind === 'endpoints' ? last.slice(0, colon) : undefined
  const verb = VERBS_BY_WORD.get(word)
  if (key !== undefined && verb !== undefined) return { operation: verb, method: 'POST', key, verb }
  return notBuilt(NOT_BUILT, word, key)
}
