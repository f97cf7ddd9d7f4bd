import type { SimulatorSetting } from '../../toolkit/simulator.ts'
import { openThings } from '../../toolkit/thing-journal.ts'
import { generateMaterial } from '../keys/kinds.ts'
import type { HeldCredential, HeldKey, HeldReference, HeldStore, HeldVersion } from './held.ts'

/** Things of the state, by the kind of their lines in the journal. */
interface Things {
  credential: HeldCredential
  key: HeldKey
  reference: HeldReference
  store: HeldStore
  /** PKCS #8 of an authority, or the key of backups. */
  secret: Buffer
}

/** The whole state of the platform, stored in its journal. */
export interface DatacustState {
  readonly now: () => number
  readonly credential: (apiKey: string) => HeldCredential | undefined
  readonly saveCredential: (credential: HeldCredential) => void
  readonly keys: (tenantId: string) => readonly HeldKey[]
  readonly key: (id: string) => HeldKey | undefined
  readonly saveKeys: (keys: readonly HeldKey[]) => void
  readonly forgetKey: (id: string) => void
  readonly references: (tenantId: string) => readonly HeldReference[]
  readonly saveReference: (reference: HeldReference) => void
  readonly forgetReference: (id: string) => void
  readonly store: (groupId: string) => HeldStore | undefined
  readonly saveStore: (store: HeldStore) => void
  /** Bytes of a version, generated at first use. */
  readonly bytesOf: (key: HeldKey, version: HeldVersion) => Promise<Buffer>
  /** A stored secret, made at first use. */
  readonly secret: (name: string, make: () => Buffer) => Buffer
  readonly close: () => void
}

/** @param options.file stores the state; default: in memory only */
export function openState({ clock, file }: Pick<SimulatorSetting, 'clock' | 'file'>): DatacustState {
  const { named, write, remove, close } = openThings<Things>(file)
  const saveKeys = (keys: readonly HeldKey[]): void =>
    write(
      'key',
      keys.map((key) => [key.id, key]),
    )
  const ofTenant = <T extends { readonly tenantId: string }>(all: ReadonlyMap<string, T>, id: string): T[] =>
    [...all.values()].filter(({ tenantId }) => tenantId === id)
  return {
    now: () => clock.now().getTime(),
    credential: (apiKey) => named('credential').get(apiKey),
    saveCredential: (credential) => write('credential', [[credential.apiKey, credential]]),
    keys: (tenantId) => ofTenant(named('key'), tenantId),
    key: (id) => named('key').get(id),
    saveKeys,
    forgetKey: (id) => remove('key', id),
    references: (tenantId) => ofTenant(named('reference'), tenantId),
    saveReference: (reference) => write('reference', [[reference.id, reference]]),
    forgetReference: (id) => remove('reference', id),
    store: (groupId) => named('store').get(groupId),
    saveStore: (store) => write('store', [[store.groupId, store]]),
    bytesOf: async (key, version) => {
      if (version.bytes !== undefined) return version.bytes
      const made = await generateMaterial(key)
      version.bytes ??= made // unless a concurrent call was faster
      saveKeys([key])
      return version.bytes
    },
    secret: (name, make) => {
      const known = named('secret').get(name)
      if (known !== undefined) return known
      const made = make()
      write('secret', [[name, made]])
      return made
    },
    close,
  }
}
