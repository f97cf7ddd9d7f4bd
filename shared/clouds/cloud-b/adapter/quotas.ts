import { costOf, type Quota } from '../../../work/schedule/job-operations/cost.ts'

const inTenSeconds = (name: string, calls: number): Quota => ({ name, calls, inSeconds: 10 })
const OTHERS = inTenSeconds('other calls to the vault', 2_000)

/** Calls that one vault accepts, for the operations of jobs. Source: the cloud's page of limits. */
const QUOTAS = {
  /** creates a key in hardware */
  createHsmKey: inTenSeconds('new keys in hardware', 10),
  /** creates or imports a key in software, imports one into hardware */
  createSoftwareKey: inTenSeconds('new keys in software', 20),
  backupKey: OTHERS,
  getKeyVersions: OTHERS,
}

/** The least that a backup takes of a vault's quotas, including the list of versions before it. */
export const BACKUP_COST = costOf(QUOTAS, { backupKey: 1, getKeyVersions: 1 })

/** The least that a new version takes of a vault's quotas, with material of the cloud or of keymgr. */
export const ROTATION_COSTS = {
  hsm: costOf(QUOTAS, { createHsmKey: 1 }),
  software: costOf(QUOTAS, { createSoftwareKey: 1 }),
} as const
