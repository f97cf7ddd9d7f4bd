import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { writeTogether } from '../../../store/write-together.ts'
import { openSagasIn } from '../../../work/sagas/store.ts'
import { datacustReferences } from '../adapter.ts'
import type { DatacustPlace, DatacustReferenceRead } from '../adapter/types.ts'
import type { StoredDatacustGroup } from '../groups/store.ts'
import { referenceRecord, refreshedReference } from './kind.ts'
import { datacustReferenceRecords, referencesOfGroup, type StoredDatacustReference } from './store.ts'

/** Reads one reference; `undefined` if only this one cannot be read. */
type Read = (ref: string) => Promise<{ readonly found: DatacustReferenceRead | undefined } | undefined>

/** Brings the references on record up to date; those that the cloud no longer lists are gone. */
async function refreshKnown(domain: string, ids: readonly string[], read: Read, now: Date): Promise<void> {
  const known = await datacustReferenceRecords.getMany(domain, ids, 'leave out')
  const fresh = await Promise.all(
    known.map(async (before) => {
      const one = await read(before.item.reference_id)
      const after = one === undefined ? before.item : await refreshedReference(domain, before.item, one.found, now)
      return { before, after }
    }),
  )
  const changed = fresh.filter(({ before, after }) => after !== before.item)
  await writeTogether(changed, now, (changes, { before, after }) =>
    changes.update(datacustReferenceRecords, domain, before, after),
  )
}

/** Records references that others made. */
async function recordFound(
  domain: string,
  group: StoredDatacustGroup,
  refs: readonly string[],
  read: Read,
  now: Date,
): Promise<void> {
  const known = await datacustReferenceRecords.membersBy(domain, referencesOfGroup(group.id), refs)
  const records: StoredDatacustReference[] = []
  for (const ref of refs.filter((one) => !known.has(one))) {
    const found = (await read(ref))?.found
    if (found !== undefined) records.push(await referenceRecord(domain, group, found, uuid(now), now))
  }
  await writeTogether(records, now, (changes, record) => changes.create(datacustReferenceRecords, domain, record))
}

/**
 * Reads the dynamic references of a group. Ours: few, so they are read together. While work in the group is under way,
 * none is recorded: the cloud's references have no mark, so one may be that work's own.
 * @throws Refusal CLOUD_…; one that concerns a single reference once the others are recorded
 */
export async function synchronizeReferences(
  domain: string,
  group: StoredDatacustGroup,
  place: DatacustPlace,
  now: Date,
): Promise<void> {
  const isBusy = (await openSagasIn(domain, group.id)) > 0
  const survey = await datacustReferences.survey(place)
  let refusal: Refusal | undefined
  const read: Read = async (ref) => {
    try {
      return { found: await survey.read(ref) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusal ??= error
      return undefined
    }
  }
  await refreshKnown(domain, await datacustReferenceRecords.members(domain, referencesOfGroup(group.id)), read, now)
  if (!isBusy) await recordFound(domain, group, survey.refs ?? [], read, now)
  if (refusal !== undefined) throw refusal
}
