import { activity } from './activity.ts'
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
import {
  connectKeyStore,
  createKeyStore,
  deleteKeyStore,
  disconnectKeyStore,
  keyStore,
  keyStores,
  unusedClusters,
  updateKeyStore,
} from './key-stores.ts'
import { create, replicate, upload } from './creation.ts'
import { deleteMaterial, importMaterial } from './material.ts'
import { publicKey, read, readWhole, refs, rotatingSince, rotations, survey } from './reading.ts'
import type { CloudA } from './types.ts'

export const cloudA: CloudA = {
  test,
  identity,
  regions,
  users,
  roles,
  logGroups,
  activity,

  refs,
  read,
  readWhole,
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

  keyStores,
  keyStore,
  createKeyStore,
  updateKeyStore,
  deleteKeyStore,
  connectKeyStore,
  disconnectKeyStore,
  unusedClusters,
}
