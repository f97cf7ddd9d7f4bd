import { seededOcid } from '../directory/ocids.ts'
import type { HeldKey, HeldVault, KeyState, ProtectionMode, Shape, Tagged } from './held.ts'
import { newVersion } from './passing-time.ts'
import type { CloudState } from './state.ts'

/** A seeded key; by default an enabled AES-256 key with one version, protected by software. */
export interface CloudDSeedKey extends Partial<Tagged> {
  readonly shape?: Shape
  readonly protectionMode?: Exclude<ProtectionMode, 'EXTERNAL'>
  /** Default: the vault's compartment. */
  readonly compartmentId?: string
  readonly versions?: number
  readonly state?: Extract<KeyState, 'ENABLED' | 'DISABLED'>
  readonly createdAt?: Date
}

/**
 * Adds keys to a vault without a request; material is generated at first use.
 * @returns their ids; these and the ids of versions are the same for the same numbers
 */
export function seedKeys(
  state: CloudState,
  vaultId: string,
  count: number,
  describe: (n: number) => CloudDSeedKey = () => ({}),
): readonly string[] {
  const vault = state.vault(vaultId)
  if (vault === undefined) throw new Error(`Vault ${vaultId} does not exist.`)
  const keys = Array.from({ length: count }, (_, n) => seeded(vault, n, describe(n), state.now()))
  state.saveKeys(keys)
  return keys.map(({ id }) => id)
}

function seeded(vault: HeldVault, n: number, seed: CloudDSeedKey, now: number): HeldKey {
  const createdAt = seed.createdAt?.getTime() ?? now
  const displayName = seed.displayName ?? `seeded-${String(n).padStart(6, '0')}`
  const key: HeldKey = {
    id: seededOcid('key', `${vault.id} ${displayName}`, `${vault.region}.${vault.short}`),
    vaultId: vault.id,
    compartmentId: seed.compartmentId ?? vault.compartmentId,
    displayName,
    freeformTags: seed.freeformTags ?? {},
    definedTags: seed.definedTags ?? {},
    shape: seed.shape ?? { algorithm: 'AES', length: 32 },
    protectionMode: seed.protectionMode ?? 'SOFTWARE',
    createdAt,
    versions: [],
    current: '',
    state: seed.state ?? 'ENABLED',
    revision: 1,
  }
  for (let made = 0; made < (seed.versions ?? 1); made++) {
    const id = seededOcid('keyversion', `${key.id} ${made}`, `${vault.region}.${vault.short}`)
    key.current = newVersion(key, { state: 'ENABLED', createdAt, origin: 'INTERNAL' }, id).id
  }
  return key
}
