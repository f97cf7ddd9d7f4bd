import { randomBytes } from 'node:crypto'
import type { Reply } from '../wire/arrived.ts'
import { attributesIn, tagsIn } from '../vaults/attributes.ts'
import { base64url, flagAt, numberAt, objectAt, textAt, type Body } from '../wire/body.ts'
import { materialInBlob } from './byok.ts'
import { isHsm } from '../directory/directory.ts'
import { badParameter, forbidden } from '../wire/errors.ts'
import { asNew, joined, live, requireUnmanaged, versionIn } from '../vaults/found.ts'
import { latest, type HeldKey, type KeyVersion } from '../vaults/held.ts'
import { materialIn } from './jwk.ts'
import { keyBundle, keyItem } from './key-bundle.ts'
import { newVersion, opsIn, releasePolicyIn, requireKty, requireSpec } from './key-rules.ts'
import { KINDS, type Kty } from './key-specs.ts'
import { listLive, listVersions } from '../vaults/lists.ts'
import { rotateNow } from '../state/passing-time.ts'
import { ok, routesOf, type VaultCall, type VaultRoute } from '../vaults/vault-call.ts'
import { describeRotationPolicy, rotationPolicyIn } from './rotation-policy.ts'

const EXPONENT = 65_537
const RANDOM_MOST = 128

/** Adds a version to the key of this name, or creates the key. */
async function added(call: VaultCall, version: KeyVersion): Promise<Reply> {
  const { state, vault, name } = call
  const before = joined(call, 'keys', name)
  requireUnmanaged('keys', before)
  const key: HeldKey = before ?? { vault: vault.name, name, versions: [], ...asNew(call) }
  key.versions.push(version)
  state.save('keys', [key]) // before its bytes are generated, so that a concurrent call finds it
  await state.bytesOf(key, version)
  return ok(await keyBundle(call, key, version))
}

function create(call: VaultCall): Promise<Reply> {
  const { body, vault, state } = call
  joined(call, 'keys', call.name)
  const kty = requireKty(vault, textAt(body, 'kty'))
  const exponent = numberAt(body, 'public_exponent') ?? EXPONENT
  if (exponent !== EXPONENT) throw badParameter(`The public exponent ${exponent} is not supported.`)
  const spec = requireSpec(kty, { bits: numberAt(body, 'key_size'), crv: textAt(body, 'crv') })
  const ops = opsIn(body, kty, KINDS[kty].usualOps)
  return added(call, newVersion(body, ops, spec, state.now()))
}

/** Kind of an imported key: a flag may request hardware where the JWK does not. */
function importedKty({ vault }: VaultCall, jwk: Body, wantsHsm: boolean | undefined): Kty {
  const named = textAt(jwk, 'kty') ?? ''
  if (wantsHsm === false && named.endsWith('-HSM')) throw badParameter(`A key of type ${named} is in hardware.`)
  if (isHsm(vault) && wantsHsm === false) throw badParameter('Managed HSMs hold keys in hardware alone.')
  return requireKty(vault, wantsHsm === true && !named.endsWith('-HSM') && named !== '' ? `${named}-HSM` : named)
}

async function importKey(call: VaultCall): Promise<Reply> {
  const { body, state } = call
  joined(call, 'keys', call.name)
  const jwk = objectAt(body, 'key')
  if (jwk === undefined) throw badParameter("Property 'key' is required.")
  const kty = importedKty(call, jwk, flagAt(body, 'Hsm'))
  const { family } = KINDS[kty]
  const isWrapped = jwk.key_hsm !== undefined && jwk.key_hsm !== null
  if (isWrapped && !KINDS[kty].hsm) throw badParameter('A transfer blob is imported as a key in hardware.')
  const material = isWrapped ? await materialInBlob(call, jwk, kty) : materialIn(jwk, family)
  const spec = requireSpec(kty, { bits: material.bits, crv: material.crv })
  const version = newVersion(body, opsIn(jwk, kty, KINDS[kty].usualOps), spec, state.now())
  return added(call, { ...version, bytes: material.bytes })
}

async function get(call: VaultCall): Promise<Reply> {
  const key = live(call, 'keys', call.name)
  return ok(await keyBundle(call, key, versionIn('keys', key, call.version)))
}

