import { createPublicKey, type KeyObject } from 'node:crypto'
import type { JsonWebKey } from '@azure/keyvault-keys'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { asKeyObject, type KeyMaterial } from '../../../crypto/key-material.ts'
import { wrap, wrappingNamed } from '../../../crypto/wrap.ts'
import { toSeconds } from '../../../base/time.ts'
import type { CloudBKeyParam } from '../param.ts'
import { ifThere, isUnusable, isVaultGone } from './errors.ts'
import { isPool } from './hosts.ts'
import type { Version } from './items.ts'
import { cloudsCurve, keyTypeOf, rowFor, type MaterialRow } from './specs.ts'
import type { CloudBKeySpec, CloudBPlace } from './types.ts'

/** Ours: the blob's generator, which the cloud ignores. */
const GENERATOR = 'keymgr'
/**
 * Source: the cloud's documentation of its transfer blob: the key is wrapped under an ephemeral AES key, and that key
 * with OAEP and SHA-1.
 */
const TRANSFER = wrappingNamed({ wrappingEncryptionAlgo: 'RSA/RSAAESKEYWRAPPADDING', wrapPublicKeyPadding: 'oaep' })

/** The key that an import sends; it is zeroed after sending. */
export interface SentKey {
  readonly key: JsonWebKey
  readonly hardwareProtected: boolean
}

/** Members of a private key's JWK that the cloud accepts, including the public ones. */
const MEMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'x', 'y'] as const

/** The runtime's JWK is text, which cannot be zeroed, but these bytes can. */
function membersOf(privateKey: KeyObject): Partial<Record<(typeof MEMBERS)[number], Buffer>> {
  const jwk = privateKey.export({ format: 'jwk' })
  return Object.fromEntries(
    MEMBERS.flatMap((name) => {
      const value = jwk[name]
      return typeof value === 'string' ? [[name, Buffer.from(value, 'base64url')]] : []
    }),
  )
}

function clearKey(material: KeyMaterial, row: MaterialRow, kty: string, spec: CloudBKeySpec): JsonWebKey {
  const members =
    row.family === 'oct' ? { k: material.bytes.use((bytes) => Buffer.from(bytes)) } : membersOf(asKeyObject(material))
  return {
    kty,
    ...(spec.key_ops !== undefined && { keyOps: [...spec.key_ops] }),
    ...(row.crv !== undefined && { crv: cloudsCurve(row.crv) }),
    ...members,
  }
}

const badKek = (detail: string): Refusal => ruleBroken('kek_kid', detail)

const KEK_PATH = /^\/keys\/([A-Za-z0-9-]{1,127})(?:\/([0-9a-f]{32}))?\/?$/

/** @throws Refusal RULE_BROKEN unless it identifies a key of the vault into which the material is imported */
function kekParts({ vault_url }: CloudBPlace, kid: string): { name: string; version: string | undefined } {
  const url = URL.parse(kid)
  const [, name, version] = KEK_PATH.exec(url?.pathname ?? '') ?? []
  if (url?.origin !== vault_url || name === undefined)
    throw badKek(`must be the identifier of a key of the vault: ${vault_url}/keys/<name>, with or without a version`)
  return { name, version }
}

/** @throws Refusal RULE_BROKEN for a key that cannot be used for imports, or not now */
function assertUsable({ key, attributes }: CloudBKeyParam, now: Date): void {
  const { enabled, nbf = 0, exp = Infinity } = attributes
  if (key.kty !== 'RSA-HSM') throw badKek(`must name a key of type RSA-HSM, not ${key.kty}`)
  if (key.key_ops.join() !== 'import') throw badKek('must name a key whose key_ops are import and nothing else')
  if (!enabled) throw badKek('names a key that is disabled')
  if (nbf > toSeconds(now)) throw badKek('names a key that is not valid yet')
  if (exp <= toSeconds(now)) throw badKek('names a key that has expired')
}

/** Reads the key-exchange key. @throws Refusal RULE_BROKEN for one that cannot be used */
async function kekOf(
  place: CloudBPlace,
  kid: string,
  get: (name: string, version: string | undefined) => Promise<Version<CloudBKeyParam>>,
): Promise<CloudBKeyParam['key']> {
  const { name, version } = kekParts(place, kid)
  const found = await ifThere(get(name, version))
  if (found === undefined) throw badKek('names a key that the vault does not have')
  assertUsable(found.param, place.now)
  return found.param.key
}

/**
 * The refusal of an import. If the key-exchange key was changed after it was read, the refusal is the same as if the
 * change had been read.
 */
export function kekRefused(error: unknown): unknown {
  const isGone = error instanceof Refusal && error.reason === 'CLOUD_NOT_FOUND' && !isVaultGone(error)
  if (isGone) return badKek('names a key that the vault no longer has')
  return isUnusable(error) ? badKek('names a key that is disabled or expired') : error
}

/** The blob with which a key is imported into hardware: the cloud's "bring your own key" specification. */
function transferBlob({ kid, n = '', e = '' }: CloudBKeyParam['key'], material: KeyMaterial): Buffer {
  const kek = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })
  return Buffer.from(
    JSON.stringify({
      schema_version: '1.0.0',
      header: { kid, alg: 'dir', enc: 'CKM_RSA_AES_KEY_WRAP' },
      ciphertext: wrap(TRANSFER, kek, material.bytes).toString('base64url'),
      generator: GENERATOR,
    }),
  )
}

/** Refuses, before any call, material that the cloud would refuse. @throws Refusal RULE_BROKEN */
export function assertImportable(place: CloudBPlace, spec: CloudBKeySpec, material: KeyMaterial): void {
  rowFor(material, isPool(place), spec)
  if (spec.kek_kid === undefined) return
  kekParts(place, spec.kek_kid)
  if (spec.hsm === false) throw badKek('is for keys that go into hardware')
}

/** The key as it is sent. @param get reads a version of a key; by default the latest */
export async function sentKey(
  place: CloudBPlace,
  spec: CloudBKeySpec,
  material: KeyMaterial,
  get: (name: string, version: string | undefined) => Promise<Version<CloudBKeyParam>>,
): Promise<SentKey> {
  const row = rowFor(material, isPool(place), spec)
  const hardwareProtected = spec.hsm === true || spec.kek_kid !== undefined || isPool(place)
  const kty = keyTypeOf(row, hardwareProtected)
  if (spec.kek_kid === undefined) return { hardwareProtected, key: clearKey(material, row, kty, spec) }
  const kek = await kekOf(place, spec.kek_kid, get)
  const ops = spec.key_ops === undefined ? {} : { keyOps: [...spec.key_ops] }
  return { hardwareProtected, key: { kty, ...ops, t: transferBlob(kek, material) } } // `t` is the SDK's name
}

/** Zeroes the sent bytes. */
export function wipe({ key }: SentKey): void {
  for (const value of Object.values(key)) if (value instanceof Uint8Array) value.fill(0)
}
