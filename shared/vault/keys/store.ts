import * as z from 'zod'
import { objectTypeRow } from '../../crypto/object-types.ts'
import { LocalKey } from './model.ts'
import { DAY_MS, later } from '../../base/time.ts'
import { entity } from '../../store/entity.ts'
import { versionSortKey } from '../../store/layout.ts'
import { extended } from '../../base/lazy-fields.ts'
import { LOCAL_KEY, requiredVersion } from './used-version.ts'

const StoredLocalKey = extended(LocalKey.omit({ usage: true, rotationDateReached: true, legacy: true }), () => ({
  /** whether this is the latest version */
  latest: z.boolean(),
  /** origin of its material; absent in records of former releases */
  origin: z.enum(['generated', 'imported', 'cloned']).optional(),
  /** id of the version that it is a clone of */
  clonedFrom: z.string().optional(),
  /** marks a canary key: any use of it raises an alarm. Only key administrators read it. */
  canary: z.literal(true).optional(),
  /** material sealed under the domain's key; absent when empty or wiped */
  sealed: z.string().optional(),
}))
export type StoredLocalKey = z.infer<typeof StoredLocalKey>

/** The next time at which a date changes the key's state. */
function nextMove(key: StoredLocalKey): string | undefined {
  const { state, activationDate, deactivationDate, undeletable } = key
  const destroyDate = undeletable ? undefined : key.destroyDate // while flagged undeletable, the date has no effect
  const waits: Record<string, readonly (string | undefined)[]> = {
    'Pre-Active': [activationDate, destroyDate],
    Active: [deactivationDate],
    Deactivated: [destroyDate],
  }
  const times = (waits[state] ?? []).filter((time) => time !== undefined).map((time) => new Date(time).toISOString())
  return times.sort()[0]
}

/** When a key is due for rotation by the age of its latest version; `undefined` for a key that can only be imported. */
export function rotationDueAt(key: StoredLocalKey): string | undefined {
  const { latest, state, objectType, rotationFrequencyDays: days = 0, createdAt } = key
  const lives = state === 'Pre-Active' || state === 'Active'
  if (!latest || !lives || !objectTypeRow(objectType).isGenerated || days === 0) return undefined
  return later(new Date(createdAt), days * DAY_MS).toISOString()
}

/** The family of keys to be rotated by age, ordered by due date and id. No key can have this name. */
export const ROTATED_BY_AGE = '<rotated by age>'

/** The family of the latest versions of keys, both halves of a pair, with this public key. No key can have this name. */
export const ofPublicKey = (sha256: string): string => `<public key> ${sha256}`

/** The family of the latest versions whose state a date changes, ordered by that date and id. */
export const MOVES = '<moves>'

/** The set of the latest versions of canary keys. */
export const CANARIES = 'canaries'

/** The family of the certificates for one version of a private key. No key can have this name. */
export const certificatesOf = (privateKeyId: string): string => `<certificates> ${privateKeyId}`

/** Private keys of a certificate, as determined at its import. */
const certifiedBy = ({ objectType, links }: StoredLocalKey): string[] =>
  objectType === 'Certificate'
    ? links.filter(({ type, id }) => type === 'privateKey' && id === undefined).map(({ target }) => target)
    : []

const hasPublicKey = ({ latest, objectType }: StoredLocalKey): boolean =>
  latest && (objectType === 'Private Key' || objectType === 'Public Key')

/**
 * One item per version. Reads served: a version by id; the latest by name or alias; a key's versions by number; all
 * keys (their latest versions); those in one state; keys whose state is due to change, also of one domain; keys due for
 * rotation; keys by their public key; certificates by their private key.
 */
export const localKeys = entity({
  name: LOCAL_KEY,
  schema: StoredLocalKey,
  id: ({ id }) => id,
  // Names and aliases share one namespace. They belong to the key, which its latest version represents.
  unique: ({ latest, name, aliases }) => (latest ? { name: [name, ...aliases.map(({ alias }) => alias)] } : {}),
  sets: ({ latest, state, canary }) =>
    latest ? ['latest', `state:${state}`, ...(canary ? [CANARIES] : [])] : ['former'],
  families: (key) => {
    const dueAt = rotationDueAt(key)
    const movesAt = key.latest ? nextMove(key) : undefined
    return [
      { name: key.name, key: versionSortKey(key.version) },
      ...(dueAt === undefined ? [] : [{ name: ROTATED_BY_AGE, key: `${dueAt} ${key.id}` }]),
      ...(movesAt === undefined ? [] : [{ name: MOVES, key: `${movesAt} ${key.id}` }]),
      ...(hasPublicKey(key) && key.sha256Fingerprint !== undefined
        ? [{ name: ofPublicKey(key.sha256Fingerprint), key: key.id }]
        : []),
      ...certifiedBy(key).map((target) => ({
        ...{ name: certificatesOf(target), key: key.id },
        uses: requiredVersion(target),
      })),
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
    // `null` means no date. Rows from before this field existed do not have it.
    deactivationDate: key.deactivationDate ?? null,
    meta: key.meta,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
  }),
  due: (key) => {
    const at = nextMove(key)
    return at === undefined ? undefined : { what: 'move-key-state', at }
  },
})
/** The fields that filters and sorts read; a field added later is absent in older rows. */
export type LocalKeyRow = Omit<Row, 'deactivationDate'> & Partial<Pick<Row, 'deactivationDate'>>
type Row = ReturnType<typeof localKeys.row>
