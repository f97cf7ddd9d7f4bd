import type { Entry } from './journal.ts'
import type { HeldKeyStore } from '../key-stores/key-stores.ts'
import { isOver } from './passing-states.ts'

/** The custom key stores of all accounts and regions. */
export interface KeyStoreShelf {
  /** All key stores of an account and region in their present states, oldest first. */
  readonly keyStores: (account: string, region: string) => readonly HeldKeyStore[]
  readonly keyStore: (account: string, region: string, id: string) => HeldKeyStore | undefined
  /** Stores a new or changed key store. */
  readonly saveKeyStore: (store: HeldKeyStore) => void
  readonly removeKeyStore: (store: HeldKeyStore) => void
}

/** @param options.entries of the journal */
export function createKeyStoreShelf({
  entries,
  now,
  write,
}: {
  entries: readonly Entry[]
  now: () => number
  write: (entries: readonly Entry[]) => void
}): KeyStoreShelf {
  const held = new Map<string, HeldKeyStore>()
  for (const entry of entries) if (entry.kind === 'key-store') held.set(entry.keyStore.id, entry.keyStore)
  const save = (store: HeldKeyStore) => {
    held.set(store.id, store)
    write([{ kind: 'key-store', keyStore: store }])
  }
  const settled = (store: HeldKeyStore): HeldKeyStore => {
    const { connection } = store
    if (connection.next === undefined || !isOver(connection, connection.since, now())) return store
    store.connection = { ...connection.next, since: now(), readsLeft: 0 }
    save(store)
    return store
  }
  const keyStores: KeyStoreShelf['keyStores'] = (account, region) =>
    [...held.values()].filter((store) => store.account === account && store.region === region).map(settled)
  return {
    keyStores,
    keyStore: (account, region, id) => keyStores(account, region).find((store) => store.id === id),
    saveKeyStore: save,
    removeKeyStore: ({ account, region, id }) => {
      held.delete(id)
      write([{ kind: 'no-key-store', account, region, id }])
    },
  }
}