async function update(call: VaultCall): Promise<Reply> {
  const { body, state } = call
  const key = live(call, 'keys', call.name)
  requireUnmanaged('keys', key)
  const version = versionIn('keys', key, call.version)
  const exportable = flagAt(objectAt(body, 'attributes') ?? {}, 'exportable')
  if (exportable !== undefined && exportable !== version.exportable)
    throw badParameter('The attribute exportable of a key cannot be changed.')
  const releasePolicy = releasePolicyIn(body)
  if (releasePolicy !== undefined) {
    if (!version.exportable) throw badParameter('A release policy can only be set on an exportable key.')
    if (version.releasePolicy?.immutable === true) throw forbidden('The release policy of the key is immutable.')
  }
  Object.assign(version, {
    ...attributesIn(body, version),
    ops: opsIn(body, version.kty, version.ops),
    tags: tagsIn(body) ?? version.tags,
    updatedAt: state.now(),
    ...(releasePolicy && { releasePolicy }),
  })
  state.save('keys', [key])
  return ok(await keyBundle(call, key, version))
}

async function rotate(call: VaultCall): Promise<Reply> {
  const { state } = call
  const key = live(call, 'keys', call.name)
  requireUnmanaged('keys', key)
  const version = rotateNow(key, state.now())
  await state.bytesOf(key, version)
  state.save('keys', [key])
  return ok(await keyBundle(call, key, latest(key)))
}

const getPolicy = (call: VaultCall): Reply => ok(describeRotationPolicy(call, live(call, 'keys', call.name)))

function setPolicy(call: VaultCall): Reply {
  const key = live(call, 'keys', call.name)
  requireUnmanaged('keys', key)
  key.rotationPolicy = rotationPolicyIn(call.body, key.rotationPolicy, call.state.now())
  call.state.save('keys', [key])
  return ok(describeRotationPolicy(call, key))
}

/**
 * Ours: no attestation service is simulated, so no statement can be verified and no key is released.
 * @throws ApiError always
 */
function release(call: VaultCall): Reply {
  const key = live(call, 'keys', call.name)
  const version = versionIn('keys', key, call.version)
  if (!version.exportable) throw forbidden('The key is not exportable.')
  if (textAt(call.body, 'target') === undefined) throw badParameter("Property 'target' is required.")
  throw forbidden('Target environment attestation statement cannot be verified.')
}

function randomOctets({ body, vault }: VaultCall): Reply {
  const count = numberAt(body, 'count') ?? 0
  if (!isHsm(vault)) throw badParameter('Only managed HSMs give random bytes.')
  if (count < 1 || count > RANDOM_MOST) throw badParameter(`Property 'count' must be between 1 and ${RANDOM_MOST}.`)
  return ok({ value: base64url(randomBytes(count)) })
}

const list = (call: VaultCall): Reply => listLive(call, 'keys', (key) => keyItem(call, key))
const versions = (call: VaultCall): Reply => listVersions(call, 'keys', (key, version) => keyItem(call, key, version))

const { get: GET, post: POST, put: PUT, patch: PATCH } = routesOf(false)

export const keyRoutes: readonly VaultRoute[] = [
  GET('KeyList', '/keys', 'keys/list', list),
  GET('KeyListVersions', '/keys/{name}/versions', 'keys/list', versions),
  GET('KeyRotationPolicyGet', '/keys/{name}/rotationpolicy', 'keys/getrotationpolicy', getPolicy),
  PUT('KeyRotationPolicySet', '/keys/{name}/rotationpolicy', 'keys/setrotationpolicy', setPolicy),
  GET('KeyGet', '/keys/{name}', 'keys/get', get),
  GET('KeyGet', '/keys/{name}/{version}', 'keys/get', get),
  POST('KeyCreate', '/keys/{name}/create', 'keys/create', create),
  POST('KeyRotate', '/keys/{name}/rotate', 'keys/rotate', rotate),
  PUT('KeyImport', '/keys/{name}', 'keys/import', importKey),
  POST('KeyRelease', '/keys/{name}/release', 'keys/release', release),
  POST('KeyRelease', '/keys/{name}/{version}/release', 'keys/release', release),
  POST('GetRandomBytes', '/rng', 'keys/get', randomOctets),
  PATCH('KeyUpdate', '/keys/{name}', 'keys/update', update),
  PATCH('KeyUpdate', '/keys/{name}/{version}', 'keys/update', update),
]
