import type { Address } from '../../../serving/pipeline.ts'
import { isAmong } from '../../../base/json.ts'

export const SPACE_CALLS = ['createKey', 'checkCryptoSpacePermissions'] as const
export type SpaceCall = (typeof SPACE_CALLS)[number]

/** An address of a space: its id, and a call after a colon. */
export interface SpaceAddress extends Address {
  readonly operation: SpaceCall
  /** id of the space */
  readonly key: string
}

const PATH = /^\/api\/v1\/keymgr\/ekm\/cryptospaces\/([^/:]+):([^/]*)$/

/** Whether a path names a call on a space, known or not. */
export const isSpacePath = (path: string): boolean => PATH.test(path)

const isCall = (word: string): word is SpaceCall => isAmong(SPACE_CALLS, word)

/** `undefined` for an unknown call. */
export function parseSpacePath(path: string): SpaceAddress | undefined {
  const [, key, word = ''] = PATH.exec(path) ?? []
  return key !== undefined && isCall(word) ? { operation: word, method: 'POST', key } : undefined
}
