import type { Context } from '../../../http/context.ts'
import { bytesInFormat, exportMaterial } from '../../../crypto/material/export-material.ts'
import type { MaterialFormat } from '../../../crypto/material/import-material.ts'
import { encryptJwe } from '../../../crypto/jose/jwe.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { macSign } from '../../../crypto/signing/mac-sign.ts'
import { exportUnderPassword } from '../../../crypto/material/password-material.ts'
import type { SecretBytes } from '../../../crypto/secret-bytes.ts'
import { wrap } from '../../../crypto/wrap.ts'
import type { LocalKeyWithMaterial } from '../model.ts'
import type { ExportLocalKey } from './wrapping-fields.ts'
import { pointingAt } from './material.ts'
import { rsaPublicKey, wrappingRow, withWrappingKey } from './wrapping-key.ts'

type Exported = Pick<LocalKeyWithMaterial, 'encoding' | 'macSignature' | 'macSignatureAlgorithm'> & { material: string }

/**
 * Material for an export: in the clear, with or without a MAC or signature; under a password; wrapped under a key.
 * @throws Refusal RULE_BROKEN; those of `withWrappingKey`; TOO_MANY_REQUESTS
 */
export async function materialFor(context: Context, material: KeyMaterial, request: ExportLocalKey): Promise<Exported> {
  const { format, encoding, password, wrapKeyName, wrapPublicKey, wrappingMethod } = request
  if (format === 'jwe') return { material: await asJwe(context, material, request) }
  if (wrappingMethod === 'pbe')
    return pointingAt('#/format', () => exportUnderPassword(material, { format, encoding, password: password ?? '' }))
  if (wrappingMethod === 'mac/sign') return macSigned(context, material, request, format)
  if (wrapKeyName === undefined && wrapPublicKey === undefined)
    return { material: await pointingAt('#/format', () => exportMaterial(material, { format, encoding, password })) }
  const bytes = await pointingAt('#/format', () => bytesInFormat(material, format))
  try {
    const wrapped =
      wrapPublicKey === undefined
        ? await underLocalKey(context, bytes, request)
        : await pointingAt('#/wrapPublicKey', () =>
            wrap(wrappingRow(request, false), rsaPublicKey(wrapPublicKey), bytes),
          )
    return { material: wrapped.toString(encoding ?? 'base64'), encoding: encoding ?? 'base64' }
  } finally {
    bytes.destroy()
  }
}

const underLocalKey = (context: Context, bytes: SecretBytes, request: ExportLocalKey): Promise<Buffer> =>
  withWrappingKey(context, request, 'protect', (kek) =>
    pointingAt('#/wrapKeyName', () => wrap(wrappingRow(request, kek.algorithm === 'aes'), kek, bytes)),
  )

function asJwe(context: Context, material: KeyMaterial, request: ExportLocalKey): Promise<string> {
  const { password, wrapPublicKey, wrapPublicKeyPadding: padding } = request
  if (password !== undefined) return pointingAt('#/format', () => encryptJwe(material, { password }))
  if (wrapPublicKey !== undefined)
    return pointingAt('#/wrapPublicKey', () => encryptJwe(material, { key: rsaPublicKey(wrapPublicKey), padding }))
  return withWrappingKey(context, request, 'protect', (key) =>
    pointingAt('#/wrapKeyName', () => encryptJwe(material, { key, padding })),
  )
}

/** Ours: the MAC or signature is over the bytes themselves, raw or DER, whatever their text encoding. */
const macSigned = (
  context: Context,
  material: KeyMaterial,
  request: ExportLocalKey,
  format: MaterialFormat | undefined,
): Promise<Exported> =>
  withWrappingKey(context, request, 'protect', async (key) => {
    const { encoding } = request
    const text = await pointingAt('#/format', () => exportMaterial(material, { format, encoding }))
    const bytes = bytesInFormat(material, format)
    try {
      const { macSignature, macSignatureAlgorithm } = bytes.use((clear) => macSign(key, clear))
      return {
        material: text,
        ...(encoding && { encoding }),
        macSignature: macSignature.toString(encoding ?? 'base64'),
        macSignatureAlgorithm,
      }
    } finally {
      bytes.destroy()
    }
  })
