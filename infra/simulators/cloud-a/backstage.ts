import { DAY_MS, forgetBytes } from './state/passing-time.ts'
import { currentMaterial, deriveLazy, isThere, keyArn, stateOf, type HeldKey, type KeyState } from './keys/keys.ts'
import type { CloudState } from './state/cloud-state.ts'

/** A key as tests see it without requests. */
export interface SimulatedKeyView {
  readonly id: string
  readonly arn: string
  readonly state: KeyState
  readonly description: string
  readonly spec: string
  readonly usage: string
  readonly origin: string
  readonly tags: Readonly<Record<string, string>>
  /** In alphabetical order. */
  readonly aliases: readonly string[]
  /** JSON text; `undefined` while the key has the default policy. */
  readonly policy: string | undefined
  readonly createdAt: Date
  readonly deletionAt: Date | undefined
  readonly rotationPeriodDays: number | undefined
  readonly materials: readonly { readonly id: string; readonly state: string; readonly there: boolean }[]
}

/** A change of a key in the cloud, made without the service. Absent members are unchanged. */
export interface KeyChange {
  readonly description?: string
  readonly enabled?: boolean
  /** Replaces all tags. */
  readonly tags?: Readonly<Record<string, string>>
  /** Replaces all aliases; other keys lose them. */
  readonly aliases?: readonly string[]
  readonly policy?: string
  /** Schedules the deletion, or cancels it. */
  readonly deletionInDays?: number | 'cancelled'
  /** Deletes imported material. */
  readonly withoutMaterial?: true
}

type At = readonly [account: string, region: string, keyId: string]

export interface Backstage {
  readonly keyOf: (...at: At) => SimulatedKeyView | undefined
  /** In the order of ListKeys. */
  readonly keysIn: (account: string, region: string) => readonly SimulatedKeyView[]
  /**
   * The bytes, raw or PKCS #8, of the named material or else of the current one; `undefined` where the key has none.
   */
  readonly materialOf: (
    account: string,
    region: string,
    keyId: string,
    materialId?: string,
  ) => Promise<Buffer | undefined>
  readonly alter: (account: string, region: string, keyId: string, change: KeyChange) => void
  readonly forget: (...at: At) => void
}

/** Reads and changes for tests, without requests. */
export function backstage(state: CloudState): Backstage {
  const find = (...[account, region, id]: At): HeldKey | undefined => {
    const key = state.key(account, region, id)
    if (key !== undefined) deriveLazy(key, state.secret)
    return key
  }
  const existing = (...[account, region, id]: At): HeldKey => {
    const key = find(account, region, id)
    if (key === undefined) throw new Error(`There is no key ${id} in ${account} ${region}.`)
    return key
  }
  return {
    keyOf: (account, region, id) => {
      const key = find(account, region, id)
      return key && view(key)
    },
    keysIn: (account, region) =>
      state
        .shelf(account, region)
        .keyIds(undefined, Infinity)
        .flatMap((id) => find(account, region, id) ?? [])
        .map(view),
    materialOf: async (account, region, id, materialId) => {
      const key = existing(account, region, id)
      const material =
        materialId === undefined ? currentMaterial(key) : key.materials.find((each) => each.id === materialId)
      return material !== undefined && isThere(material) ? state.bytesOf(key, material) : undefined
    },
    alter: (account, region, id, change) => {
      const key = existing(account, region, id)
      apply(state, key, change)
      state.save([key])
      if (change.aliases !== undefined) setAliases(state, key, change.aliases)
    },
    forget: (account, region, id) => state.remove(existing(account, region, id)),
  }
}

function apply(state: CloudState, key: HeldKey, change: KeyChange): void {
  const { description, enabled, tags, policy, deletionInDays: days } = change
  if (description !== undefined) key.description = description
  if (enabled !== undefined) key.enabled = enabled
  if (tags !== undefined) key.tags = new Map(Object.entries(tags))
  if (policy !== undefined) key.policy = policy
  if (days !== undefined) key.deletionAt = days === 'cancelled' ? undefined : state.now() + days * DAY_MS
  if (days === 'cancelled') key.enabled = false
  if (change.withoutMaterial === true) key.materials.forEach(forgetBytes)
}

function setAliases(state: CloudState, key: HeldKey, names: readonly string[]): void {
  const { account, region, id: target } = key
  for (const name of [...key.aliases].filter((each) => !names.includes(each))) {
    const alias = state.alias(account, region, name)
    if (alias !== undefined) state.removeAlias(alias)
  }
  const now = state.now()
  const aliases = names.map((name) => ({
    ...(state.alias(account, region, name) ?? { name, account, region, createdAt: now }),
    ...{ target, updatedAt: now },
  }))
  state.save([], aliases)
}

const view = (key: HeldKey): SimulatedKeyView => ({
  id: key.id,
  arn: keyArn(key),
  state: stateOf(key),
  description: key.description,
  spec: key.spec,
  usage: key.usage,
  origin: key.origin,
  tags: Object.fromEntries(key.tags),
  aliases: [...key.aliases].sort(),
  policy: key.policy,
  createdAt: new Date(key.createdAt),
  deletionAt: key.deletionAt === undefined ? undefined : new Date(key.deletionAt),
  rotationPeriodDays: key.rotation?.periodDays,
  materials: key.materials.map((material) => ({
    id: material.id,
    state: material.state,
    there: isThere(material),
  })),
})
