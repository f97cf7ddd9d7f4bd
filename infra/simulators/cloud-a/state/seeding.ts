import { namesOf } from '../../toolkit/by-name.ts'
import type { HeldAlias } from './journal.ts'
import { specRow, type KeyUsage } from '../keys/key-specs.ts'
import { uuidOf } from '../accounts/accounts.ts'
import { newKey, newMaterial, type HeldKey } from '../keys/keys.ts'
import { DAY_MS } from './passing-time.ts'
import type { CloudState } from './cloud-state.ts'

/** A seeded key; by default an enabled symmetric key with material of the cloud. */
export interface SeedKey {
  readonly id?: string
  readonly spec?: string
  readonly usage?: KeyUsage
  readonly origin?: 'AWS_KMS' | 'EXTERNAL'
  /** Keys of the cloud's services are listed but refuse changes. */
  readonly manager?: 'CUSTOMER' | 'AWS'
  readonly state?: 'Enabled' | 'Disabled' | 'PendingDeletion' | 'PendingImport'
  readonly description?: string
  readonly tags?: Readonly<Record<string, string>>
  /** `alias/<name>`; also the reserved `alias/aws/<name>`. */
  readonly aliases?: readonly string[]
  readonly policy?: string
  readonly createdAt?: Date
  /** Enables automatic rotation. */
  readonly rotationPeriodDays?: number
}

const DELETION_DAYS = 30

/**
 * Adds keys to the cloud without a request. Ids depend only on account, region and number; material is generated at
 * first use.
 * @returns their ids, in the order of their numbers
 */
export function seedKeys(
  state: CloudState,
  {
    account,
    region,
    count,
    describe,
  }: {
    account: string
    region: string
    count: number
    describe?: (n: number) => SeedKey
  },
): readonly string[] {
  const now = state.now()
  const keys: HeldKey[] = []
  const aliases: HeldAlias[] = []
  for (let n = 0; n < count; n++) {
    const seed = describe?.(n) ?? {}
    const key = seeded(seed, { id: uuidOf(`${account} ${region} ${n}`), account, region, now })
    keys.push(key)
    for (const name of seed.aliases ?? []) {
      aliases.push({ name, account, region, target: key.id, createdAt: now, updatedAt: now })
    }
  }
  state.save(keys, aliases)
  return keys.map(({ id }) => id)
}

function seeded(
  seed: SeedKey,
  { id, account, region, now }: { id: string; account: string; region: string; now: number },
): HeldKey {
  const row = specRow(seed.spec ?? 'SYMMETRIC_DEFAULT')
  const [onlyUsage = 'ENCRYPT_DECRYPT'] = namesOf(row.usages)
  const { state = 'Enabled', rotationPeriodDays: periodDays } = seed
  return newKey({
    id: seed.id ?? id,
    account,
    region,
    createdAt: seed.createdAt?.getTime() ?? now,
    spec: row.name,
    usage: seed.usage ?? onlyUsage,
    origin: seed.origin ?? 'AWS_KMS',
    manager: seed.manager ?? 'CUSTOMER',
    description: seed.description ?? '',
    policy: seed.policy,
    tags: new Map(Object.entries(seed.tags ?? {})),
    enabled: state === 'Enabled',
    materials: state === 'PendingImport' ? [] : [newMaterial({ lazy: true })],
    deletionAt: state === 'PendingDeletion' ? now + DELETION_DAYS * DAY_MS : undefined,
    rotation: periodDays === undefined ? undefined : { periodDays, nextAt: now + periodDays * DAY_MS },
  })
}
