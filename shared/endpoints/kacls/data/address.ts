import type { Address } from '../../../serving/pipeline.ts'
import { ALIASES, CALLS, isCall, type CallName } from '../calls.ts'
import { DATA_PLANE } from '../identifiers.ts'

export interface KaclsAddress extends Address {
  readonly operation: CallName
  /** id of the endpoint in the path */
  readonly endpoint: string
}

/** `undefined` for an unknown path. */
export function parsePath(path: string): KaclsAddress | undefined {
  const [endpoint = '', word = '', ...more] = path.startsWith(DATA_PLANE)
    ? path.slice(DATA_PLANE.length).split('/')
    : []
  const operation = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word
  if (endpoint === '' || more.length > 0 || operation === undefined || !isCall(operation)) return undefined
  return { operation, method: CALLS[operation], endpoint, key: undefined }
}
