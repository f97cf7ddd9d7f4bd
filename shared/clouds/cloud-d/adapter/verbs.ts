import { auditEntries } from './audit-log.ts'
import { backup, deleteBackup, restore } from './backups.ts'
import {
  cancelDeletion,
  cancelVersionDeletion,
  disable,
  enable,
  move,
  scheduleDeletion,
  scheduleVersionDeletion,
  update,
} from './changing.ts'
import { create, upload } from './creation.ts'
import { buckets, compartment, compartments, definedTags, regions, tenancy, test, vault, vaults } from './look-ups.ts'
import { publicKey, read, refs, survey, version, versions } from './reading.ts'
import type { CloudD } from './types.ts'
import { createVersion, importVersion } from './versions.ts'

export const cloudD: CloudD = {
  test,
  tenancy,
  regions,
  compartments,
  compartment,
  vaults,
  vault,
  definedTags,
  buckets,

  refs,
  read,
  survey,
  versions,
  version,
  publicKey,
  auditEntries,

  create,
  upload,
  createVersion,
  importVersion,

  update,
  enable,
  disable,
  scheduleDeletion,
  cancelDeletion,
  move,
  scheduleVersionDeletion,
  cancelVersionDeletion,

  backup,
  restore,
  deleteBackup,
}
