import { createPublicKey, type KeyObject } from 'node:crypto'
import type { SimulatorSetting } from '../toolkit/simulator.ts'
import { pkcs8Of, pooledRsa, privateKeyOf } from '../toolkit/key-pairs.ts'
import { sortedNames, type SortedNames } from '../toolkit/sorted-names.ts'
import { algorithmRow, generateMaterial } from './algorithms.ts'
import { openJournal, type Line } from './journal.ts'
import { isPending, projectOf, ringOf, type HeldEntry, type HeldJob, type HeldKey } from './held.ts'
import type { HeldRing, HeldVersion } from './held.ts'
import { look, settle } from './passing-time.ts'
import { importRow } from './unwrap.ts'

/** How long changes take to become visible, in reads of the resource concerned. */
export interface Delays {
  /**
   * Number of reads that still see a version being generated, if it is in hardware or asymmetric; others exist at once.
   */
  readonly generation: number
  /** Number of reads that still see an import in progress. */
  readonly import: number
  /** Number of reads that see an import job without its key. */
  readonly job: number
}

const DEFAULT_DELAYS: Delays = { generation: 1, import: 1, job: 1 }

/** The whole state of the simulated cloud, and the journal that stores it. */
export interface CloudState {
  readonly now: () => number
  readonly delays: () => Delays
  readonly setDelays: (delays: Partial<Delays>) => void
  readonly rings: ReadonlyMap<string, HeldRing>
  /** Last segments of the names of a location's rings, and of a ring's keys and import jobs. */
  readonly names: (kind: Named, parent: string) => SortedNames
  /** The key in its present state; `undefined` if it does not exist. */
  readonly key: (name: string) => HeldKey | undefined
  readonly job: (name: string) => HeldJob | undefined
  readonly saveRing: (ring: HeldRing) => void
  readonly saveKeys: (keys: readonly HeldKey[]) => void
  readonly saveJob: (job: HeldJob) => void
  readonly forgetKey: (name: string) => void
  /** Removes a key; its name is not reused. */
  readonly retireKey: (name: string) => void
  readonly isRetired: (name: string) => boolean
  /** Counts one read of a version, which may end its pending state. */
  readonly look: (key: HeldKey, version: HeldVersion) => void
  /** Bytes of a version, generated at first use. */
  readonly bytesOf: (key: HeldKey, version: HeldVersion) => Promise<Buffer>
  /**
   * The private wrapping key of a job; `undefined` while it is being generated. @param isLook whether this counts as a
   * read
   */
  readonly wrappingKey: (job: HeldJob, isLook: boolean) => Promise<KeyObject | undefined>
  /** The private key of a service account, generated if it has none. */
  readonly accountKey: (email: string) => Promise<KeyObject>
  readonly addEntry: (entry: HeldEntry) => void
  /** Entries of a project's audit logs, unordered. */
  readonly entries: (project: string) => readonly HeldEntry[]
  readonly close: () => void
}

export const publicPem = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString()

/** @param options.file stores the state; default: in memory only */
export function openState({ clock, file }: Pick<SimulatorSetting, 'clock' | 'file'>): CloudState {
  const held = new Holdings(file)
  const now = () => clock.now().getTime()
  let delays = DEFAULT_DELAYS
  return {
    now,
    delays: () => delays,
    setDelays: (changed) => {
      delays = { ...delays, ...changed }
    },
    rings: held.rings,
    names: (kind, parent) => held.names(kind, parent),
    key: (name) => {
      const key = held.keys.get(name)
      if (key !== undefined && settle(key, now())) held.saveKeys([key])
      return key
    },
    job: (name) => held.jobs.get(name),
    saveRing: (ring) => held.saveRing(ring),
    saveKeys: (keys) => held.saveKeys(keys),
    saveJob: (job) => held.saveJob(job),
    forgetKey: (name) => held.forgetKey(name),
    retireKey: (name) => held.retireKey(name),
    isRetired: (name) => held.retired.has(name),
    look: (key, version) => {
      if (look(version, now())) held.saveKeys([key])
    },
    bytesOf: (key, version) => bytesOf(held, key, version),
    wrappingKey: (job, isLook) => wrappingKey(held, job, isLook),
    accountKey: (email) => accountKey(held, email),
    addEntry: (entry) => held.addEntry(entry),
    entries: (project) => held.logOf(project),
    close: () => held.close(),
  }
}

type Named = 'ring' | 'key' | 'job'

