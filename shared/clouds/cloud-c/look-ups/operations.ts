import { ok, operation } from '../../../http/operation.ts'
import {
  FindLocations,
  FindProjects,
  FindRings,
  FoundLocations,
  FoundProjects,
  FoundRings,
  FoundRoles,
} from '../projects/model.ts'
import { findLocations, findProjects, findRings, findRoles } from './look-ups.ts'

/** POST /v1/keymgr/cloud-c/get-projects: projects a connection reaches, one page, as the cloud says now. */
export const projects = operation(
  { summary: 'Get Cloud-c Projects', body: FindProjects, answers: FoundProjects, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findProjects(context, body)),
)

/** POST /v1/keymgr/cloud-c/get-locations: locations a project may use, one page, as the cloud says now. */
export const locations = operation(
  { summary: 'Get Cloud-c Locations', body: FindLocations, answers: FoundLocations, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findLocations(context, body)),
)

/** POST /v1/keymgr/cloud-c/get-key-rings: rings the cloud has in a location, one page, as the cloud says now. */
export const rings = operation(
  { summary: 'Get Cloud-c Key Rings', body: FindRings, answers: FoundRings, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findRings(context, body)),
)

/** POST /v1/keymgr/cloud-c/get-iam-roles: roles for the key policy, one page, as the cloud says now. */
export const iamRoles = operation(
  { summary: 'Get Cloud-c IAM Roles', body: FindLocations, answers: FoundRoles, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findRoles(context, body)),
)
