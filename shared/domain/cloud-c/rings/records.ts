import { ringParts } from '../../../clouds/cloud-c/names.ts'
import type { CloudCRing as CloudCRingRead } from '../../../clouds/cloud-c/types.ts'
import { commonFields, resourceUri, uuid } from '../../../ids.ts'
import type { CloudCRing } from '../../../model/cloud-c-project.ts'
import type { StoredCloudCProject } from '../../../store/cloud-c-project.ts'
import type { StoredCloudCRing } from '../../../store/cloud-c-ring.ts'
import type { ConnectionOf } from '../../../store/connection.ts'
import type { Stored } from '../../../store/entity.ts'
import { differences, without } from '../../fields.ts'

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
