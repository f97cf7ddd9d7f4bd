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

/** How long the cloud takes to catch up with itself, in looks at the thing concerned. */
export interface Delays {
  /** Looks that still see a version being made: of hardware and asymmetric ones; others are there at once. */
  readonly generation: number
  /** Looks that still see an import under way. */
  readonly import: number
  /** Looks that see an import job without its key. */
  readonly job: number
}

const DEFAULT_DELAYS: Delays = { generation: 1, import: 1, job: 1 }

/** All that the simulated cloud holds, and the journal it is written down in. */
export interface CloudState {
  readonly now: () => number
  readonly delays: () => Delays
  readonly setDelays: (delays: Partial<Delays>) => void
  readonly rings: ReadonlyMap<string, HeldRing>
  /** Rings of a location, and keys and import jobs of a ring, by the last part of their names. */
  readonly names: (kind: 'ring' | 'key' | 'job', parent: string) => SortedNames
  /** The key as of now; `undefined` without one. */
  readonly key: (name: string) => HeldKey | undefined
  readonly job: (name: string) => HeldJob | undefined
  readonly saveRing: (ring: HeldRing) => void
  readonly saveKeys: (keys: readonly HeldKey[]) => void
  readonly saveJob: (job: HeldJob) => void
  readonly forgetKey: (name: string) => void
  /** Counts one read of a version, which may end its pending state. */
  readonly look: (key: HeldKey, version: HeldVersion) => void
  /** Bytes of a version, generated at first use. */
  readonly bytesOf: (key: HeldKey, version: HeldVersion) => Promise<Buffer>
  /** The private wrapping key of a job; `undefined` while the job is being made. @param isLook counts as one */
  readonly wrappingKey: (job: HeldJob, isLook: boolean) => Promise<KeyObject | undefined>
  /** The private key of a service account, made now if it has none. */
  readonly accountKey: (email: string) => Promise<KeyObject>
  readonly addEntry: (entry: HeldEntry) => void
  /** Entries of a project's audit logs, unordered. */
  readonly entries: (project: string) => readonly HeldEntry[]
  readonly close: () => void
}

export const publicPem = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString()

/** @param options.file where everything is written down; only in memory without */
export function openState({ clock, file }: Pick<SimulatorSetting, 'clock' | 'file'>): CloudState {
  const rings = new Map<string, HeldRing>()
  const keys = new Map<string, HeldKey>()
  const jobs = new Map<string, HeldJob>()
  const accounts = new Map<string, Buffer>()
  const logs = new Map<string, HeldEntry[]>()
  const orders = new Map<string, SortedNames>()
  let delays = DEFAULT_DELAYS

  const names: CloudState['names'] = (kind, parent) => {
    const order = orders.get(`${kind} ${parent}`) ?? sortedNames()
    orders.set(`${kind} ${parent}`, order)
    return order
  }
  const logOf = (project: string) => {
    const log = logs.get(project) ?? []
    logs.set(project, log)
    return log
  }
  const place = (kind: 'ring' | 'key' | 'job', all: readonly string[]) => {
    for (const [parent, some] of Map.groupBy(all, parentOf)) names(kind, parent).addAll(some.map(lastOf))
  }
  const take = {
    ring: (ring: HeldRing) => void rings.set(ring.name, ring),
    key: (key: HeldKey) => void keys.set(key.name, key),
    job: (job: HeldJob) => void jobs.set(job.name, job),
    account: (pkcs8: Buffer, email: string) => void accounts.set(email, pkcs8),
    entry: (entry: HeldEntry) => void logOf(projectOf(entry.logName)).push(entry),
  }
  const takeLine = ({ kind, name, value }: Line) => {
    const taken = take[kind] as (value: unknown, name: string) => void // as `write` was given it
    taken(value, name)
  }
  const journal = openJournal(file, takeLine)
  place('ring', [...rings.keys()])
  place('key', [...keys.keys()])
  place('job', [...jobs.keys()])

  const now = () => clock.now().getTime()
  const saveKeys = (some: readonly HeldKey[]) => {
    const fresh = some.filter(({ name }) => !keys.has(name))
    some.forEach(take.key)
    place(
      'key',
      fresh.map(({ name }) => name),
    )
    journal.write(some.map((value) => ({ kind: 'key', name: value.name, value })))
  }
  const saveJob = (job: HeldJob) => {
    if (!jobs.has(job.name)) place('job', [job.name])
    take.job(job)
    journal.write([{ kind: 'job', name: job.name, value: job }])
  }

  return {
    now,
    delays: () => delays,
    setDelays: (changed) => {
      delays = { ...delays, ...changed }
    },
    rings,
    names,
    key: (name) => {
      const key = keys.get(name)
      if (key !== undefined && settle(key, now())) saveKeys([key])
      return key
    },
    job: (name) => jobs.get(name),
    saveRing: (ring) => {
      if (!rings.has(ring.name)) place('ring', [ring.name])
      take.ring(ring)
      journal.write([{ kind: 'ring', name: ring.name, value: ring }])
    },
    saveKeys,
    saveJob,
    forgetKey: (name) => {
      keys.delete(name)
      names('key', ringOf(name)).remove(lastOf(name))
      journal.write([{ kind: 'key', name }])
    },
    look: (key, version) => {
      if (look(version, now())) saveKeys([key])
    },
    bytesOf: async (key, version) => {
      if (version.bytes === undefined) {
        if (isPending(version) || version.state === 'DESTROYED' || version.state === 'IMPORT_FAILED')
          throw new Error(`Version ${version.number} of ${key.name} has no material.`)
        const made = await generateMaterial(algorithmRow(version.algorithm))
        version.bytes ??= made // unless a concurrent call was faster
        saveKeys([key])
      }
      return version.bytes
    },
    wrappingKey: async (job, isLook) => {
      if (job.pkcs8 !== undefined) return privateKeyOf(job.pkcs8)
      if (isLook && job.looksLeft > 0) {
        job.looksLeft--
        saveJob(job)
        return undefined
      }
      const key = await pooledRsa(`job ${importRow(job.method).modulusBits}`, importRow(job.method).modulusBits)
      job.pkcs8 = pkcs8Of(key)
      saveJob(job)
      return key
    },
    accountKey: async (email) => {
      const known = accounts.get(email)
      if (known !== undefined) return privateKeyOf(known)
      const key = await pooledRsa(`account ${email}`, 2048)
      const value = pkcs8Of(key)
      accounts.set(email, value)
      journal.write([{ kind: 'account', name: email, value }])
      return key
    },
    addEntry: (entry) => {
      take.entry(entry)
      journal.write([{ kind: 'entry', name: entry.insertId, value: entry }])
    },
    entries: logOf,
    close: journal.close,
  }
}

/** Without the last collection and the last id. */
const parentOf = (name: string): string => name.split('/').slice(0, -2).join('/')
const lastOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
