import { createPublicKey } from 'node:crypto'
import type { Context } from '../../http/context.ts'
import { algorithmNamed } from '../../crypto/algorithms.ts'
import { USAGE } from '../../crypto/usage.ts'
import { bytesInFormat, exportMaterial } from '../../crypto/export-material.ts'
import {
  importMaterial,
  materialFromBytes,
  type MaterialEncoding,
  type MaterialFormat,
} from '../../crypto/import-material.ts'
import type { KeyMaterial } from '../../crypto/key-material.ts'
import type { ObjectType } from '../../crypto/object-types.ts'
import { SecretBytes } from '../../crypto/secret-bytes.ts'
import { unwrap, wrap, wrappingNamed } from '../../crypto/wrap.ts'
import { Refusal } from '../../base/errors.ts'
import { openFor, sealFor } from '../../keyring/domain-key.ts'
import type { ExportLocalKey } from './model.ts'
import type { StoredLocalKey } from './store.ts'
import { assertMayUse } from './access.ts'
import { findKey } from './find-key.ts'
import { assertUsable } from './key-state.ts'
import { sealPurpose } from './seal-purpose.ts'

/** Fields of a request that describe how material is wrapped. */
type Wrapping = Pick<
  ExportLocalKey,
  'wrapKeyName' | 'wrapKeyIDType' | 'wrappingEncryptionAlgo' | 'wrapPublicKeyPadding'
>
export interface Import extends Wrapping {
  readonly algorithm?: string | undefined
  readonly objectType?: ObjectType | undefined
  readonly size?: number | undefined
  readonly curveid?: string | undefined
  readonly material: string
  readonly format?: MaterialFormat | undefined
  readonly encoding?: MaterialEncoding | undefined
  readonly password?: string | undefined
}

/** Runs `work` and adds a pointer to any refusal that names no field. */
export async function pointingAt<T>(pointer: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && error.errors.length === 0)
      throw new Refusal(error.reason, error.message, { cause: error, errors: [{ pointer, detail: error.message }] })
    throw error
  }
}

export const sealMaterial = (
  domain: string,
  key: Pick<StoredLocalKey, 'id' | 'version'>,
  { bytes }: KeyMaterial,
): Promise<string> => {
  const clear = bytes.use((own) => Buffer.from(own))
  return sealFor(domain, sealPurpose(key), clear).finally(() => clear.fill(0))
}

/** The material of a key; destroy it after use. @throws Refusal STATE_CONFLICT if it has none */
export async function openMaterial(domain: string, key: StoredLocalKey): Promise<KeyMaterial> {
  if (key.sealed === undefined) throw new Refusal('STATE_CONFLICT', `The key ${key.name} has no material.`)
  const bytes = SecretBytes.take(await openFor(domain, sealPurpose(key), key.sealed))
  const { name } = algorithmNamed(key.algorithm)
  return {
    objectType: key.objectType,
    algorithm: name,
    sizeBits: key.size,
    bytes,
    ...(key.curveid !== undefined && { curve: key.curveid }),
  }
}

/** A local key that wraps or unwraps for the caller. @throws Refusal NOT_FOUND, ACTION_DENIED, USAGE_DENIED, STATE_CONFLICT */
async function wrappingKey(
  context: Context,
  { wrapKeyName = '', wrapKeyIDType }: Wrapping,
  use: 'protect' | 'process',
): Promise<KeyMaterial> {
  const { item } = await findKey(
    context,
    wrapKeyName,
    { type: wrapKeyIDType },
    { pointer: '#/wrapKeyName', detail: 'is not there' },
  )
  assertMayUse(context.caller, item, use === 'protect' ? 'EncryptWithKey' : 'DecryptWithKey')
  const bit = use === 'protect' ? USAGE.wrap : USAGE.unwrap
  if ((item.usageMask & bit) === 0)
    throw new Refusal(
      'USAGE_DENIED',
      `The usageMask of ${item.name} does not allow to ${use === 'protect' ? 'wrap' : 'unwrap'}.`,
      {
        errors: [{ pointer: '#/wrapKeyName', detail: 'its usageMask does not allow it' }],
      },
    )
  assertUsable(item, use, context.now)
  return openMaterial(context.caller.domain.id, item)
}

