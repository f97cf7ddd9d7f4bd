import { deleteNow, newVersion } from './state/passing-time.ts'
import { versionOf } from './state/held.ts'
import type {
  HeldKey,
  HeldVault,
  KeyState,
  ProtectionMode,
  Shape,
  Tagged,
  VaultState,
  VersionState,
} from './state/held.ts'
import type { CloudState } from './state/state.ts'

/** A version as tests see it without requests. */
export interface SimulatedVersionView {
  readonly id: string
  readonly state: VersionState
  readonly origin: 'INTERNAL' | 'EXTERNAL'
}

export interface SimulatedKeyView extends Readonly<Tagged> {
  readonly id: string
  readonly vaultId: string
  readonly compartmentId: string
  readonly state: KeyState
  readonly shape: Shape
  readonly protectionMode: ProtectionMode
  readonly current: string
  /** Oldest first. */
  readonly versions: readonly SimulatedVersionView[]
}

/** A change of a key in the cloud, made without the service. Absent members are unchanged. */
export interface CloudDKeyChange extends Partial<Tagged> {
  readonly state?: 'ENABLED' | 'DISABLED' | 'DELETED'
  readonly compartmentId?: string
  /** Number of versions to add; the last one becomes current. */
  readonly newVersions?: number
  readonly version?: { readonly id: string; readonly state: 'ENABLED' | 'DISABLED' | 'DELETED' }
}

/** A change of a vault, made without the service. Absent members are unchanged. */
export interface CloudDVaultChange {
  readonly state?: VaultState
  readonly displayName?: string
  /** Milliseconds since 1970; `undefined` cancels the deletion. */
  readonly deleteAt?: number | undefined
}

export interface SimulatedVaultView {
  readonly id: string
  readonly displayName: string
  readonly region: string
  readonly compartmentId: string
  readonly tenancyId: string
  readonly vaultType: HeldVault['vaultType']
  readonly state: VaultState
}

export interface Backstage {
  /** All vaults, in the order of their creation. */
  readonly vaults: () => readonly SimulatedVaultView[]
  readonly keyOf: (id: string) => SimulatedKeyView | undefined
  readonly keysIn: (vaultId: string) => readonly SimulatedKeyView[]
  /** The bytes of a version, raw or PKCS #8; default: the current version. */
  readonly materialOf: (keyId: string, versionId?: string) => Promise<Buffer | undefined>
  readonly alter: (keyId: string, change: CloudDKeyChange) => void
  readonly forget: (keyId: string) => void
  readonly alterVault: (vaultId: string, change: CloudDVaultChange) => void
}

const view = ({
  id,
  vaultId,
  compartmentId,
  state,
  shape,
  protectionMode,
  current,
  ...rest
}: HeldKey): SimulatedKeyView => ({
  ...{ id, vaultId, compartmentId, state, shape, protectionMode, current },
  displayName: rest.displayName,
  freeformTags: rest.freeformTags,
  definedTags: rest.definedTags,
  versions: rest.versions.map((version) => ({ id: version.id, state: version.state, origin: version.origin })),
})

const vaultView = ({ id, displayName, region, compartmentId, tenancyId, vaultType, state }: HeldVault) => ({
  ...{ id, displayName, region, compartmentId, tenancyId, vaultType, state },
})

/** Reads and changes for tests, without requests. */
export function backstage(state: CloudState): Backstage {
  const existing = (id: string): HeldKey => {
    const key = state.key(id)
    if (key === undefined) throw new Error(`Key ${id} does not exist.`)
    return key
  }
  return {
    vaults: () => state.vaults().map(vaultView),
    keyOf: (id) => {
      const key = state.key(id)
      return key && view(key)
    },
    keysIn: (vaultId) => state.keysOf(vaultId).map(view),
    materialOf: async (keyId, versionId) => {
      const key = existing(keyId)
      const version = versionOf(key, versionId ?? key.current)
      if (version === undefined || version.state === 'DELETED') return undefined
      return Buffer.from(await state.bytesOf(key, version))
    },
    alter: (keyId, change) => {
      const key = existing(keyId)
      alterKey(key, change, state.now())
      state.saveKeys([key])
    },
    forget: state.forgetKey,
    alterVault: (vaultId, change) => {
      const vault = state.vault(vaultId)
      if (vault === undefined) throw new Error(`Vault ${vaultId} does not exist.`)
      Object.assign(vault, change, { transit: undefined, revision: vault.revision + 1 })
      state.saveVault(vault)
    },
  }
}

function alterKey(key: HeldKey, { newVersions = 0, version: wanted, ...change }: CloudDKeyChange, now: number): void {
  Object.assign(key, change, { revision: key.revision + 1 })
  if (change.state !== undefined) Object.assign(key, { transit: undefined, deleteAt: undefined, before: undefined })
  for (let n = 0; n < newVersions; n++)
    key.current = newVersion(key, { state: 'ENABLED', createdAt: now, origin: 'INTERNAL' }).id
  const version = wanted && versionOf(key, wanted.id)
  if (wanted === undefined || version === undefined) return
  Object.assign(version, {
    state: wanted.state,
    transit: undefined,
    deleteAt: undefined,
    revision: version.revision + 1,
  })
  if (wanted.state === 'DELETED') deleteNow(version)
}
