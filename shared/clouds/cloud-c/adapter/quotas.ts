import { costOf } from '../../../work/schedule/job-operations/cost.ts'

/** Writes that one project may make to keys; all of its rings share this quota. Source: the cloud's page of quotas. */
const WRITES = { name: 'writes of the project', calls: 60, inSeconds: 60 }
const QUOTAS = {
  createCryptoKeyVersion: WRITES,
  createImportJob: WRITES,
  importCryptoKeyVersion: WRITES,
  updateCryptoKeyPrimaryVersion: WRITES,
}

/** The least that each kind of rotation takes of a project's quota. */
export const ROTATION_COSTS = {
  native: costOf(QUOTAS, { createCryptoKeyVersion: 1, updateCryptoKeyPrimaryVersion: 1 }),
  /** other imports of the day may share the import job */
  local: costOf(QUOTAS, { createImportJob: 1, importCryptoKeyVersion: 1, updateCryptoKeyPrimaryVersion: 1 }),
} as const
