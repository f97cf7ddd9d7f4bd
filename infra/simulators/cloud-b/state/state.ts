import type { KeyObject } from 'node:crypto'
import { pkcs8Of, pooledRsa, privateKeyOf } from '../../toolkit/key-pairs.ts'
import { sortedNames, type SortedNames } from '../../toolkit/sorted-names.ts'
import type { SimulatorSetting } from '../../toolkit/simulator.ts'
import type { Application, Assignment, Subscription, Tenant, User, Vault, Workspace } from '../directory/directory.ts'
import { placeOf, type Held, type HeldItem, type HeldKey, type HeldVersion } from '../vaults/held.ts'
import type { Kind, KeyVersion } from '../vaults/held.ts'
import { openJournal, type Line } from './journal.ts'
import { generateMaterial } from '../keys/key-specs.ts'
import type { LogRow } from '../logs/rows.ts'
import { settle, settleVault } from './passing-time.ts'
import type { CloudSeed } from './seed.ts'

/** How long changes take to become visible, in reads of the item concerned. */
export interface Delays {
  /** Number of reads that do not find a new item. */
  readonly creation: number
  /** Number of reads that find a deleted item neither as live nor as deleted. */
  readonly deletion: number
  /** The same for a recovered item. */
  readonly recovery: number
  /** Milliseconds until a call appears in the log. */
  readonly logMs: number
}

const KINDS: readonly Kind[] = ['keys', 'secrets', 'certificates']
/** Minimum number of rows that a log keeps. Ours: the real log keeps more than a laptop can. */
const KEPT_ROWS = 200_000
const NO_DELAYS: Delays = { creation: 0, deletion: 0, recovery: 0, logMs: 0 }

interface Things {
  readonly tenant: Tenant
  readonly application: Application
  readonly user: User
  readonly subscription: Subscription
  readonly workspace: Workspace
  readonly vault: Vault
}
type Thing = keyof Things

/** The whole state of the simulated cloud, and the journal that stores it. */
export interface CloudState {
  readonly now: () => number
  readonly delays: () => Delays
  readonly setDelays: (delays: Partial<Delays>) => void
  readonly all: <T extends Thing>(kind: T) => readonly Things[T][]
  readonly thing: <T extends Thing>(kind: T, name: string) => Things[T] | undefined
  /** Adds or replaces. */
  readonly put: <T extends Thing>(kind: T, thing: Things[T]) => void
  readonly drop: (kind: Thing, name: string) => void
  /** A vault in its present state, also a deleted one. */
  readonly vault: (name: string) => Vault | undefined
  readonly assignments: () => readonly Assignment[]
  readonly setAssignments: (assignments: readonly Assignment[]) => void
  /** An item in its present state, also a deleted one. */
  readonly item: <K extends Kind>(kind: K, vault: string, name: string) => Held[K] | undefined
  /** Names of a vault's items, including deleted ones. */
  readonly names: (kind: Kind, vault: string) => SortedNames
  readonly save: <K extends Kind>(kind: K, items: readonly Held[K][]) => void
  readonly forget: (kind: Kind, vault: string, name: string) => void
  /** Bytes of a key's version, generated at first use. */
  readonly bytesOf: (key: HeldKey, version: KeyVersion) => Promise<Buffer>
  /** Private RSA keys of the login host, and of applications with a certificate. */
  readonly ownKey: (name: string) => Promise<KeyObject>
  /** Bytes that the cloud stores under a name, generated once. */
  readonly ownBytes: (name: string, make: () => Buffer) => Buffer
  readonly addRows: (rows: readonly LogRow[]) => void
  /** In the order of calls. */
  readonly rows: (workspace: string) => readonly LogRow[]
  readonly close: () => void
}

/** @param options.file stores the state; default: in memory only */
export function openState({ clock, file }: Pick<SimulatorSetting, 'clock' | 'file'>, seed: CloudSeed): CloudState {
  const held = new Holdings(file)
  const now = () => clock.now().getTime()
  let delays = NO_DELAYS
  held.sow(seed)
  return {
    now,
    delays: () => delays,
    setDelays: (changed) => {
      delays = { ...delays, ...changed }
    },
    all: (kind) => [...held.things[kind].values()],
    thing: (kind, name) => held.things[kind].get(name.toLowerCase()),
    put: (kind, thing) => held.put(kind, thing),
    drop: (kind, name) => held.drop(kind, name),
    vault: (name) => {
      const vault = held.things.vault.get(name.toLowerCase())
      if (vault === undefined || !settleVault(vault, now())) return vault
      held.drop('vault', vault.name)
      return undefined
    },
    assignments: () => held.assignments,
    setAssignments: (assignments) => held.write('assignments', '', assignments),
    item: (kind, vault, name) => {
      const item = held.items[kind].get(placeOf(vault, name))
      if (item === undefined) return undefined
      const settled = settle(item, now())
      if (settled === 'gone') held.forget(kind, vault, item.name)
      if (settled === 'changed') held.save(kind, [item])
      return settled === 'gone' ? undefined : item
    },
    names: (kind, vault) => held.names(kind, vault),
    save: (kind, items) => held.save(kind, items),
    forget: (kind, vault, name) => held.forget(kind, vault, name),
    bytesOf: (key, version) => bytesOf(held, key, version),
    ownKey: (name) => ownKey(held, name),
    ownBytes: (name, make) => held.secrets.get(name) ?? held.write('secret', name, make()),
    addRows: (rows) => held.writeAll(rows.map((value) => ({ kind: 'row', name: value.id, value }))),
    rows: (workspace) => held.rowsOf(workspace),
    close: () => held.close(),
  }
}

