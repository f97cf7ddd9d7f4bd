import { algorithmRow } from './algorithms.ts'
import type { ProtectionLevel, VersionState } from './enums.ts'
import { DAY_MS, type HeldKey } from './held.ts'
import { newVersion } from './passing-time.ts'
import type { CloudState } from './state.ts'

/** A seeded key; by default an enabled symmetric software key with one version. */
export interface CloudCSeedKey {
  readonly id?: string
  readonly algorithm?: string
  readonly protectionLevel?: ProtectionLevel
  readonly labels?: Readonly<Record<string, string>>
  readonly versions?: number
  /** State of the last version. */
  readonly state?: Extract<VersionState, 'ENABLED' | 'DISABLED'>
  readonly createdAt?: Date
  /** Enables automatic rotation. */
  readonly rotationPeriodDays?: number
}

/**
 * Adds keys to a ring without a request; material is generated at first use.
 * @returns their ids, the same for the same numbers
 */
export function seedKeys(
  state: CloudState,
  ring: string,
  count: number,
  describe: (n: number) => CloudCSeedKey = () => ({}),
): readonly string[] {
  if (!state.rings.has(ring)) throw new Error(`There is no key ring ${ring}.`)
  const keys = Array.from({ length: count }, (_, n) => seeded(state, ring, n, describe(n)))
  state.saveKeys(keys)
  return keys.map(({ name }) => name.slice(name.lastIndexOf('/') + 1))
}

function seeded(state: CloudState, ring: string, n: number, seed: CloudCSeedKey): HeldKey {
  const now = state.now()
  const row = algorithmRow(seed.algorithm ?? 'GOOGLE_SYMMETRIC_ENCRYPTION')
  const periodMs = seed.rotationPeriodDays === undefined ? undefined : seed.rotationPeriodDays * DAY_MS
  const createdAt = seed.createdAt?.getTime() ?? now
  const key: HeldKey = {
    name: `${ring}/cryptoKeys/${seed.id ?? `seeded-${String(n).padStart(6, '0')}`}`,
    createdAt,
    purpose: row.purpose,
    template: { algorithm: row.name, protectionLevel: seed.protectionLevel ?? 'SOFTWARE' },
    labels: seed.labels ?? {},
    ...(periodMs !== undefined && { rotationPeriodMs: periodMs, nextRotationAt: now + periodMs }),
    destroyMs: 30 * DAY_MS,
    importOnly: false,
    versions: [],
  }
  for (let made = 0; made < (seed.versions ?? 1); made++) newVersion(key, createdAt, 0)
  const last = key.versions.at(-1)
  if (last !== undefined && row.purpose === 'ENCRYPT_DECRYPT') key.primary = last.number
  if (last !== undefined && seed.state !== undefined) last.state = seed.state
  return key
}
