import { randomUUID } from 'node:crypto'
import type { Outbound } from '../toolkit/outbound.ts'
import type { Authority, ClientCertificate } from './hyok/authority.ts'
import { openStoreClient, type StoreAddress, type StoreClient } from './hyok/store-client.ts'
import { addVersion } from './keys/made.ts'
import { newestOf } from './keys/describe.ts'
import { seededId, type SimulatedTenant } from './login/directory.ts'
import type { HeldKey, HeldStore, KeyType, Operation } from './state/held.ts'
import type { DatacustState } from './state/state.ts'

/** A key as tests see it without requests. */
export interface SimulatedKeyView {
  readonly id: string
  readonly groupId: string
  readonly name: string
  readonly type: KeyType
  readonly size: number
  readonly curve: string | undefined
  readonly operations: readonly Operation[]
  readonly role: string
  readonly enabled: boolean
  readonly exportable: boolean
  readonly imported: boolean
  /** Numbers, oldest first. */
  readonly versions: readonly number[]
}

/** A change of a key in the platform, made without the service. Absent members are unchanged. */
export interface DatacustKeyChange {
  readonly name?: string
  readonly description?: string
  readonly enabled?: boolean
  readonly operations?: readonly Operation[]
  /** Number of versions to add. */
  readonly newVersions?: number
}

/** A seeded key; by default an enabled AES-256 key with one version. */
export interface DatacustSeedKey extends Partial<Pick<HeldKey, 'name' | 'description' | 'type' | 'size' | 'enabled'>> {
  readonly operations?: readonly Operation[]
}

export interface Backstage {
  readonly keysIn: (groupId: string) => readonly SimulatedKeyView[]
  readonly keyOf: (id: string) => SimulatedKeyView | undefined
  /** The bytes of a version, raw or PKCS #8; default: the newest version. */
  readonly materialOf: (keyId: string, version?: number) => Promise<Buffer | undefined>
  readonly alter: (keyId: string, change: DatacustKeyChange) => void
  readonly forget: (keyId: string) => void
  /** Names of the dynamic references to a key. */
  readonly referencesTo: (keyId: string) => readonly string[]
  /** Makes a dynamic reference to a key, without the service. @returns its id */
  readonly refer: (keyId: string, name: string) => string
  /** Deletes the dynamic references to a key, without the service. */
  readonly forgetReferences: (keyId: string) => void
  /** Adds keys without requests. @returns their ids, the same for the same numbers */
  readonly seed: (groupId: string, count: number, describe?: (n: number) => DatacustSeedKey) => readonly string[]
  /** PEM of the authorities that issue client certificates: a gateway must trust both. */
  readonly authorityChain: string
  /** A client certificate of a tenant, which is always the same for an id. */
  readonly certificateOf: (tenantId: string, certificateId: string) => ClientCertificate
  /** The platform as a caller of a key store. */
  readonly storeClient: (address: StoreAddress) => StoreClient
  /** Sets the customer-held key store of a group. */
  readonly setStore: (store: HeldStore) => void
}

const view = (key: HeldKey): SimulatedKeyView => ({
  ...{ id: key.id, groupId: key.groupId, name: key.name, type: key.type, size: key.size, curve: key.curve },
  ...{ operations: key.operations, role: key.role, enabled: key.enabled, exportable: key.exportable },
  ...{ imported: key.imported, versions: key.versions.map(({ number }) => number) },
})

/** Reads and changes for tests, without requests. */
export function backstage(
  state: DatacustState,
  {
    tenants,
    authority,
    outbound,
  }: {
    readonly tenants: readonly SimulatedTenant[]
    readonly authority: Authority
    readonly outbound: Outbound
  },
): Backstage {
  const existing = (id: string): HeldKey => {
    const key = state.key(id)
    if (key === undefined) throw new Error(`Key ${id} does not exist.`)
    return key
  }
  const referencesTo = (keyId: string) =>
    tenants.flatMap(({ id }) => state.references(id)).filter((reference) => reference.keyId === keyId)
  const tenantOf = (groupId: string): SimulatedTenant => {
    const tenant = tenants.find(({ groups }) => groups.some(({ id }) => id === groupId))
    if (tenant === undefined) throw new Error(`Group ${groupId} does not exist.`)
    return tenant
  }
  return {
    keysIn: (groupId) =>
      state
        .keys(tenantOf(groupId).id)
        .filter((key) => key.groupId === groupId)
        .map(view),
    keyOf: (id) => {
      const key = state.key(id)
      return key && view(key)
    },
    materialOf: async (keyId, number) => {
      const key = existing(keyId)
      const version = number === undefined ? newestOf(key) : key.versions.find((each) => each.number === number)
      return version && Buffer.from(await state.bytesOf(key, version))
    },
    alter: (keyId, { newVersions = 0, ...change }) => {
      const key = existing(keyId)
      Object.assign(key, change, { changedAt: state.now() })
      for (let n = 0; n < newVersions; n++) addVersion(key, state.now())
      state.saveKeys([key])
    },
    forget: state.forgetKey,
    referencesTo: (keyId) => referencesTo(keyId).map(({ name }) => name),
    refer: (keyId, name) => {
      const { tenantId } = existing(keyId)
      const made = { id: randomUUID(), tenantId, name, keyId, allowsExchange: true, createdAt: state.now() }
      state.saveReference(made)
      return made.id
    },
    forgetReferences: (keyId) => {
      for (const { id } of referencesTo(keyId)) state.forgetReference(id)
    },
    seed: (groupId, count, describe = () => ({})) => {
      const { id: tenantId } = tenantOf(groupId)
      const keys = Array.from({ length: count }, (_, n) => seeded({ tenantId, groupId }, n, describe(n), state.now()))
      state.saveKeys(keys)
      return keys.map(({ id }) => id)
    },
    ...{ authorityChain: authority.chain, certificateOf: authority.certificateOf, setStore: state.saveStore },
    storeClient: (address) => openStoreClient(outbound, address),
  }
}

function seeded(
  place: Pick<HeldKey, 'tenantId' | 'groupId'>,
  n: number,
  { name = `seeded-${String(n).padStart(6, '0')}`, ...seed }: DatacustSeedKey,
  now: number,
): HeldKey {
  const key: HeldKey = {
    ...{ ...place, id: seededId(`key ${place.groupId} ${name}`), name, description: '', type: 'AES', size: 256 },
    ...{ operations: ['ENCRYPT', 'DECRYPT'], role: 'UNSPECIFIED', enabled: true, exportable: false, imported: false },
    ...{ versions: [], createdAt: now, changedAt: now, creator: { id: 'seed', name: 'seed' } },
    ...seed,
  }
  addVersion(key, now)
  return key
}
