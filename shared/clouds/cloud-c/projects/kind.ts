import type { CloudCAction } from '../actions.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { RECORDED_ALONE } from '../../../cloud/containers/model.ts'
import { without } from '../../../base/fields.ts'
import type { CloudCProject } from './model.ts'
import { cloudCProjects, type CloudCProjectRow, type StoredCloudCProject } from './store.ts'

const OF_REPORTS: readonly CloudCAction[] = ['reportview', 'reportcreate', 'reportdelete', 'reportdownload']
const VIEWS: readonly string[] = ['view', 'reportview']

/** Permissions of both projects and rings: an action implies the view of keys, or that of reports. */
export const PERMISSIONS: Pick<ContainerKind<StoredCloudCProject, CloudCProjectRow, unknown>, 'views' | 'viewOf'> = {
  views: VIEWS,
  viewOf: (action) =>
    VIEWS.includes(action) ? [] : [OF_REPORTS.some((one) => one === action) ? 'reportview' : 'view'],
}

/** Projects, which contain rings. */
export const projectKind: ContainerKind<StoredCloudCProject, CloudCProjectRow, CloudCProject> = {
  entity: cloudCProjects,
  noun: 'project',
  nameOf: ({ project_id }) => project_id,
  namedBy: 'project',
  ...PERMISSIONS,
  audited: ['project_id', 'name', 'connection', 'enable_success_audit_event', 'acls'],
  present: (project) => without(project, ...RECORDED_ALONE),
}
