/** What the cloud may ask of a proxy. */
export type XksOperation = 'GetHealthStatus' | 'GetKeyMetadata' | 'Encrypt' | 'Decrypt'

/** One of the four addresses. */
export interface Address {
  /** what stands before `/kms/xks/v1`: empty, or one or several segments, each with its `/` */
  readonly prefix: string
  readonly operation: XksOperation
  /** empty for the health of the store */
  readonly keyId: string
}

const FORM =
  /^((?:\/[A-Za-z0-9_-]+)*)\/kms\/xks\/v1\/(?:(health)|keys\/([A-Za-z0-9._-]{1,128})\/(metadata|encrypt|decrypt))$/

const OPERATIONS: Readonly<Record<string, XksOperation>> = {
  metadata: 'GetKeyMetadata',
  encrypt: 'Encrypt',
  decrypt: 'Decrypt',
}

/** `undefined` for what is none of the four, and for the ids `.` and `..`, which stand for something else on the way here. */
export function parseAddress(path: string): Address | undefined {
  const [, prefix, health, keyId = '', word = ''] = FORM.exec(path) ?? []
  if (prefix === undefined) return undefined
  if (health !== undefined) return { prefix, operation: 'GetHealthStatus', keyId: '' }
  const operation = OPERATIONS[word]
  return operation === undefined || keyId === '.' || keyId === '..' ? undefined : { prefix, operation, keyId }
}

/** Before the id of the store; the gateway hands everything below it to this function. */
const BASE = '/api/v1/keymgr/cloud-a/xks-proxy-endpoints/'
const STORE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The store a prefix means. `undefined` if it can mean none. */
export function storeIdOf(prefix: string): string | undefined {
  const id = prefix.startsWith(BASE) ? prefix.slice(BASE.length) : ''
  return STORE_ID.test(id) ? id : undefined
}