/** Ours: the default wrapping is RFC 5649 for AES, and RSA-AES, which fits any key, for RSA. */
const defaultWrapping = (isAes: boolean) => ({
  wrappingEncryptionAlgo: isAes ? 'AES/AESKEYWRAPPADDING' : 'RSA/RSAAESKEYWRAPPADDING',
})

function rowFor(wrapping: Wrapping, isAes: boolean): ReturnType<typeof wrappingNamed> {
  const isGiven = wrapping.wrappingEncryptionAlgo !== undefined || wrapping.wrapPublicKeyPadding !== undefined
  return wrappingNamed(isGiven ? wrapping : defaultWrapping(isAes))
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const HEX = /^(?:[0-9a-fA-F]{2})+$/

function wrappedBytes(material: string, encoding: MaterialEncoding = 'base64'): Buffer {
  if (!(encoding === 'hex' ? HEX : BASE64).test(material))
    throw new Refusal('RULE_BROKEN', `wrapped material must be ${encoding}`)
  return Buffer.from(material, encoding)
}

/** Material from a request, in the clear or wrapped under a local key. Destroy it after use. */
export async function materialFrom(context: Context, request: Import): Promise<KeyMaterial> {
  const { algorithm, objectType, size: sizeBits, curveid: curve, format } = request
  if (request.wrapKeyName === undefined)
    return pointingAt('#/material', () => importMaterial({ ...request, sizeBits, curve }))
  const kek = await wrappingKey(context, request, 'process')
  try {
    return await pointingAt('#/material', () => {
      const bytes = unwrap(
        rowFor(request, kek.algorithm === 'aes'),
        kek,
        wrappedBytes(request.material, request.encoding),
      )
      return materialFromBytes({ algorithm, objectType, format, bytes, sizeBits, curve })
    })
  } finally {
    kek.bytes.destroy()
  }
}

/** Material for an export: in the clear, under a password, or wrapped under a key. */
export async function materialFor(
  context: Context,
  material: KeyMaterial,
  request: ExportLocalKey,
): Promise<{ material: string; encoding?: string }> {
  const { format, encoding, password, wrapKeyName, wrapPublicKey } = request
  if (wrapKeyName === undefined && wrapPublicKey === undefined)
    return { material: await pointingAt('#/format', () => exportMaterial(material, { format, encoding, password })) }
  const bytes = await pointingAt('#/format', () => bytesInFormat(material, format))
  try {
    const wrapped =
      wrapPublicKey === undefined
        ? await underLocalKey(context, bytes, request)
        : await pointingAt('#/wrapPublicKey', () => wrap(rowFor(request, false), rsaPublicKey(wrapPublicKey), bytes))
    return { material: wrapped.toString(encoding ?? 'base64'), encoding: encoding ?? 'base64' }
  } finally {
    bytes.destroy()
  }
}

async function underLocalKey(context: Context, bytes: SecretBytes, request: ExportLocalKey): Promise<Buffer> {
  const kek = await wrappingKey(context, request, 'protect')
  try {
    return await pointingAt('#/wrapKeyName', () => wrap(rowFor(request, kek.algorithm === 'aes'), kek, bytes))
  } finally {
    kek.bytes.destroy()
  }
}

function rsaPublicKey(pem: string): ReturnType<typeof createPublicKey> {
  if (!/^-----BEGIN (RSA )?PUBLIC KEY-----/.test(pem.trimStart()))
    throw new Refusal('RULE_BROKEN', 'wrapPublicKey must be the PEM of a public key')
  let key
  try {
    key = createPublicKey(pem)
  } catch {
    throw new Refusal('RULE_BROKEN', 'wrapPublicKey must be the PEM of a public key')
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new Refusal('RULE_BROKEN', 'wrapPublicKey must be an RSA key of at least 2048 bits')
  return key
}
