import { createPublicKey } from 'node:crypto'
import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { getKey } from '../../../cloud/keys/find-key.ts'
import type { Context } from '../../../http/context.ts'
import { keyKind } from './kind.ts'

/**
 * The public key of a pair, from the cloud's description of the version.
 * @returns SubjectPublicKeyInfo as PEM
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for a symmetric key
 */
export async function publicKeyOf(context: Context, id: string): Promise<string> {
  const { kty, crv, n, e, x, y } = (await getKey(keyKind, context, id)).item.cloud_b_param.key
  if (kty.startsWith('oct')) throw new Refusal('STATE_CONFLICT', `A key of the kind ${kty} has no public key.`)
  const curve = crv === 'SECP256K1' ? 'secp256k1' : crv // its name in RFC 8812
  const key = kty.startsWith('RSA') ? { kty: 'RSA', n, e } : { kty: 'EC', crv: curve, x, y }
  return createPublicKey({ key: defined(key), format: 'jwk' })
    .export({
      type: 'spki',
      format: 'pem',
    })
    .toString() // PEM is text
}
