import type { Address } from '../../../../serving/pipeline.ts'

/** The operations of an external key store's proxy. */
export type XksOperation = 'GetHealthStatus' | 'GetKeyMetadata' | 'Encrypt' | 'Decrypt'

export interface XksAddress extends Address {
  readonly operation: XksOperation
  readonly storeId: string
  /** empty for the health call */
  readonly key: string
}

/** The form of our record ids: a key id of another form belongs to no key. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The gateway routes every path below this prefix to this function. */
const FORM =
  /^\/api\/v1\/keymgr\/cloud-a\/xks-proxy-endpoints\/([^/]+)\/kms\/xks\/v1\/(?:(health)|keys\/([A-Za-z0-9._-]{1,128})\/(metadata|encrypt|decrypt))$/

const OPERATIONS: Readonly<Record<string, XksOperation>> = {
  health: 'GetHealthStatus',
  metadata: 'GetKeyMetadata',
  encrypt: 'Encrypt',
  decrypt: 'Decrypt',
}

/**
 * `undefined` for a path of none of the four operations. The key ids `.` and `..` are refused, because they have
 * another meaning in a path.
 */
export function parsePath(path: string): XksAddress | undefined {
  const [, storeId = '', health, key = '', word = health ?? ''] = FORM.exec(path) ?? []
  const operation = OPERATIONS[word]
  if (operation === undefined || !UUID.test(storeId) || key === '.' || key === '..') return undefined
  return { operation, method: 'POST', storeId, key }
}
