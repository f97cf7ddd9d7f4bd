import { resourceKeyHash } from '../../../../crypto/protocols/resource-key-hash.ts'
import type { Fields } from '../../../../base/json.ts'
import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import type { BlobFields } from '../../../../crypto/protocols/kacls-blob.ts'
import { PERIMETER_BYTES, TAKEOUT } from '../../perimeter-id.ts'
import type { Authorization } from '../authorization.ts'
import { assertMayOpen } from '../authorize.ts'
import { verb, type KaclsCall } from '../call.ts'
import { badRequest, forbidden } from '../errors.ts'
import { opened, orZeroed, sealed, sealing, type Sealing } from '../kek.ts'
import { someBytesIn, someTextIn, textIn } from '../message.ts'
import { assertWithin } from '../perimeter.ts'

const KEY_BYTES = 128
const BLOB_BYTES = 1_024
const RESOURCE_BYTES = 512

/** The resource and perimeter sealed with a key. */
interface Resource {
  readonly resourceName: string
  /** empty for none */
  readonly perimeterId: string
}

/** A key from a blob, with its resource and perimeter. */
export interface Unwrapped extends Resource {
  /** zero it after use */
  readonly key: Buffer
}

const blobIn = (fields: Fields): Buffer => someBytesIn(fields, 'wrapped_key', BLOB_BYTES)

/** The authorization, for a call that requires one. @throws Error, a fault */
function authorizationOf({ authorization }: KaclsCall): Authorization {
  if (authorization === undefined) throw new Error('This call has no authorization')
  return authorization
}

/** Only calls without an authorization may use the perimeter `takeout`. @throws KaclsRefusal BAD_REQUEST */
export function assertNotReserved({ perimeterId }: Pick<Resource, 'perimeterId'>): void {
  if (perimeterId === TAKEOUT) throw badRequest(`perimeter_id must not be ${TAKEOUT}, which is reserved.`)
}

/** Seals a key with its resource and perimeter, and zeroes it. @returns the blob in base64 */
export function wrapped({ endpoint, record }: KaclsCall, { key, ...of }: Unwrapped, kek: Sealing): string {
  record.version = endpoint.latest.version
  const fields: BlobFields = [key, Buffer.from(of.resourceName), Buffer.from(of.perimeterId)]
  const blob = sealed(endpoint, 'dek', fields, kek)
  key.fill(0)
  return blob
}

/**
 * Opens a blob for a resource. @param permits evaluates the perimeter on the opened fields
 * @throws KaclsRefusal FORBIDDEN, for a blob of another resource too; Refusal CIPHERTEXT_INVALID
 */
const unwrapped = (
  call: KaclsCall,
  blob: Buffer,
  resourceName: string,
  permits?: (found: Resource) => MaybePromise<void>,
): MaybePromise<Unwrapped> =>
  after(opened(call, 'dek', blob), ([key, name, perimeter]) =>
    orZeroed(key, () => {
      const of = { resourceName: name.toString(), perimeterId: perimeter.toString() }
      if (of.resourceName !== resourceName) throw forbidden(call.record, 'resource_name')
      return after(permits?.(of), () => ({ key, ...of }))
    }),
  )

/** The answer with a key; zeroes the key. */
function shown({ key }: Unwrapped): { key: string } {
  const answer = { key: key.toString('base64') }
  key.fill(0)
  return answer
}

/** POST wrap */
export const wrap = verb<Buffer, Sealing>({
  tokens: { authentication: ['user', 'delegated'], authorization: 'application', roles: ['writer', 'upgrader'] },
  message: (fields) => someBytesIn(fields, 'key', KEY_BYTES),
  key: (call) => {
    const authorization = authorizationOf(call)
    assertNotReserved(authorization)
    return after(assertWithin(call, authorization.perimeterId), () => sealing(call.endpoint, call))
  },
  use: (call, key, kek) => {
    const { resourceName, perimeterId } = authorizationOf(call)
    return { wrapped_key: wrapped(call, { key, resourceName, perimeterId }, kek) }
  },
})

/** POST unwrap. The perimeter sealed with the key decides, not the one in the token. */
export const unwrap = verb<Buffer, Unwrapped>({
  tokens: { authentication: ['user', 'delegated'], authorization: 'application', roles: ['reader', 'writer'] },
  message: blobIn,
  key: (call, blob) =>
    unwrapped(call, blob, authorizationOf(call).resourceName, ({ perimeterId }) => assertWithin(call, perimeterId)),
  use: (_call, _blob, found) => shown(found),
})

/** POST privilegedwrap: wraps keys for an administrator's import. */
export const privilegedWrap = verb<Unwrapped, Sealing>({
  tokens: { authentication: ['user'] },
  message: (fields) => {
    const message = {
      key: someBytesIn(fields, 'key', KEY_BYTES),
      resourceName: someTextIn(fields, 'resource_name', RESOURCE_BYTES),
      perimeterId: textIn(fields, 'perimeter_id', PERIMETER_BYTES),
    }
    assertNotReserved(message)
    return message
  },
  key: (call, message) => {
    call.record.resource = message.resourceName
    return after(assertWithin(call, message.perimeterId), () => sealing(call.endpoint, call))
  },
  use: (call, message, kek) => ({ wrapped_key: wrapped(call, message, kek) }),
})

interface Takeout {
  readonly blob: Buffer
  readonly resourceName: string
}

/** POST privilegedunwrap: unwraps keys for an administrator's export, or for a migration to another service. */
export const privilegedUnwrap = verb<Takeout, Unwrapped>({
  tokens: { authentication: ['user', 'service'] },
  message: (fields) => ({ blob: blobIn(fields), resourceName: someTextIn(fields, 'resource_name', RESOURCE_BYTES) }),
  key: (call, { blob, resourceName }) => {
    const { authentication, record } = call
    record.resource = resourceName
    assertMayOpen(call)
    if (authentication?.kind === 'service' && authentication.resourceName !== resourceName)
      throw forbidden(record, 'resource_name')
    return unwrapped(call, blob, resourceName, () => assertWithin(call, TAKEOUT))
  },
  use: (_call, _message, found) => shown(found),
})

/** POST digest. Ours: no user calls this, so the perimeter is not evaluated: role and issuer decide. */
export const digest = verb<Buffer, Unwrapped>({
  tokens: { authorization: 'migration', roles: ['verifier'] },
  message: blobIn,
  key: (call, blob) => unwrapped(call, blob, authorizationOf(call).resourceName),
  use: (_call, _blob, { key, resourceName, perimeterId }) => {
    const resource_key_hash = resourceKeyHash(key, resourceName, perimeterId)
    key.fill(0)
    return { resource_key_hash }
  },
})
