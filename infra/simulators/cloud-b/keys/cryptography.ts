import type { Reply } from '../wire/arrived.ts'
import { base64url, bytesAt, requiredBytes, textAt } from '../wire/body.ts'
import { requireUsable } from './byok.ts'
import { badParameter, forbidden } from '../wire/errors.ts'
import { live, versionIn } from '../vaults/found.ts'
import type { KeyVersion } from '../vaults/held.ts'
import { identifier, ok, routesOf, type VaultCall, type VaultRoute } from '../vaults/vault-call.ts'
import { KINDS } from './key-specs.ts'
import { decryptOctets, encryptOctets, unwrapOctets, wrapOctets, type OctetValues } from './octet-use.ts'
import { decryptRsa, encryptRsa, signDigest, verifyDigest } from './pair-use.ts'

type Use = 'encrypt' | 'decrypt' | 'wrapKey' | 'unwrapKey' | 'sign' | 'verify'

/** Uses that are allowed outside of a key's validity period, so that data from within it stays readable. */
const TIMELESS: readonly Use[] = ['decrypt', 'unwrapKey', 'verify']

interface Usable {
  readonly alg: string
  readonly kid: string
  readonly version: KeyVersion
  readonly bytes: Buffer
  readonly family: 'RSA' | 'EC' | 'oct'
}

/** @throws ApiError Forbidden unless this use of the key is allowed now */
async function usable(call: VaultCall, use: Use): Promise<Usable> {
  const { state, body, vault } = call
  const key = live(call, 'keys', call.name)
  const version = versionIn('keys', key, call.version)
  const isTimeless = TIMELESS.includes(use)
  requireUsable(isTimeless ? { ...version, nbf: undefined, exp: undefined } : version, use, state.now())
  if (!version.ops.includes(use))
    throw forbidden(`Operation ${use} is not permitted on this key.`, 'KeyOperationForbidden')
  const alg = textAt(body, 'alg')
  if (alg === undefined) throw badParameter("Property 'alg' is required.")
  const bytes = await state.bytesOf(key, version)
  const kid = identifier(vault, 'keys', key.name, version.id)
  return { alg, kid, version, bytes, family: KINDS[version.kty].family }
}

const valuesIn = ({ body }: VaultCall): OctetValues => ({
  value: requiredBytes(body, 'value'),
  iv: bytesAt(body, 'iv'),
  aad: bytesAt(body, 'aad'),
  tag: bytesAt(body, 'tag'),
})

const answer = (kid: string, { value, iv, aad, tag }: OctetValues): Reply =>
  ok({
    kid,
    value: base64url(value),
    ...(iv && { iv: base64url(iv) }),
    ...(tag && { tag: base64url(tag) }),
    ...(aad && { aad: base64url(aad) }),
  })

async function encrypt(call: VaultCall): Promise<Reply> {
  const { alg, kid, bytes, family } = await usable(call, 'encrypt')
  const values = valuesIn(call)
  return answer(
    kid,
    family === 'oct' ? encryptOctets(alg, bytes, values) : { value: encryptRsa(alg, bytes, values.value) },
  )
}

async function decrypt(call: VaultCall): Promise<Reply> {
  const { alg, kid, bytes, family } = await usable(call, 'decrypt')
  const values = valuesIn(call)
  return answer(kid, {
    value: family === 'oct' ? decryptOctets(alg, bytes, values) : decryptRsa(alg, bytes, values.value),
  })
}

async function wrapKey(call: VaultCall): Promise<Reply> {
  const { alg, kid, bytes, family } = await usable(call, 'wrapKey')
  const { value } = valuesIn(call)
  return answer(kid, { value: family === 'oct' ? wrapOctets(alg, bytes, value) : encryptRsa(alg, bytes, value) })
}

async function unwrapKey(call: VaultCall): Promise<Reply> {
  const { alg, kid, bytes, family } = await usable(call, 'unwrapKey')
  const { value } = valuesIn(call)
  return answer(kid, { value: family === 'oct' ? unwrapOctets(alg, bytes, value) : decryptRsa(alg, bytes, value) })
}

async function sign(call: VaultCall): Promise<Reply> {
  const { alg, kid, bytes: pkcs8, version } = await usable(call, 'sign')
  const digest = requiredBytes(call.body, 'value')
  return answer(kid, { value: signDigest({ alg, crv: version.crv, pkcs8, digest }) })
}

async function verify(call: VaultCall): Promise<Reply> {
  const { alg, bytes: pkcs8, version } = await usable(call, 'verify')
  const digest = requiredBytes(call.body, 'digest')
  return ok({ value: verifyDigest({ alg, crv: version.crv, pkcs8, digest }, requiredBytes(call.body, 'value')) })
}

const { post } = routesOf(false)

/** Routes of one use, for a given version and for the latest one. */
const both = (operation: string, use: Use, run: VaultRoute['run']): readonly VaultRoute[] =>
  ['/keys/{name}', '/keys/{name}/{version}'].map((path) =>
    post(operation, `${path}/${use.toLowerCase()}`, `keys/${use}`, run),
  )

export const cryptographyRoutes: readonly VaultRoute[] = [
  ...both('KeyEncrypt', 'encrypt', encrypt),
  ...both('KeyDecrypt', 'decrypt', decrypt),
  ...both('KeyWrap', 'wrapKey', wrapKey),
  ...both('KeyUnwrap', 'unwrapKey', unwrapKey),
  ...both('KeySign', 'sign', sign),
  ...both('KeyVerify', 'verify', verify),
]
