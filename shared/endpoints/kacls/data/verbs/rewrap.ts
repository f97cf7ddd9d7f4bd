import { resourceKeyHash } from '../../../../crypto/protocols/resource-key-hash.ts'
import { someBytesIn, someTextIn } from '../message.ts'
import { MIGRATION } from '../authentication.ts'
import { verb, type KaclsCall } from '../call.ts'
import { forbidden } from '../errors.ts'
import { sealing, type Sealing } from '../kek.ts'
import { ownToken } from '../own-token.ts'
import { unwrappedBy } from '../peer.ts'
import { spelledUrl } from '../service-url.ts'
import { assertNotReserved, wrapped, type Unwrapped } from './wrap.ts'

const BLOB_BYTES = 1_024
const URL_BYTES = 2_048
/** Ours: short, because the other service is called at once. */
const TOKEN_SECONDS = 300

interface Message {
  readonly blob: Buffer
  readonly original: string
}

interface Migrated {
  readonly key: Unwrapped
  readonly kek: Sealing
}

/**
 * The service that wrapped a key, if the endpoint lists it. @throws KaclsRefusal FORBIDDEN: then no service is called
 */
function formerService({ endpoint, record }: KaclsCall, original: string): string {
  const url = spelledUrl(original)
  if (url === undefined || !endpoint.formerServices.has(url)) throw forbidden(record, 'rewrap-configuration')
  record.peer = url
  return url
}

async function migrated(call: KaclsCall, { blob, original }: Message): Promise<Migrated> {
  const { endpoint, authorization, now, record } = call
  const { resourceName = '', perimeterId = '' } = authorization ?? {}
  const url = formerService(call, original)
  assertNotReserved({ perimeterId })
  const kek = await sealing(endpoint, call)
  const token = await ownToken(
    endpoint,
    { aud: MIGRATION, kacls_url: url, resource_name: resourceName },
    TOKEN_SECONDS,
    now,
  )
  const key = await unwrappedBy(url, {
    authentication: token,
    wrapped_key: blob.toString('base64'),
    resource_name: resourceName,
    reason: record.reason ?? '',
  })
  return { key: { key, resourceName, perimeterId }, kek }
}

/** POST rewrap: wraps here a key that another service wrapped. */
export const rewrap = verb<Message, Migrated>({
  tokens: { authorization: 'migration', roles: ['migrator'] },
  message: (fields) => ({
    blob: someBytesIn(fields, 'wrapped_key', BLOB_BYTES),
    original: someTextIn(fields, 'original_kacls_url', URL_BYTES),
  }),
  key: migrated,
  use: (call, _message, { key, kek }) => {
    const resource_key_hash = resourceKeyHash(key.key, key.resourceName, key.perimeterId)
    return { resource_key_hash, wrapped_key: wrapped(call, key, kek) }
  },
})
