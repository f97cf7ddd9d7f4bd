import { identity, logGroups, regions, roles, test, users } from './access.ts'
import { addAlias, deleteAlias, holderOf, moveAlias } from './aliases.ts'
import {
  addTags,
  cancelDeletion,
  disable,
  enable,
  removeTags,
  retire,
  retireForAllAccounts,
  rotateNow,
  scheduleDeletion,
  setDescription,
  setOwnRotation,
  setPolicy,
  setPrimaryRegion,
} from './changing.ts'
import { create, replicate, upload } from './making.ts'
import { deleteMaterial, importMaterial } from './material.ts'
import { publicKey, read, refs, rotatingSince, rotations, survey } from './reading.ts'
import type { CloudA } from './types.ts'

export const cloudA: CloudA = {
  test,
  identity,
  regions,
  users,
  roles,
  logGroups,

  refs,
  read,
  survey,
  publicKey,
  rotatingSince,
  rotations,

  create,
  upload,
  replicate,
  importMaterial,
  deleteMaterial,

  retire,
  retireForAllAccounts,
  enable,
  disable,
  scheduleDeletion,
  cancelDeletion,
  setDescription,
  setPolicy,
  setOwnRotation,
  rotateNow,
  setPrimaryRegion,

  addTags,
  removeTags,
  addAlias,
  moveAlias,
  deleteAlias,
  holderOf,
}
