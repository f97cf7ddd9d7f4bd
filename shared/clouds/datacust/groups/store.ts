import type * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { DatacustGroup } from './model.ts'

const StoredDatacustGroup = DatacustGroup.extend(storedContainer)
export type StoredDatacustGroup = z.infer<typeof StoredDatacustGroup>

const called = (name: string): string => `name:${name}`

/** Groups, unique in a domain by the cloud's ids. Those with the same name can be read together. */
export const datacustGroups = containerEntity({
  name: 'datacust-group',
  schema: StoredDatacustGroup,
  unique: ({ group_id }) => ({ group: [group_id] }),
  families: ({ id, name }) => [{ name: called(name), key: id }],
  row: ({ group_id, tenant, keystore_provider }) => ({ group_id, tenant, keystore_provider }),
})
export type DatacustGroupRow = ReturnType<typeof datacustGroups.row>

/** Ours: more groups than share one name in practice. */
const NAMESAKES_MOST = 100

/** Ids of the groups with a name or an id of the cloud. */
export async function groupsNamed(domain: string, reference: string): Promise<readonly string[]> {
  const byCloudId = await datacustGroups.holder(domain, 'group', reference)
  if (byCloudId !== undefined) return [byCloudId]
  const members = await datacustGroups.membersAfter(domain, called(reference), undefined, NAMESAKES_MOST)
  return members.map(({ id }) => id)
}
