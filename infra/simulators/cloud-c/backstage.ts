import type { VersionState } from './enums.ts'
import { versionNumbered, type HeldEntry, type HeldKey } from './held.ts'
import { destroyNow, newVersion } from './passing-time.ts'
import type { CloudState } from './state.ts'

/** A version as tests see it without requests. */
export interface SimulatedVersionView {
  readonly number: number
  readonly state: VersionState
  readonly algorithm: string
  /** Full name of the import job that imported its material. */
  readonly importJob: string | undefined
}

export interface SimulatedKeyView {
  /** full name */
  readonly name: string
  readonly id: string
  readonly purpose: string
  readonly labels: Readonly<Record<string, string>>
  readonly primary: number | undefined
  readonly protectionLevel: string
  readonly rotationPeriodSeconds: number | undefined
  readonly nextRotationAt: Date | undefined
  readonly versions: readonly SimulatedVersionView[]
  readonly bindings: readonly { readonly role: string; readonly members: readonly string[] }[]
}

/** A change of a key in the cloud, made without the service. Absent members are unchanged. */
export interface CloudCKeyChange {
  /** Replaces all labels. */
  readonly labels?: Readonly<Record<string, string>>
  /** Number of versions to add. For an encryption key, the last one becomes the primary version. */
  readonly newVersions?: number
  readonly version?: { readonly number: number; readonly state: 'ENABLED' | 'DISABLED' | 'DESTROYED' }
}

export interface Backstage {
  /** @param name full */
  readonly keyOf: (name: string) => SimulatedKeyView | undefined
  /** In the order of lists. @param ring full name */
  readonly keysIn: (ring: string) => readonly SimulatedKeyView[]
  /** The bytes of a version, raw or PKCS #8; default: the primary version, or the first. */
  readonly materialOf: (name: string, version?: number) => Promise<Buffer | undefined>
  readonly alter: (name: string, change: CloudCKeyChange) => void
  readonly forget: (name: string) => void
  /** Entries of a project's audit logs, in the form of the wire. */
  readonly entriesOf: (project: string) => readonly HeldEntry[]
}

const view = (key: HeldKey): SimulatedKeyView => ({
  name: key.name,
  id: key.name.slice(key.name.lastIndexOf('/') + 1),
  purpose: key.purpose,
  labels: key.labels,
  primary: key.primary,
  protectionLevel: key.template.protectionLevel,
  rotationPeriodSeconds: key.rotationPeriodMs === undefined ? undefined : key.rotationPeriodMs / 1000,
  nextRotationAt: key.nextRotationAt === undefined ? undefined : new Date(key.nextRotationAt),
  versions: key.versions.map(({ number, state, algorithm, importJob }) => ({ number, state, algorithm, importJob })),
  bindings: key.policy?.bindings ?? [],
})

/** Reads and changes for tests, without requests. */
export function backstage(state: CloudState): Backstage {
  const existing = (name: string): HeldKey => {
    const key = state.key(name)
    if (key === undefined) throw new Error(`There is no key ${name}.`)
    return key
  }
  return {
    keyOf: (name) => {
      const key = state.key(name)
      return key && view(key)
    },
    keysIn: (ring) =>
      state
        .names('key', ring)
        .after(undefined, Infinity)
        .flatMap((id) => state.key(`${ring}/cryptoKeys/${id}`) ?? [])
        .map(view),
    materialOf: async (name, number) => {
      const key = existing(name)
      const version = versionNumbered(key, number ?? key.primary ?? 1)
      if (version === undefined || !['ENABLED', 'DISABLED', 'DESTROY_SCHEDULED'].includes(version.state))
        return undefined
      return Buffer.from(await state.bytesOf(key, version))
    },
    alter: (name, change) => {
      const key = existing(name)
      if (change.labels !== undefined) key.labels = change.labels
      for (let n = 0; n < (change.newVersions ?? 0); n++) {
        const { number } = newVersion(key, state.now(), 0)
        if (key.purpose === 'ENCRYPT_DECRYPT') key.primary = number
      }
      const version = change.version && versionNumbered(key, change.version.number)
      if (change.version !== undefined && version !== undefined) {
        if (change.version.state === 'DESTROYED') destroyNow(version, state.now())
        else version.state = change.version.state
      }
      state.saveKeys([key])
    },
    forget: state.forgetKey,
    entriesOf: state.entries,
  }
}
