import type { Address } from '../../../../serving/pipeline.ts'
import { DATA_PLANE } from '../identifiers.ts'

export interface CrmAddress extends Address {
  readonly operation: 'fetch'
  readonly endpoint: string
  /** of the key; unchecked */
  readonly key: string
}

/** `<endpoint>/keys/<kid>`. The cloud may write two slashes before the kid. */
const FETCH = /^([^/]+)\/keys\/{1,2}([^/]+)$/

/** `undefined` for an unknown path. */
export function parsePath(path: string): CrmAddress | undefined {
  const own = path.replace(/^\/api(?=\/)/, '')
  const [, endpoint, key] = FETCH.exec(own.startsWith(DATA_PLANE) ? own.slice(DATA_PLANE.length) : '') ?? []
  return endpoint === undefined || key === undefined ? undefined : { operation: 'fetch', method: 'GET', endpoint, key }
}
