import { remove, update } from './changing.ts'
import { create, upload } from './creation.ts'
import { activate, group, groups, read, refs, survey, test, version, versions } from './reading.ts'
import type { Datacust } from './types.ts'
import { unpublished } from './unpublished.ts'
import { createVersion, importVersion } from './versions.ts'

export const datacust: Datacust = {
  test,
  activate,
  groups,
  group,

  refs,
  read,
  survey,
  versions,
  version,

  create,
  upload,
  createVersion,
  importVersion,

  update,
  remove,
  ...unpublished,
}
