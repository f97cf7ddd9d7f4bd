import type { KeyObject } from 'node:crypto'
import { pkcs8Of, pooledRsa, privateKeyOf } from '../../toolkit/key-pairs.ts'
import type { SimulatorSetting } from '../../toolkit/simulator.ts'
import { generateMaterial } from '../keys/shapes.ts'
import type { HeldEvent, HeldKey, HeldObject, HeldVault, HeldVersion } from './held.ts'
import { openJournal, type Line } from './journal.ts'
import { settle, settleKey } from './passing-time.ts'

/** How long the cloud's changes take, in milliseconds of its clock. */
export interface Delays {
  /** Duration of every change of state. */
  readonly transitMs: number
  /** Time for which new vaults and keys are not found. */
  readonly hiddenMs: number
}

/** Ours: real changes take seconds, which is too slow for a laptop. */
const DEFAULT_DELAYS: Delays = { transitMs: 200, hiddenMs: 0 }
const WRAPPING_KEY_BITS = 4096
const USER_KEY_BITS = 2048
/** Events of a tenancy that are kept at least. */
const EVENTS_MOST = 100_000

/** The whole state of the simulated cloud, stored in its journal. */
export interface CloudState {
  readonly now: () => number
  readonly delays: () => Delays
  readonly setDelays: (delays: Partial<Delays>) => void
  /** End of a change that starts now. */
  readonly endsAt: () => number
  /** All vaults in their present states. */
  readonly vaults: () => readonly HeldVault[]
  readonly vault: (id: string) => HeldVault | undefined
  /** A vault by a part of its addresses. */
  readonly vaultAt: (short: string) => HeldVault | undefined
  /** All keys of a vault in their present states. */
  readonly keysOf: (vaultId: string) => readonly HeldKey[]
  readonly key: (id: string) => HeldKey | undefined
  readonly saveVault: (vault: HeldVault) => void
  readonly saveKeys: (keys: readonly HeldKey[]) => void
  readonly forgetKey: (id: string) => void
  readonly object: (name: string) => HeldObject | undefined
  readonly objects: () => readonly HeldObject[]
  readonly saveObject: (object: HeldObject) => void
  readonly forgetObject: (name: string) => void
  readonly addEvent: (event: HeldEvent) => void
  /** Events of a tenancy, oldest first. */
  readonly events: (tenancyId: string) => readonly HeldEvent[]
  /** Bytes of a version, generated at first use. */
  readonly bytesOf: (key: HeldKey, version: HeldVersion) => Promise<Buffer>
  /** The private wrapping key of a vault. */
  readonly wrappingKey: (vault: HeldVault) => Promise<KeyObject>
  /** The private API key of a user. */
  readonly userKey: (userId: string) => Promise<KeyObject>
  readonly close: () => void
}

/** @param options.file stores the state; default: in memory only */
export function openState({ clock, file }: Pick<SimulatorSetting, 'clock' | 'file'>): CloudState {
  const held = new Holdings(file)
  const now = () => clock.now().getTime()
  let delays = DEFAULT_DELAYS
  const isShown = ({ createdAt }: HeldVault | HeldKey): boolean => now() - createdAt >= delays.hiddenMs
  const vaultNow = (vault: HeldVault | undefined): HeldVault[] => {
    if (vault === undefined || !isShown(vault)) return []
    if (settle(vault, now(), delays.transitMs)) held.saveVault(vault)
    return [vault]
  }
  const keyNow = (key: HeldKey | undefined): HeldKey[] => {
    if (key === undefined || !isShown(key)) return []
    if (settleKey(key, now(), delays.transitMs)) held.saveKeys([key])
    return [key]
  }
  return {
    now,
    delays: () => delays,
    setDelays: (changed) => {
      delays = { ...delays, ...changed }
    },
    endsAt: () => now() + delays.transitMs,
    vaults: () => [...held.vaults.values()].flatMap(vaultNow),
    vault: (id) => vaultNow(held.vaults.get(id))[0],
    vaultAt: (short) => vaultNow(held.byShort.get(short))[0],
    keysOf: (vaultId) => [...(held.keysByVault.get(vaultId)?.values() ?? [])].flatMap(keyNow),
    key: (id) => keyNow(held.keys.get(id))[0],
    saveVault: (vault) => held.saveVault(vault),
    saveKeys: (keys) => held.saveKeys(keys),
    forgetKey: (id) => held.forgetKey(id),
    object: (name) => held.objects.get(name),
    objects: () => [...held.objects.values()],
    saveObject: (object) => held.saveObject(object),
    forgetObject: (name) => held.forgetObject(name),
    addEvent: (event) => held.addEvent(event),
    events: (tenancyId) => held.eventsOf(tenancyId),
    bytesOf: (key, version) => bytesOf(held, key, version),
    wrappingKey: (vault) => wrappingKey(held, vault),
    userKey: (userId) => userKey(held, userId),
    close: () => held.close(),
  }
}

