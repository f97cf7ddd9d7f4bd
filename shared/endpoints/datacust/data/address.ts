import type { Address } from '../../../serving/pipeline.ts'
import { isAmong } from '../../../base/json.ts'
import { DATA_PLANE } from '../identifiers.ts'

export const KEY_CALLS = [
  'get-metadata',
  'get-versions-metadata',
  'get-public-key',
  'symmetric-encrypt',
  'symmetric-decrypt',
  'generate-random-bytes',
  'asymmetric-encrypt',
  'asymmetric-decrypt',
  'asymmetric-sign',
  'asymmetric-verify',
] as const
export type KeyCall = (typeof KEY_CALLS)[number]

export interface DatacustAddress extends Address {
  readonly operation: KeyCall | 'get-keystore-metadata'
  readonly keystore: string
}

const isKeyCall = (word: string): word is KeyCall => isAmong(KEY_CALLS, word)

/** `undefined` for an unknown path. */
export function parsePath(path: string): DatacustAddress | undefined {
  const [keystore = '', first = '', key = '', call = '', ...more] = path.startsWith(DATA_PLANE)
    ? path.slice(DATA_PLANE.length).split('/')
    : []
  if (keystore === '' || more.length > 0) return undefined
  if (first === 'get-metadata' && key === '' && call === '')
    return { operation: 'get-keystore-metadata', method: 'POST', keystore, key: undefined }
  if (first !== 'keys' || key === '' || !isKeyCall(call)) return undefined
  return { operation: call, method: 'POST', keystore, key }
}
