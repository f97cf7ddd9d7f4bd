import * as z from 'zod'
import { LocalKey } from './model.ts'
import { DAY_MS, later } from '../../base/time.ts'
import { entity } from '../../store/entity.ts'
import { versionSortKey } from '../../store/layout.ts'

const StoredLocalKey = LocalKey.omit({ usage: true, rotationDateReached: true }).extend({
  /** whether no version succeeds this one */
  latest: z.boolean(),
  /** material under the domain's key; absent when empty or wiped */
  sealed: z.string().optional(),
})
export type StoredLocalKey = z.infer<typeof StoredLocalKey>

/** The next moment at which time alone moves the key's state. */
function nextMove(key: StoredLocalKey): string | undefined {
  const { state, activationDate, deactivationDate, undeletable } = key
  const destroyDate = undeletable ? undefined : key.destroyDate // it waits until the flag is taken back
  const waits: Record<string, readonly (string | undefined)[]> = {
    'Pre-Active': [activationDate, destroyDate],
    Active: [deactivationDate],
    Deactivated: [destroyDate],
  }
  const times = (waits[state] ?? []).filter((time) => time !== undefined).map((time) => new Date(time).toISOString())
  return times.sort()[0]
}

/** When a key asks to be succeeded by a new version, by the age of its latest one. None asks of a public key alone. */
export function rotationDueAt(key: StoredLocalKey): string | undefined {
  const { latest, state, objectType, rotationFrequencyDays: days = 0, createdAt } = key
  const lives = state === 'Pre-Active' || state === 'Active'
  if (!latest || !lives || objectType === 'Public Key' || days === 0) return undefined
  return later(new Date(createdAt), days * DAY_MS).toISOString()
}

/** Keys that ask to be rotated, by when and their ids. No key can have this name, which is its versions' family. */
export const ROTATED_BY_AGE = '<rotated by age>'

/**
 * One item a version. Reads served: a version by id; the latest by name or alias; a key's versions by number; all keys
 * (their latest versions); those in one state; keys whose state time moves; keys that ask to be rotated, by when.
 */
export const localKeys = entity({
  name: 'local-key',
  schema: StoredLocalKey,
  id: ({ id }) => id,
  // Names and aliases share one space; they belong to the key, which its latest version stands for.
  unique: ({ latest, name, aliases }) => (latest ? { name: [name, ...aliases.map(({ alias }) => alias)] } : {}),
  sets: ({ latest, state }) => (latest ? ['latest', `state:${state}`] : ['former']),
  families: (key) => {
    const dueAt = rotationDueAt(key)
    return [
      { name: key.name, key: versionSortKey(key.version) },
      ...(dueAt === undefined ? [] : [{ name: ROTATED_BY_AGE, key: `${dueAt} ${key.id}` }]),
    ]
  },
  row: (key) => ({
    id: key.id,
    name: key.name,
    version: key.version,
    state: key.state,
    algorithm: key.algorithm,
    size: key.size,
    curveid: key.curveid,
    objectType: key.objectType,
    usageMask: key.usageMask,
    unexportable: key.unexportable,
    undeletable: key.undeletable,
    aliases: key.aliases.map(({ alias }) => alias),
    labels: key.labels,
    uuid: key.uuid,
    keyCheckValue: key.keyCheckValue,
    sha1Fingerprint: key.sha1Fingerprint,
    sha256Fingerprint: key.sha256Fingerprint,
    links: key.links.map(({ type }) => type),
    meta: key.meta,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
  }),
  due: (key) => {
    const at = nextMove(key)
    return at === undefined ? undefined : { what: 'move-key-state', at }
  },
})
export type LocalKeyRow = ReturnType<typeof localKeys.row>
