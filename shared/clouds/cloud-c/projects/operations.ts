import { Deleted, listOf } from '../../../http/common-fields.ts'
import { deleted, ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import {
  AddProject,
  CloudCContainerPath,
  CloudCProject,
  ProjectQuery,
  UpdateCloudCAcls,
  UpdateProject,
} from './model.ts'
import { addProject, deleteProject, getProject, listProjects, updateProject, updateProjectAcls } from './projects.ts'

/** GET /v1/keymgr/cloud-c/projects: those the caller may see. */
export const list = operation(
  { summary: 'List Cloud-c Projects', query: ProjectQuery, answers: listOf(CloudCProject), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listProjects(context, query)),
)

/** POST /v1/keymgr/cloud-c/projects: none of its rings comes along. */
export const create = operation(
  { summary: 'Add Cloud-c Project', body: AddProject, answers: CloudCProject, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => createdStored(await addProject(context, body)),
)

/** GET /v1/keymgr/cloud-c/projects/{id} */
export const get = operation(
  { summary: 'Get Cloud-c Project', path: CloudCContainerPath, answers: CloudCProject, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getProject(context, path.id)),
)

/** PATCH /v1/keymgr/cloud-c/projects/{id}: another connection must reach it. */
export const update = operation(
  {
    summary: 'Update Cloud-c Project',
    path: CloudCContainerPath,
    body: UpdateProject,
    answers: CloudCProject,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateProject(context, path.id, body)),
)

/** DELETE /v1/keymgr/cloud-c/projects/{id}: refused while it has rings; the cloud is left alone. */
export const remove = operation(
  { summary: 'Delete Cloud-c Project', path: CloudCContainerPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteProject(context, path.id)
    return deleted()
  },
)

/** POST /v1/keymgr/cloud-c/projects/{id}/update-acls */
export const setAcls = operation(
  {
    summary: 'Update Cloud-c Project Permissions',
    path: CloudCContainerPath,
    body: UpdateCloudCAcls,
    answers: CloudCProject,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateProjectAcls(context, path.id, body)),
)
