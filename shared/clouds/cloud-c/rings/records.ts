import { ringParts } from '../adapter/names.ts'
import type { CloudCRing as CloudCRingRead } from '../adapter/types.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { CloudCRing } from '../projects/model.ts'
import type { StoredCloudCProject } from '../projects/store.ts'
import type { StoredCloudCRing } from './store.ts'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { differences, without } from '../../../base/fields.ts'

/** A ring as shown. */
export const presentRing = (ring: StoredCloudCRing): CloudCRing => without(ring, 'connection_id')

export const presentStored = ({ item, rev }: Stored<StoredCloudCRing>): Stored<CloudCRing> => ({
  item: presentRing(item),
  rev,
})

/** The record of a ring that is added: it begins with its project's permissions. */
export function newRing(
  domain: string,
  connection: ConnectionOf<'cloud-c'>,
  { acls, organization_name, organization_display_name }: StoredCloudCProject,
  { name, create_time }: CloudCRingRead,
  now: Date,
): StoredCloudCRing {
  const id = uuid(now)
  const { project, location, ring } = ringParts(name)
  return {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'cloud-c-key-ring', id), now),
    name,
    key_ring_id: ring,
    project_id: project,
    location,
    connection: connection.name,
    connection_id: connection.id,
    cloud_name: connection.cloud_name,
    ...(organization_name !== undefined && { organization_name }),
    ...(organization_display_name !== undefined && { organization_display_name }),
    create_time,
    acls,
  }
}

const AUDITED = ['name', 'connection', 'acls'] as const

/** What an audit record says of a change. */
export const told = (
  before: Partial<StoredCloudCRing>,
  after: Partial<StoredCloudCRing>,
): { before: Record<string, unknown>; after: Record<string, unknown> } =>
  differences<StoredCloudCRing>(before, after, AUDITED)
