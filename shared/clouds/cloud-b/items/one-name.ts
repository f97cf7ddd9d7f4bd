import { atOnce } from '../../../base/at-once.ts'
import { without } from '../../../base/fields.ts'
import { uuid } from '../../../base/ids.ts'
import { once } from '../../../base/once.ts'
import { containerById } from '../../../cloud/containers/find-container.ts'
import type { KeyKind } from '../../../cloud/keys/kind.ts'
import { reachKey } from '../../../cloud/keys/place.ts'
import { unreadKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import { Changes, commitUnlessDone } from '../../../store/changes.ts'
import type { Entity, Stored } from '../../../store/entity.ts'
import { writeTogether } from '../../../store/write-together.ts'
import type { CloudBPlace } from '../adapter/types.ts'
import { vaultKind } from '../vaults/kind.ts'
import {
  newItem,
  refreshedItem,
  versionsIn,
  type ItemKind,
  type ItemTypes,
  type Seen,
  type StoredItem,
} from './item.ts'

const PAGE = 100
/** Ours: versions of one name that are read in parallel. */
const READ_AT_ONCE = 5

/** Records of the versions of one name, unordered. One or two reads for each 100. */
export async function recordsOf<T, R>(
  entity: Entity<T, R>,
  domain: string,
  vaultId: string,
  name: string,
): Promise<Stored<T>[]> {
  const ids: string[] = []
  const first = `${name.toLowerCase()}/`
  let after: string | undefined = first
  while (after !== undefined) {
    const page: readonly { key: string; id: string }[] = await entity.membersAfter(
      domain,
      versionsIn(vaultId),
      after,
      PAGE,
    )
    const own = page.filter(({ key }) => key.startsWith(first))
    ids.push(...own.map(({ id }) => id))
    after = own.length === PAGE ? own.at(-1)?.key : undefined
  }
  return entity.getMany(domain, ids, 'leave out')
}

/**
 * The record of the latest version of a name. If an earlier, deleted key had the same name too: the latest version of
 * the live key.
 */
export const latestOf = <T extends StoredItem>(records: readonly Stored<T>[]): Stored<T> | undefined => {
  const latest = records.filter(({ item }) => item.is_latest)
  return latest.find(({ item }) => item.status !== 'DELETED') ?? latest[0]
}

/** Fields of a name, not of a version: the record of its latest version contains them. */
const OF_NAME = ['labels', 'backup_job_config_id', 'backup', 'backup_at'] as const
type OfName = Partial<Pick<StoredItem, (typeof OF_NAME)[number]>>
const standsForName = (item: StoredItem): boolean => item.is_latest || OF_NAME.some((field) => field in item)

/**
 * Stages that former versions of a name have a successor.
 * @returns the fields that it inherits: the jobs that rotate it and take its backups, and its newest backup
 */
export function succeed<T extends ItemTypes>(
  kind: KeyKind<T>,
  changes: Changes,
  domain: string,
  records: readonly Stored<T['key']>[],
  now: Date,
): Partial<T['key']> {
  let inherited: OfName = {}
  for (const former of records) {
    const { item } = former
    if (!standsForName(item)) continue
    const own: OfName = Object.fromEntries(OF_NAME.flatMap((field) => (field in item ? [[field, item[field]]] : [])))
    inherited = { ...inherited, ...own }
    const after = { ...without(item, ...OF_NAME), is_latest: false, updatedAt: now.toISOString() } as T['key']
    changes.update(kind.entity, domain, former, after)
  }
  return inherited as Partial<T['key']> // fields of this kind
}

/** Records that a found version has replaced the former latest version of its name. */
export async function overtaken<T extends ItemTypes>(
  kind: KeyKind<T>,
  domain: string,
  latest: T['key'],
  now: Date,
): Promise<void> {
  const records = await recordsOf(kind.entity, domain, latest.key_vault_id, kind.nameOf(latest))
  const changes = new Changes()
  const others = records.filter(({ item }) => item.id !== latest.id)
  const inherited = succeed(kind, changes, domain, others, now)
  const own = records.find(({ item }) => item.id === latest.id)
  if (own !== undefined && Object.keys(inherited).length > 0)
    changes.update(kind.entity, domain, own, { ...own.item, ...inherited, updatedAt: now.toISOString() })
  await commitUnlessDone(changes, now)
}

/** A name in a vault, with the place for a request's calls. */
interface Named {
  readonly vaultId: string
  readonly name: string
  readonly place: CloudBPlace
}

interface Following {
  readonly besides?: string
  readonly particularsOf?: (ref: string) => object | undefined
}

/**
 * Updates the records of a name's versions, each written separately, and creates missing ones.
 * @param more.besides id of a record that the caller writes itself
 * @param more.particularsOf fields that only this service knows about a version without a record
 */
export async function followName<T extends ItemTypes>(
  kind: ItemKind<T>,
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  { vaultId, name, place }: Named,
  { besides, particularsOf }: Following = {},
): Promise<void> {
  const domain = caller.domain.id
  const { cloud } = kind
  const refs = await cloud.versions(place, name)
  // Read at the first missing version, not earlier: a name may be deleted while its versions are read.
  const deletion = once(() => cloud.deletion(place, name))
  const deleted = async (ref: string): Promise<Seen<T['read']['param']> | undefined> => {
    const found = await deletion()
    return found && { ref, deletion: found }
  }
  const survey = await cloud.survey(place)
  const records = await recordsOf(kind.entity, domain, vaultId, name)
  const fresh = await atOnce(records, READ_AT_ONCE, async (before) => {
    const ref = kind.refOf(before.item)
    const read = refs.includes(ref) ? await survey.read(ref, before.item.cloud_b_param) : undefined
    return { before, after: refreshedItem(kind, before.item, read ?? (await deleted(ref)), now) }
  })
  const changed = fresh.filter(({ before, after }) => after !== before.item && before.item.id !== besides)
  await writeTogether(changed, now, (changes, { before, after }) => changes.update(kind.entity, domain, before, after))
  const known = new Set(records.map(({ item }) => kind.refOf(item)))
  const { item: vault } = await containerById(vaultKind, domain, vaultId)
  const found = await atOnce(
    refs.filter((ref) => !known.has(ref)),
    READ_AT_ONCE,
    (ref) => survey.read(ref),
  )
  const made = found
    .filter((read) => read !== undefined)
    .map((read) => {
      const facts = { id: uuid(now), now, key_material_origin: 'unknown' } as const
      return newItem(kind, domain, vault, read, facts, particularsOf?.(read.ref))
    })
  await writeTogether(made, now, (changes, item) => changes.create(kind.entity, domain, item))
  // A new version may be the latest; or the vault was restored to an older backup, without the former latest version.
  const all = [...fresh.map(({ after }) => after), ...made]
  const latest = all.find(({ is_latest, status }) => is_latest && status === 'ACTIVE')
  if (latest !== undefined && all.some((item) => item !== latest && standsForName(item)))
    await overtaken(kind, domain, latest, now)
}

/** As `followName`, for the other versions of an item's name. */
export const followItem = async <T extends ItemTypes>(
  kind: ItemKind<T>,
  context: Context,
  item: T['key'],
): Promise<void> => {
  const { id, key_vault_id: vaultId } = item
  const place = await reachKey(kind, context, item)
  await followName(kind, context, { vaultId, name: kind.nameOf(item), place }, { besides: id })
}

/** Marks the records of the other versions of an item's name, which were changed and may not be read. */
export async function unreadOthers<T extends ItemTypes>(
  { entity, nameOf }: ItemKind<T>,
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  item: T['key'],
): Promise<void> {
  const domain = caller.domain.id
  const records = await recordsOf(entity, domain, item.key_vault_id, nameOf(item))
  const others = records.filter(({ item: { id, status } }) => id !== item.id && status !== 'DELETED')
  const marked = others.map((before) => ({ before, after: unreadKey<T['key']>(before.item, now) }))
  const changed = marked.filter(({ before, after }) => after !== before.item)
  await writeTogether(changed, now, (changes, { before, after }) => changes.update(entity, domain, before, after))
}
