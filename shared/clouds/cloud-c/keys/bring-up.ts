import type { CloudCPlace } from '../adapter/types.ts'
import { Changes, retryWhenStale } from '../../../store/changes.ts'
import { cloudCVersions, storedVersions } from '../versions/store.ts'
import { cloudC } from '../place.ts'
import { compared, type VersionChange, type VersionSource, type VersionsRead } from '../versions/records.ts'
import type { WholeKey } from './records.ts'

/** A key's versions of which records change in one transaction, each with its place. */
const VERSIONS_TOGETHER = 30

/** A key and every version of it, as they are now; `undefined` when the cloud does not have it. */
export async function readWhole(place: CloudCPlace, ref: string): Promise<WholeKey | undefined> {
  const cloud = await cloudC()
  const key = await cloud.read(place, ref)
  return key && { key, versions: await cloud.versions(place, ref) }
}

/** Stages the records of versions. */
export function stageVersions(changes: Changes, domain: string, wanted: readonly VersionChange[]): void {
  for (const { before, after } of wanted)
    if (before === undefined) changes.create(cloudCVersions, domain, after)
    else changes.update(cloudCVersions, domain, before, after)
}

/** What is to be changed in the records of a key's versions. Two reads, and one more for each 100. */
export const versionsRead = async (
  domain: string,
  keyId: string,
  { versions }: WholeKey,
  now: Date,
  sources?: ReadonlyMap<string, VersionSource>,
): Promise<VersionsRead> => compared(domain, keyId, await storedVersions(domain, keyId), versions, now, sources)

/**
 * Writes what the cloud says of a key's versions, oldest first, until at most `left` records are to be changed: more than
 * one transaction takes, and no request's own doing. May be stopped anywhere and called again.
 * @returns what is left to change, and every version as it will be then
 * @throws Stale when others keep writing the same records
 */
export async function bringUp(
  domain: string,
  keyId: string,
  whole: WholeKey,
  now: Date,
  left = VERSIONS_TOGETHER,
): Promise<VersionsRead> {
  return retryWhenStale(async () => {
    for (;;) {
      const read = await versionsRead(domain, keyId, whole, now)
      if (read.changes.length <= left) return read
      await writeAll(domain, read.changes.slice(0, read.changes.length - left), now)
    }
  })
}

/** @throws Stale when somebody else wrote one of them */
async function writeAll(domain: string, wanted: readonly VersionChange[], now: Date): Promise<void> {
  for (let at = 0; at < wanted.length; at += VERSIONS_TOGETHER) {
    const changes = new Changes()
    stageVersions(changes, domain, wanted.slice(at, at + VERSIONS_TOGETHER))
    await changes.commit(now)
  }
}
