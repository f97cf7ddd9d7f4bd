import type { Address } from '../../../../serving/pipeline.ts'
import { DATA_PLANE } from '../identifiers.ts'

export const OPERATIONS = [
  'vaultMetadata',
  'keyMetadata',
  'versionMetadata',
  'encrypt',
  'decrypt',
  'generateRandomBytes',
] as const
export type Operation = (typeof OPERATIONS)[number]

export interface ExternalAddress extends Address {
  readonly operation: Operation
  readonly vault: string
  /** id of a version, in a request for its metadata only */
  readonly version: string | undefined
}

/** Operations with a body, by the last segment of their paths. */
const POSTS: Readonly<Record<string, Operation>> = {
  encrypt: 'encrypt',
  decrypt: 'decrypt',
  generateRandomBytes: 'generateRandomBytes',
}
const METADATA = 'metadata'

/** A path below a vault. */
function operationOf(segments: readonly string[]): Pick<ExternalAddress, 'operation' | 'key' | 'version'> | undefined {
  const [first, key, third, version, last] = segments
  const of = (operation: Operation) => ({ operation, key: undefined, version: undefined })
  if (segments.length === 1) {
    if (first === METADATA) return of('vaultMetadata')
    return first === 'generateRandomBytes' ? of(first) : undefined
  }
  if (first !== 'keys' || key === undefined || third === undefined) return undefined
  if (segments.length === 3) {
    const operation = third === METADATA ? 'keyMetadata' : Object.hasOwn(POSTS, third) ? POSTS[third] : undefined
    return operation && { operation, key, version: undefined }
  }
  const isVersion = segments.length === 5 && third === 'keyVersions' && last === METADATA
  return isVersion ? { operation: 'versionMetadata', key, version } : undefined
}

/** `undefined` for an unknown path. */
export function parsePath(path: string): ExternalAddress | undefined {
  if (!path.startsWith(DATA_PLANE)) return undefined
  const [vault = '', ...segments] = path.slice(DATA_PLANE.length).replace(/\/$/, '').split('/')
  const found = operationOf(segments)
  return found && { ...found, vault, method: found.operation.endsWith('Metadata') ? 'GET' : 'POST' }
}
