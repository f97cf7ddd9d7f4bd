import { createECDH, createPrivateKey } from 'node:crypto'
import { pkcs8Of } from '../../toolkit/key-pairs.ts'
import { requiredBytes, textAt, type Body } from '../wire/body.ts'
import { badParameter } from '../wire/errors.ts'
import { CURVES } from './key-specs.ts'

/** Key material in a request, with the size that it implies. */
export interface Material {
  readonly bytes: Buffer
  readonly bits?: number | undefined
  readonly crv?: string | undefined
}

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex') || '0'}`)
const inconsistent = () => badParameter('The parameters of the key are not consistent.')

/**
 * The private key in a JWK, as PKCS #8, or the bytes of an octet key. Runtimes accept inconsistent numbers; the cloud
 * refuses them.
 * @throws ApiError BadParameter
 */
export function materialIn(jwk: Body, family: 'RSA' | 'EC' | 'oct'): Material {
  if (family === 'RSA') return rsaIn(jwk)
  if (family === 'EC') return ecIn(jwk)
  const bytes = requiredBytes(jwk, 'k')
  return { bytes, bits: bytes.length * 8 }
}

const RSA_MEMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const

function rsaIn(jwk: Body): Material {
  const members = RSA_MEMBERS.map((name) => [name, requiredBytes(jwk, name)] as const)
  const [n = 0n, e = 0n, d = 0n, p = 0n, q = 0n, dp = 0n, dq = 0n, qi = 0n] = members.map(([, bytes]) =>
    numberOf(bytes),
  )
  const isConsistent =
    p > 1n &&
    q > 1n &&
    n === p * q &&
    (e * d) % (p - 1n) === 1n &&
    (e * d) % (q - 1n) === 1n &&
    dp === d % (p - 1n) &&
    dq === d % (q - 1n) &&
    (qi * q) % p === 1n
  if (!isConsistent) throw inconsistent()
  const key = Object.fromEntries(members.map(([name, bytes]) => [name, bytes.toString('base64url')]))
  return { bytes: pkcs8In({ kty: 'RSA', ...key }), bits: n.toString(2).length }
}

function ecIn(jwk: Body): Material {
  const crv = textAt(jwk, 'crv') ?? ''
  const curve = CURVES[crv]
  if (curve === undefined) throw badParameter(`Invalid crv value: ${crv}`)
  const [x, y, d] = ['x', 'y', 'd'].map((name) => requiredBytes(jwk, name))
  if (x === undefined || y === undefined || d === undefined) throw inconsistent()
  if ([x, y, d].some((part) => part.length !== curve.bytes))
    throw badParameter(`x, y and d of curve ${crv} must have ${curve.bytes} bytes.`)
  const ecdh = createECDH(curve.node)
  try {
    ecdh.setPrivateKey(d)
  } catch {
    throw inconsistent()
  }
  if (!ecdh.getPublicKey().equals(Buffer.concat([Buffer.of(4), x, y]))) throw inconsistent()
  const [X, Y, D] = [x, y, d].map((part) => part.toString('base64url'))
  return { bytes: pkcs8In({ kty: 'EC', crv: crv === 'P-256K' ? 'secp256k1' : crv, x: X, y: Y, d: D }), crv }
}

function pkcs8In(jwk: Readonly<Record<string, string | undefined>>): Buffer {
  try {
    return pkcs8Of(createPrivateKey({ key: jwk, format: 'jwk' }))
  } catch {
    throw inconsistent()
  }
}
