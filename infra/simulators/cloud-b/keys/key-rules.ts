import { attributesIn, tagsIn } from '../vaults/attributes.ts'
import { bytesAt, flagAt, isObject, objectAt, textAt, textsAt, type Body } from '../wire/body.ts'
import { isHsm, type Vault } from '../directory/directory.ts'
import { badParameter } from '../wire/errors.ts'
import type { KeyVersion, ReleasePolicy } from '../vaults/held.ts'
import { newId } from '../state/passing-time.ts'
import { CURVES, KINDS, OCT_BITS, RSA_BITS, type KeySpec, type Kty } from './key-specs.ts'

const POLICY_TYPE = 'application/json; charset=utf-8'

const isKty = (text: string): text is Kty => Object.hasOwn(KINDS, text)

/** @throws ApiError BadParameter for an unknown kind, or one that the vault does not support */
export function requireKty(vault: Vault, kty: string | undefined): Kty {
  if (kty === undefined) throw badParameter("Property 'kty' is required.")
  if (kty === 'oct') throw badParameter("Key type 'oct' is not supported; managed HSMs support 'oct-HSM'.")
  if (!isKty(kty)) throw badParameter(`Invalid kty value: ${kty}`)
  const { hsm, inVaults } = KINDS[kty]
  if (isHsm(vault)) {
    if (!hsm) throw badParameter(`Key type '${kty}' is not supported by managed HSMs.`)
  } else if (!inVaults) throw badParameter(`Key type '${kty}' is only supported by managed HSMs.`)
  else if (hsm && vault.sku !== 'premium')
    throw badParameter(`Key type '${kty}' is not supported by vaults of sku ${vault.sku}.`)
  return kty
}

/** @throws ApiError BadParameter unless the kind supports size and curve */
export function requireSpec(kty: Kty, { bits, crv }: { bits: number | undefined; crv: string | undefined }): KeySpec {
  const { family } = KINDS[kty]
  if (family === 'EC') {
    if (bits !== undefined) throw badParameter('Property key_size is not for elliptic-curve keys.')
    const curve = crv ?? 'P-256'
    if (!Object.hasOwn(CURVES, curve)) throw badParameter(`Invalid crv value: ${curve}`)
    return { kty, crv: curve }
  }
  if (crv !== undefined) throw badParameter(`Property crv is not for keys of type ${kty}.`)
  const sizes = family === 'RSA' ? RSA_BITS : OCT_BITS
  const size = bits ?? (family === 'RSA' ? 2048 : 256)
  if (!sizes.includes(size)) throw badParameter(`Key size ${size} is not one of ${sizes.join(', ')}.`)
  return { kty, bits: size }
}

/** @throws ApiError BadParameter for an unknown use, and for `import` together with another one */
export function opsIn(body: Body, kty: Kty, usual: readonly string[]): readonly string[] {
  const ops = textsAt(body, 'key_ops') ?? usual
  const wrong = ops.find((op) => !KINDS[kty].ops.includes(op))
  if (wrong !== undefined) throw badParameter(`Key operation '${wrong}' is not valid for keys of type ${kty}.`)
  if (ops.includes('import') && ops.length > 1)
    throw badParameter("Key operation 'import' is exclusive: a key that has it can have no other one.")
  return ops
}

/** A release policy, whose content is JSON in the cloud's grammar. @throws ApiError BadParameter */
export function releasePolicyIn(body: Body): ReleasePolicy | undefined {
  const policy = objectAt(body, 'release_policy')
  if (policy === undefined) return undefined
  const data = bytesAt(policy, 'data') ?? Buffer.alloc(0)
  let parsed: unknown
  try {
    parsed = JSON.parse(data.toString('utf8'))
  } catch {
    throw badParameter('The release policy is not valid JSON.')
  }
  if (
    !isObject(parsed) ||
    typeof parsed.version !== 'string' ||
    !(Array.isArray(parsed.anyOf) || Array.isArray(parsed.allOf))
  )
    throw badParameter('The release policy needs a version, and anyOf or allOf.')
  const contentType = textAt(policy, 'contentType') ?? POLICY_TYPE
  return { contentType, data, immutable: flagAt(policy, 'immutable') ?? false }
}

/**
 * A new version without its material.
 * @throws ApiError BadParameter, for example for an exportable key that is not in hardware or has no release policy
 */
export function newVersion(body: Body, ops: readonly string[], spec: KeySpec, now: number): KeyVersion {
  const exportable = flagAt(objectAt(body, 'attributes') ?? {}, 'exportable') ?? false
  const releasePolicy = releasePolicyIn(body)
  if (exportable && !KINDS[spec.kty].hsm) throw badParameter('Only HSM-protected keys can be exportable.')
  if (exportable && releasePolicy === undefined) throw badParameter('An exportable key must have a release policy.')
  if (!exportable && releasePolicy !== undefined)
    throw badParameter('A release policy can only be set on an exportable key.')
  if (ops.includes('export') && !exportable) throw badParameter("Key operation 'export' is for exportable keys alone.")
  return {
    id: newId(),
    createdAt: now,
    updatedAt: now,
    ...attributesIn(body),
    tags: tagsIn(body) ?? {},
    ...spec,
    ops,
    exportable,
    ...(releasePolicy && { releasePolicy }),
  }
}
