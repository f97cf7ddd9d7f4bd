import { createHash } from 'node:crypto'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { untilCommitted } from '../../../store/until-committed.ts'
import type { RemoteKey } from '../../contract.ts'
import { storedVersions, type VersionedKind, type VersionedTypes, type VersionSource, type Whole } from './kind.ts'

/** Versions of a key whose records change in one transaction, each with its position. */
const VERSIONS_TOGETHER = 30

/** A digest that changes when the cloud's description of any version changes. */
export const digestOf = (versions: readonly RemoteKey<object>[]): string =>
  createHash('sha256')
    .update(JSON.stringify(versions.map(({ param }) => param)))
    .digest('base64url')

/** A record to create or change. */
interface VersionChange<T extends VersionedTypes> {
  readonly before?: Stored<T['version']>
  readonly after: T['version']
}

/** A key's versions as the cloud describes them, compared with their records. */
export interface VersionsRead<T extends VersionedTypes> {
  /** the records to write, oldest version first */
  readonly changes: readonly VersionChange<T>[]
  /** every version after those changes */
  readonly all: readonly Stored<T['version']>[]
}

/** The sources of material that we imported just now, by the cloud's name of the version. */
export type Sources = ReadonlyMap<string, VersionSource>

function newVersion<T extends VersionedTypes>(
  { versions: { resource, followed, sourceFound } }: VersionedKind<T>,
  domain: string,
  keyId: string,
  read: T['versionRead'],
  source: VersionSource | undefined,
  now: Date,
): T['version'] {
  const id = uuid(now)
  const common = commonFields(domain, id, resourceUri(domain, 'keymgr', resource, id), now)
  // The other fields of the record follow from the cloud's description.
  return { ...common, parent_key_id: keyId, ...followed(read), ...(source ?? sourceFound(read)) } as T['version']
}

function refreshed<T extends VersionedTypes>(
  { versions: { paramOf, followed } }: VersionedKind<T>,
  version: T['version'],
  read: T['versionRead'] | undefined,
  source: VersionSource | undefined,
  now: Date,
): T['version'] {
  const updatedAt = now.toISOString()
  if (read === undefined) return version.gone ? version : { ...version, gone: true, updatedAt }
  const isSame = !version.gone && JSON.stringify(paramOf(version)) === JSON.stringify(read.param)
  if (isSame && source === undefined) return version
  return { ...version, ...followed(read), ...source, updatedAt }
}

const revOf = <V>(before: Stored<V> | undefined, after: V): number =>
  before === undefined ? 1 : before.item === after ? before.rev : before.rev + 1

/** Compares the cloud's description of a key's versions with their records. */
export function compared<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  keyId: string,
  known: readonly Stored<T['version']>[],
  read: readonly T['versionRead'][],
  now: Date,
  sources: Sources = new Map(),
): VersionsRead<T> {
  const unread = new Map(known.map((stored) => [kind.versions.refOf(stored.item), stored]))
  const seen = read.map((version): VersionChange<T> => {
    const { ref } = version
    const before = unread.get(ref)
    unread.delete(ref)
    const source = sources.get(ref)
    return before === undefined
      ? { after: newVersion(kind, domain, keyId, version, source, now) }
      : { before, after: refreshed(kind, before.item, version, source, now) }
  })
  const gone = [...unread.values()].map((before): VersionChange<T> => ({
    before,
    after: refreshed(kind, before.item, undefined, undefined, now),
  }))
  const every = [...seen, ...gone]
  return {
    changes: every.filter(({ before, after }) => before?.item !== after),
    all: every.map(({ before, after }) => ({ item: after, rev: revOf(before, after) })),
  }
}

/** Stages the records of versions. */
export function stageVersions<T extends VersionedTypes>(
  { versions: { entity } }: VersionedKind<T>,
  changes: Changes,
  domain: string,
  wanted: VersionsRead<T>['changes'],
): void {
  for (const { before, after } of wanted)
    if (before === undefined) changes.create(entity, domain, after)
    else changes.update(entity, domain, before, after)
}

/** Changes that the records of a key's versions need. Two reads, and one more for each 100. */
export const versionsRead = async <T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  keyId: string,
  { versions }: Pick<Whole<T>, 'versions'>,
  now: Date,
  sources?: Sources,
): Promise<VersionsRead<T>> =>
  compared(kind, domain, keyId, await storedVersions(kind, domain, keyId), versions, now, sources)

/**
 * Writes the cloud's description of a key's versions, oldest first, until at most `left` records remain to be changed:
 * a key can have more versions than fit into one transaction, since other parties create them too. May be stopped
 * anywhere and called again.
 * @returns the remaining changes, and every version as it will be then
 * @throws Stale when others keep writing the same records
 */
export async function bringUp<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  keyId: string,
  whole: Pick<Whole<T>, 'versions'>,
  now: Date,
  left = VERSIONS_TOGETHER,
): Promise<VersionsRead<T>> {
  return untilCommitted(async () => {
    for (;;) {
      const read = await versionsRead(kind, domain, keyId, whole, now)
      const { changes } = read
      if (changes.length <= left) return read
      await writeAll(kind, domain, changes.slice(0, changes.length - left), now)
    }
  })
}

/** @throws Stale when another instance wrote one of them */
async function writeAll<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  domain: string,
  wanted: VersionsRead<T>['changes'],
  now: Date,
): Promise<void> {
  for (let at = 0; at < wanted.length; at += VERSIONS_TOGETHER) {
    const changes = new Changes()
    stageVersions(kind, changes, domain, wanted.slice(at, at + VERSIONS_TOGETHER))
    await changes.commit(now)
  }
}
