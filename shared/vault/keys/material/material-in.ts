import type { Context } from '../../../http/context.ts'
import {
  decodeLabelled,
  importMaterial,
  materialFromBytes,
  receivedBytes,
  type MaterialEncoding,
  type MaterialFormat,
} from '../../../crypto/material/import-material.ts'
import { materialFromJwe } from '../../../crypto/jose/jwe.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { assertMacSigned } from '../../../crypto/signing/mac-sign.ts'
import type { ObjectType } from '../../../crypto/object-types.ts'
import { importUnderPassword } from '../../../crypto/material/password-material.ts'
import { unwrap } from '../../../crypto/wrap.ts'
import { Refusal } from '../../../base/errors.ts'
import { pointingAt } from './material.ts'
import { wrappingRow, withWrappingKey, type Wrapping } from './wrapping-key.ts'

export interface Import extends Wrapping {
  readonly algorithm?: string | undefined
  readonly objectType?: ObjectType | undefined
  readonly size?: number | undefined
  readonly curveid?: string | undefined
  readonly xts?: boolean | undefined
  readonly material: string
  readonly format?: MaterialFormat | 'jwe' | undefined
  readonly encoding?: MaterialEncoding | undefined
  readonly password?: string | undefined
  readonly macSignature?: string | undefined
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const HEX = /^(?:[0-9a-fA-F]{2})+$/

function decoded(text: string, encoding: MaterialEncoding = 'base64', what = 'wrapped material'): Buffer {
  if (!(encoding === 'hex' ? HEX : BASE64).test(text)) throw new Refusal('RULE_BROKEN', `${what} must be ${encoding}`)
  return Buffer.from(text, encoding)
}

const expectedOf = ({ algorithm, objectType, size: sizeBits, curveid: curve, xts }: Import) => ({
  algorithm,
  objectType,
  sizeBits,
  curve,
  xts,
})

/**
 * Material from a request: in the clear, with or without a MAC or signature; wrapped under a local key; under a password.
 * Destroy it after use.
 * @throws Refusal RULE_BROKEN, CIPHERTEXT_INVALID; those of `withWrappingKey`; TOO_MANY_REQUESTS
 */
export async function materialFrom(context: Context, request: Import): Promise<KeyMaterial> {
  const { wrappingMethod, format, wrapKeyName } = request
  if (format === 'jwe') return fromJwe(context, request)
  if (wrappingMethod === 'pbe') return fromPassword(request, format)
  if (wrappingMethod === 'mac/sign') await assertGenuine(context, request)
  else if (wrapKeyName !== undefined) return fromLocalKey(context, request, format)
  return pointingAt('#/material', () => importMaterial({ ...request, ...expectedOf(request), format }))
}

const fromLocalKey = (context: Context, request: Import, format: MaterialFormat | undefined): Promise<KeyMaterial> =>
  withWrappingKey(context, request, 'process', (kek) =>
    pointingAt('#/material', () => {
      const wrapped = decoded(request.material, request.encoding)
      const bytes = unwrap(wrappingRow(request, kek.algorithm === 'aes'), kek, wrapped)
      return materialFromBytes({ ...expectedOf(request), format, bytes })
    }),
  )

function fromJwe(context: Context, request: Import): Promise<KeyMaterial> {
  const { material, password, wrapPublicKeyPadding: padding } = request
  const expected = expectedOf(request)
  if (password !== undefined) return pointingAt('#/material', () => materialFromJwe(material, { password }, expected))
  return withWrappingKey(context, request, 'process', (key) =>
    pointingAt('#/material', () => materialFromJwe(material, { key, padding }, expected)),
  )
}

const fromPassword = (request: Import, format: MaterialFormat | undefined): Promise<KeyMaterial> =>
  pointingAt('#/material', () => {
    const { material, encoding, password = '' } = request
    const isPem = encoding === undefined && material.includes('-----BEGIN ')
    const encrypted = isPem ? decodeLabelled(material, 'ENCRYPTED PRIVATE KEY') : decoded(material, encoding)
    return importUnderPassword({ ...expectedOf(request), format, password }, encrypted)
  })

/** Ours: verified over the bytes as received, before they are parsed as a key. */
async function assertGenuine(context: Context, request: Import): Promise<void> {
  const { encoding, macSignature = '' } = request
  await withWrappingKey(context, request, 'process', async (key) => {
    const received = await pointingAt('#/material', () => receivedBytes(request))
    try {
      await pointingAt('#/macSignature', () => {
        const signature = decoded(macSignature, encoding, 'macSignature')
        received.use((bytes) => assertMacSigned(key, bytes, signature))
      })
    } finally {
      received.destroy()
    }
  })
}
