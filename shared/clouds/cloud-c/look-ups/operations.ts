import { lookUp } from '../../../cloud/operations-on.ts'
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

/** POST /v1/keymgr/cloud-c/get-projects: projects a connection reaches, one page, as the cloud has them now. */
export const projects = lookUp('Get Cloud-c Projects', 'keymgr-admins', FindProjects, FoundProjects, findProjects)

/** POST /v1/keymgr/cloud-c/get-locations: locations a project may use, one page, as the cloud has them now. */
export const locations = lookUp('Get Cloud-c Locations', 'keymgr-admins', FindLocations, FoundLocations, findLocations)

/** POST /v1/keymgr/cloud-c/get-key-rings: rings the cloud has in a location, one page, as the cloud has them now. */
export const rings = lookUp('Get Cloud-c Key Rings', 'keymgr-admins', FindRings, FoundRings, findRings)

/** POST /v1/keymgr/cloud-c/get-iam-roles: roles for the key policy, one page, as the cloud has them now. */
export const iamRoles = lookUp('Get Cloud-c IAM Roles', 'keymgr-admins', FindLocations, FoundRoles, findRoles)