/** Everything in the cloud by name. Each change is written to the journal. */
class Holdings {
  readonly rings = new Map<string, HeldRing>()
  readonly keys = new Map<string, HeldKey>()
  readonly jobs = new Map<string, HeldJob>()
  readonly accounts = new Map<string, Buffer>()
  /** names of deleted keys */
  readonly retired = new Set<string>()
  readonly #logs = new Map<string, HeldEntry[]>()
  readonly #orders = new Map<string, SortedNames>()
  readonly #take = {
    ring: (ring: HeldRing) => void this.rings.set(ring.name, ring),
    key: (key: HeldKey) => void this.keys.set(key.name, key),
    job: (job: HeldJob) => void this.jobs.set(job.name, job),
    account: (pkcs8: Buffer, email: string) => void this.accounts.set(email, pkcs8),
    retired: (_value: true, name: string) => void this.retired.add(name),
    entry: (entry: HeldEntry) => void this.logOf(projectOf(entry.logName)).push(entry),
  }
  readonly #journal: ReturnType<typeof openJournal>

  constructor(file: string | undefined) {
    this.#journal = openJournal(file, ({ kind, name, value }: Line) => {
      const taken = this.#take[kind] as (value: unknown, name: string) => void // as passed to `write`
      taken(value, name)
    })
    this.#place('ring', [...this.rings.keys()])
    this.#place('key', [...this.keys.keys()])
    this.#place('job', [...this.jobs.keys()])
  }

  names(kind: Named, parent: string): SortedNames {
    const order = this.#orders.get(`${kind} ${parent}`) ?? sortedNames()
    this.#orders.set(`${kind} ${parent}`, order)
    return order
  }

  logOf(project: string): HeldEntry[] {
    const log = this.#logs.get(project) ?? []
    this.#logs.set(project, log)
    return log
  }

  saveRing(ring: HeldRing): void {
    if (!this.rings.has(ring.name)) this.#place('ring', [ring.name])
    this.#take.ring(ring)
    this.#journal.write([{ kind: 'ring', name: ring.name, value: ring }])
  }

  saveKeys(some: readonly HeldKey[]): void {
    const fresh = some.map(({ name }) => name).filter((name) => !this.keys.has(name))
    some.forEach(this.#take.key)
    this.#place('key', fresh)
    this.#journal.write(some.map((value) => ({ kind: 'key', name: value.name, value })))
  }

  saveJob(job: HeldJob): void {
    if (!this.jobs.has(job.name)) this.#place('job', [job.name])
    this.#take.job(job)
    this.#journal.write([{ kind: 'job', name: job.name, value: job }])
  }

  saveAccount(email: string, pkcs8: Buffer): void {
    this.#take.account(pkcs8, email)
    this.#journal.write([{ kind: 'account', name: email, value: pkcs8 }])
  }

  forgetKey(name: string): void {
    this.keys.delete(name)
    this.names('key', ringOf(name)).remove(lastOf(name))
    this.#journal.write([{ kind: 'key', name }])
  }

  retireKey(name: string): void {
    this.forgetKey(name)
    this.#take.retired(true, name)
    this.#journal.write([{ kind: 'retired', name, value: true }])
  }

  addEntry(entry: HeldEntry): void {
    this.#take.entry(entry)
    this.#journal.write([{ kind: 'entry', name: entry.insertId, value: entry }])
  }

  close(): void {
    this.#journal.close()
  }

  #place(kind: Named, all: readonly string[]): void {
    for (const [parent, some] of Map.groupBy(all, parentOf)) this.names(kind, parent).addAll(some.map(lastOf))
  }
}

async function bytesOf(held: Holdings, key: HeldKey, version: HeldVersion): Promise<Buffer> {
  if (version.bytes === undefined) {
    if (isPending(version) || version.state === 'DESTROYED' || version.state === 'IMPORT_FAILED')
      throw new Error(`Version ${version.number} of ${key.name} has no material.`)
    const made = await generateMaterial(algorithmRow(version.algorithm))
    version.bytes ??= made // unless a concurrent call was faster
    held.saveKeys([key])
  }
  return version.bytes
}

async function wrappingKey(held: Holdings, job: HeldJob, isLook: boolean): Promise<KeyObject | undefined> {
  if (job.pkcs8 !== undefined) return privateKeyOf(job.pkcs8)
  if (isLook && job.looksLeft > 0) {
    job.looksLeft--
    held.saveJob(job)
    return undefined
  }
  const { modulusBits } = importRow(job.method)
  const key = await pooledRsa(`job ${modulusBits}`, modulusBits)
  job.pkcs8 = pkcs8Of(key)
  held.saveJob(job)
  return key
}

async function accountKey(held: Holdings, email: string): Promise<KeyObject> {
  const known = held.accounts.get(email)
  if (known !== undefined) return privateKeyOf(known)
  const key = await pooledRsa(`account ${email}`, 2048)
  held.saveAccount(email, pkcs8Of(key))
  return key
}

/** The name without its last collection and last id. */
const parentOf = (name: string): string => name.split('/').slice(0, -2).join('/')
const lastOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
