import { versionedPurge } from '../../../cloud/keys/versions/purge-keys.ts'
import { Changes } from '../../../store/changes.ts'
import { ITEMS_A_TIME } from '../../../store/remove-some.ts'
import { datacustKeys, keysOfGroup } from '../keys/store.ts'
import { datacustReferenceRecords, referencesOfGroup } from '../references/store.ts'
import { datacustVersions } from '../versions/store.ts'

async function removeReferences(domain: string, group: string, now: Date): Promise<boolean> {
  const members = await datacustReferenceRecords.membersAfter(domain, referencesOfGroup(group), undefined, ITEMS_A_TIME)
  const changes = new Changes()
  const ids = members.map(({ id }) => id)
  for (const stored of await datacustReferenceRecords.getMany(domain, ids, 'salvage'))
    changes.remove(datacustReferenceRecords, domain, stored)
  await changes.commit(now)
  return members.length > 0
}

/** Removes the records of a removed group's keys and references. */
export const groupPurge = versionedPurge({
  name: 'datacust-group-purge',
  field: 'group_record_id',
  due: 'purge-datacust-group',
  keys: datacustKeys,
  versions: datacustVersions,
  keysIn: keysOfGroup,
  others: removeReferences,
})
