import { hash } from 'node:crypto'
import { generatePair, pkcs8Of, pooledRsa } from '../../toolkit/key-pairs.ts'
import type { HeldKey, KeyVersion } from '../vaults/held.ts'
import { KINDS, pairKindOf, type Kty } from '../keys/key-specs.ts'
import type { CloudState } from './state.ts'

/** A seeded key; by default an enabled RSA key in software with one version. */
export interface CloudBSeedKey {
  readonly name?: string
  readonly kty?: Kty
  readonly bits?: number
  readonly crv?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly versions?: number
  readonly enabled?: boolean
  readonly createdAt?: Date
}

/** Number of pairs that seeded keys share: to generate thousands would take minutes. */
const SHARED_PAIRS = 4

/**
 * Adds keys to a vault without a request. They share a few key pairs.
 * @returns their names; names and version ids are the same for the same vault and numbers
 */
export async function seedKeys(
  state: CloudState,
  vault: string,
  count: number,
  describe: (n: number) => CloudBSeedKey = () => ({}),
): Promise<readonly string[]> {
  if (state.vault(vault) === undefined) throw new Error(`There is no vault ${vault}.`)
  const pairs = new Map<string, Promise<Buffer>>()
  const keys: HeldKey[] = []
  for (let n = 0; n < count; n++) keys.push(await seeded(state, vault, n, describe(n), pairs))
  state.save('keys', keys)
  return keys.map(({ name }) => name)
}

async function seeded(
  state: CloudState,
  vault: string,
  n: number,
  seed: CloudBSeedKey,
  pairs: Map<string, Promise<Buffer>>,
): Promise<HeldKey> {
  const name = seed.name ?? `seeded-${String(n).padStart(6, '0')}`
  const kty = seed.kty ?? 'RSA'
  const { family, usualOps: ops } = KINDS[kty]
  const bits = family === 'EC' ? undefined : (seed.bits ?? (family === 'RSA' ? 2048 : 256))
  const crv = family === 'EC' ? (seed.crv ?? 'P-256') : undefined
  const createdAt = seed.createdAt?.getTime() ?? state.now()
  const versions: KeyVersion[] = []
  for (let made = 0; made < (seed.versions ?? 1); made++)
    versions.push({
      id: hash('sha256', `${vault} ${name} ${made}`).slice(0, 32),
      createdAt: createdAt + made,
      updatedAt: createdAt + made,
      enabled: seed.enabled ?? true,
      tags: seed.tags ?? {},
      ...{ kty, bits, crv, ops, exportable: false },
      bytes: await sharedPair({ kty, bits, crv }, (n + made) % SHARED_PAIRS, pairs),
    })
  return { vault, name, versions }
}

function sharedPair(
  spec: Pick<KeyVersion, 'kty' | 'bits' | 'crv'>,
  n: number,
  pairs: Map<string, Promise<Buffer>>,
): Promise<Buffer | undefined> {
  const kind = pairKindOf(spec)
  if (kind === undefined) return Promise.resolve(undefined)
  if (kind.family === 'rsa') return pooledRsa(`cloud-b seeded ${n} ${kind.modulusBits}`, kind.modulusBits).then(pkcs8Of)
  const name = `${kind.curve} ${n}`
  const made = pairs.get(name) ?? generatePair(kind)
  pairs.set(name, made)
  return made
}