/** Everything in the cloud. Each change is written to the journal. */
class Holdings {
  readonly vaults = new Map<string, HeldVault>()
  readonly byShort = new Map<string, HeldVault>()
  readonly keys = new Map<string, HeldKey>()
  readonly keysByVault = new Map<string, Map<string, HeldKey>>()
  readonly objects = new Map<string, HeldObject>()
  readonly users = new Map<string, KeyObject>()
  readonly #events = new Map<string, HeldEvent[]>()
  readonly #take = {
    vault: (vault: HeldVault) => {
      this.vaults.set(vault.id, vault)
      this.byShort.set(vault.short, vault)
    },
    key: (key: HeldKey) => {
      const keys = this.keysByVault.get(key.vaultId) ?? new Map<string, HeldKey>()
      this.keysByVault.set(key.vaultId, keys.set(key.id, key))
      this.keys.set(key.id, key)
    },
    object: (object: HeldObject) => void this.objects.set(object.name, object),
    user: (pkcs8: Buffer, id: string) => void this.users.set(id, privateKeyOf(pkcs8)),
    event: (event: HeldEvent) => {
      const events = this.eventsOf(event.tenancyId)
      events.push(event)
      if (events.length >= 2 * EVENTS_MOST) events.splice(0, EVENTS_MOST)
    },
  }
  readonly #journal: ReturnType<typeof openJournal>

  constructor(file: string | undefined) {
    this.#journal = openJournal(file, ({ kind, name, value }: Line) => {
      const taken = this.#take[kind] as (value: unknown, name: string) => void // as passed to `write`
      taken(value, name)
    })
  }

  saveVault(vault: HeldVault): void {
    this.#take.vault(vault)
    this.#journal.write([{ kind: 'vault', name: vault.id, value: vault }])
  }

  saveKeys(some: readonly HeldKey[]): void {
    some.forEach(this.#take.key)
    this.#journal.write(some.map((value) => ({ kind: 'key', name: value.id, value })))
  }

  forgetKey(id: string): void {
    const key = this.keys.get(id)
    this.keys.delete(id)
    if (key !== undefined) this.keysByVault.get(key.vaultId)?.delete(id)
    this.#journal.write([{ kind: 'key', name: id }])
  }

  saveObject(object: HeldObject): void {
    this.#take.object(object)
    this.#journal.write([{ kind: 'object', name: object.name, value: object }])
  }

  forgetObject(name: string): void {
    this.objects.delete(name)
    this.#journal.write([{ kind: 'object', name }])
  }

  eventsOf(tenancyId: string): HeldEvent[] {
    const events = this.#events.get(tenancyId) ?? []
    this.#events.set(tenancyId, events)
    return events
  }

  addEvent(event: HeldEvent): void {
    this.#take.event(event)
    this.#journal.write([{ kind: 'event', name: event.eventId, value: event }])
  }

  saveUser(id: string, pkcs8: Buffer): void {
    this.#take.user(pkcs8, id)
    this.#journal.write([{ kind: 'user', name: id, value: pkcs8 }])
  }

  close(): void {
    this.#journal.close()
  }
}

async function bytesOf(held: Holdings, key: HeldKey, version: HeldVersion): Promise<Buffer> {
  if (version.bytes !== undefined) return version.bytes
  if (version.state === 'DELETED' || key.protectionMode === 'EXTERNAL')
    throw new Error(`Version ${version.id} has no material.`)
  const made = await generateMaterial(key.shape)
  version.bytes ??= made // unless a concurrent call was faster
  held.saveKeys([key])
  return version.bytes
}

async function wrappingKey(held: Holdings, vault: HeldVault): Promise<KeyObject> {
  if (vault.wrappingKey !== undefined) return privateKeyOf(vault.wrappingKey)
  const key = await pooledRsa(`wrapping ${vault.short}`, WRAPPING_KEY_BITS)
  vault.wrappingKey = pkcs8Of(key)
  held.saveVault(vault)
  return key
}

async function userKey(held: Holdings, userId: string): Promise<KeyObject> {
  const known = held.users.get(userId)
  if (known !== undefined) return known
  const key = await pooledRsa(userId, USER_KEY_BITS)
  held.saveUser(userId, pkcs8Of(key))
  return key
}
