import { costOf } from '../../../work/schedule/job-operations/cost.ts'

const READS = { name: 'reads of the tenancy', calls: 10, inSeconds: 1 }
const WRITES = { name: 'writes of the tenancy', calls: 10, inSeconds: 1 }

/** Calls to vaults that one tenancy may make, by the cloud's names. Source: the cloud's page of limits. */
const QUOTAS = {
  GetKey: READS,
  ListKeyVersions: READS,
  GetWrappingKey: READS,
  CreateKeyVersion: WRITES,
  ImportKeyVersion: WRITES,
}

/** What each kind of rotation takes of a tenancy's quotas, with the reads that wait for the new version. */
export const ROTATION_COSTS = {
  native: costOf(QUOTAS, { GetKey: 5, ListKeyVersions: 3, CreateKeyVersion: 1 }),
  local: costOf(QUOTAS, { GetKey: 5, ListKeyVersions: 3, GetWrappingKey: 1, ImportKeyVersion: 1 }),
} as const
