import type { CloudCProjectRead } from '../adapter/types.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { CloudCProject } from './model.ts'
import type { StoredCloudCProject } from './store.ts'
import type { ConnectionOf } from '../../../cloud/connections/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { differences, without } from '../../../base/fields.ts'

/** A project as shown. */
export const presentProject = (project: StoredCloudCProject): CloudCProject => without(project, 'connection_id')

export const presentStored = ({ item, rev }: Stored<StoredCloudCProject>): Stored<CloudCProject> => ({
  item: presentProject(item),
  rev,
})

/** What the cloud says of the organization above a project. */
export const organizationOf = ({ organization_name, organization_display_name }: CloudCProjectRead) => ({
  ...(organization_name !== undefined && { organization_name }),
  ...(organization_display_name !== undefined && { organization_display_name }),
})

/** The record of a project that is added. */
export function newProject(
  domain: string,
  connection: ConnectionOf<'cloud-c'>,
  read: CloudCProjectRead,
  now: Date,
): StoredCloudCProject {
  const id = uuid(now)
  return {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'cloud-c-project', id), now),
    project_id: read.project_id,
    name: read.name,
    connection: connection.name,
    connection_id: connection.id,
    cloud_name: connection.cloud_name,
    ...organizationOf(read),
    enable_success_audit_event: false,
    acls: [],
  }
}

const AUDITED = ['project_id', 'name', 'connection', 'enable_success_audit_event', 'acls'] as const

/** What an audit record says of a change. */
export const told = (
  before: Partial<StoredCloudCProject>,
  after: Partial<StoredCloudCProject>,
): { before: Record<string, unknown>; after: Record<string, unknown> } =>
  differences<StoredCloudCProject>(before, after, AUDITED)
