import { updateContainerAcls } from '../../../cloud/containers/change-container.ts'
import { getContainer, listContainers } from '../../../cloud/containers/read-containers.ts'
import { operationsOn } from '../../../cloud/operations-on.ts'
import {
  AddProject,
  CloudCContainerPath,
  CloudCProject,
  ProjectQuery,
  UpdateCloudCAcls,
  UpdateProject,
} from './model.ts'
import { projectKind } from './project-kind.ts'
import { addProject, deleteProject, updateProject } from './projects.ts'

const on = operationsOn({
  path: CloudCContainerPath,
  answers: CloudCProject,
  reads: 'keymgr-users',
  changes: 'keymgr-admins',
})

/** GET /v1/keymgr/cloud-c/projects: those the caller may see. */
export const list = on.list('List Cloud-c Projects', ProjectQuery, (context, query) =>
  listContainers(projectKind, context, query, { project_id: query.project_id, cloud_name: query.cloud_name }),
)

/** POST /v1/keymgr/cloud-c/projects: none of its rings comes along. */
export const create = on.create('Add Cloud-c Project', AddProject, addProject)

/** GET /v1/keymgr/cloud-c/projects/{id} */
export const get = on.get('Get Cloud-c Project', (context, id) => getContainer(projectKind, context, id))

/** PATCH /v1/keymgr/cloud-c/projects/{id}: another connection must reach it. */
export const update = on.act('Update Cloud-c Project', updateProject, UpdateProject)

/** DELETE /v1/keymgr/cloud-c/projects/{id}: refused while it has rings; the cloud is left alone. */
export const remove = on.remove('Delete Cloud-c Project', deleteProject)

/** POST /v1/keymgr/cloud-c/projects/{id}/update-acls: rings that are added later begin with these, those there keep theirs. */
export const setAcls = on.act(
  'Update Cloud-c Project Permissions',
  (context, id, body) => updateContainerAcls(projectKind, context, id, body),
  UpdateCloudCAcls,
)
