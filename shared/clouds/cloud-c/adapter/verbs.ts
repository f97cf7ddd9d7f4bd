import { auditEntries } from './audit-log.ts'
import {
  deleteKey,
  deleteVersion,
  destroyVersion,
  disableVersion,
  enableVersion,
  restoreVersion,
  setPrimary,
  updateKey,
} from './changing.ts'
import { iamRoles, locations, project, projects, ring, rings, test } from './look-ups.ts'
import { create, upload } from './creation.ts'
import { policy, setPolicy } from './policy.ts'
import { publicKey, read, refs, survey, version, versions } from './reading.ts'
import type { CloudC } from './types.ts'
import { createVersion, importVersion, reimportVersion } from './versions.ts'

export const cloudC: CloudC = {
  test,
  projects,
  project,
  locations,
  rings,
  ring,
  iamRoles,

  refs,
  read,
  survey,
  versions,
  version,
  publicKey,
  policy,
  auditEntries,

  create,
  upload,
  createVersion,
  importVersion,
  reimportVersion,

  updateKey,
  setPrimary,
  enableVersion,
  disableVersion,
  destroyVersion,
  restoreVersion,
  deleteVersion,
  deleteKey,
  setPolicy,
}