const nameOf: { readonly [T in Thing]: (thing: Things[T]) => string } = {
  tenant: ({ id }) => id,
  application: ({ clientId }) => clientId,
  user: ({ objectId }) => objectId,
  subscription: ({ id }) => id,
  workspace: ({ id }) => id,
  vault: ({ name }) => name,
}

/** Everything in the cloud by name. Each change is written to the journal. */
class Holdings {
  readonly things: { readonly [T in Thing]: Map<string, Things[T]> } = {
    tenant: new Map(),
    application: new Map(),
    user: new Map(),
    subscription: new Map(),
    workspace: new Map(),
    vault: new Map(),
  }
  readonly items: { readonly [K in Kind]: Map<string, Held[K]> } = {
    keys: new Map(),
    secrets: new Map(),
    certificates: new Map(),
  }
  readonly secrets = new Map<string, Buffer>()
  assignments: readonly Assignment[] = []
  #isSown = false
  readonly #orders = new Map<string, SortedNames>()
  readonly #rows = new Map<string, LogRow[]>()
  readonly #journal: ReturnType<typeof openJournal>

  constructor(file: string | undefined) {
    this.#journal = openJournal(file, (line) => this.#take(line))
    for (const kind of KINDS) this.#place(kind, [...this.items[kind].values()])
  }

  /** Applies the seed at the first start only: later starts do not restore what was removed. */
  sow({ assignments, ...seed }: CloudSeed): void {
    if (this.#isSown) return
    seed.tenants.forEach((each) => this.put('tenant', each))
    seed.applications.forEach((each) => this.put('application', each))
    seed.users.forEach((each) => this.put('user', each))
    seed.subscriptions.forEach((each) => this.put('subscription', each))
    seed.workspaces.forEach((each) => this.put('workspace', each))
    seed.vaults.forEach((each) => this.put('vault', each))
    this.write('assignments', '', assignments)
    this.write('sown', '', true)
  }

  put<T extends Thing>(kind: T, thing: Things[T]): void {
    this.write(kind, nameOf[kind](thing).toLowerCase(), thing)
  }

  drop(kind: Thing, name: string): void {
    this.#remove(kind, name.toLowerCase())
    if (kind !== 'vault') return
    for (const each of KINDS)
      for (const item of this.names(each, name).after(undefined, Infinity)) this.forget(each, name, item)
  }

  names(kind: Kind, vault: string): SortedNames {
    const order = this.#orders.get(`${kind} ${vault}`) ?? sortedNames()
    this.#orders.set(`${kind} ${vault}`, order)
    return order
  }

  save<K extends Kind>(kind: K, items: readonly Held[K][]): void {
    this.#place(kind, items)
    this.writeAll(items.map((value) => ({ kind, name: placeOf(value.vault, value.name), value })))
  }

  forget(kind: Kind, vault: string, name: string): void {
    this.names(kind, vault).remove(name.toLowerCase())
    this.#remove(kind, placeOf(vault, name))
  }

  rowsOf(workspace: string): LogRow[] {
    const rows = this.#rows.get(workspace) ?? []
    this.#rows.set(workspace, rows)
    return rows
  }

  write<V>(kind: string, name: string, value: V): V {
    this.#take({ kind, name, value })
    this.#journal.write([{ kind, name, value }])
    return value
  }

  writeAll(lines: readonly Line[]): void {
    lines.forEach((line) => this.#take(line))
    this.#journal.write(lines)
  }

  close(): void {
    this.#journal.close()
  }

  #place(kind: Kind, items: readonly HeldItem<HeldVersion>[]): void {
    for (const [vault, some] of Map.groupBy(items, (item) => item.vault))
      this.names(kind, vault).addAll(some.map(({ name }) => name.toLowerCase()))
  }

  #remove(kind: string, name: string): void {
    this.#mapOf(kind)?.delete(name)
    this.#journal.write([{ kind, name }])
  }

  #addRow(row: LogRow): void {
    const rows = this.rowsOf(row.workspace)
    rows.push(row)
    if (rows.length >= 2 * KEPT_ROWS) rows.splice(0, KEPT_ROWS)
  }

  #mapOf(kind: string): Map<string, unknown> | undefined {
    const maps: Readonly<Record<string, Map<string, unknown>>> = { ...this.things, ...this.items, secret: this.secrets }
    return maps[kind]
  }

  #take({ kind, name, value }: Line): void {
    const map = this.#mapOf(kind)
    if (map !== undefined) map.set(name, value)
    else if (kind === 'row') this.#addRow(value as LogRow)
    else if (kind === 'assignments') this.assignments = value as readonly Assignment[]
    else this.#isSown = true
  }
}

async function bytesOf(held: Holdings, key: HeldKey, version: KeyVersion): Promise<Buffer> {
  if (version.bytes === undefined) {
    const made = await generateMaterial(version)
    version.bytes ??= made // unless a concurrent call was faster
    held.save('keys', [key])
  }
  return version.bytes
}

async function ownKey(held: Holdings, name: string): Promise<KeyObject> {
  const known = held.secrets.get(name)
  if (known !== undefined) return privateKeyOf(known)
  const key = await pooledRsa(`cloud-b ${name}`, 2048)
  held.write('secret', name, pkcs8Of(key))
  return key
}
